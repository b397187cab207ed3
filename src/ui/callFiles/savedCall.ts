import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { toSkeleton } from '../../core/arguments/argumentsText';
import {
  addCalls,
  namesOf,
  noCalls,
  type AddedCall,
  type UsedNames,
} from '../../core/callFiles/recordedValues';
import { escapeVariables } from '../../core/callFiles/callFileVariables';
import type { JsonObject } from '../../core/json/jsonValue';
import { freeName } from '../../core/nearestName';
import { toCallFileText, toFileCall, type CopiedCall } from '../../host/callFiles/callCopies';
import type { ToolEntry } from '../../host/connections/snapshot';
import type { PastCall } from '../../host/history/pastCall';
import { replaceMarkers } from '../../host/history/storedArguments';
import { callFileExtension, commands } from '../../ids';
import { exists } from '../editor/configurationFiles';
import { toFileName } from '../editor/fileName';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { pickTool, type ToolPickerOptions } from '../picking/toolPicker';
import { searchCallFiles, openCallFiles } from './callFileDocuments';
import { saveDocument } from '../editor/savedDocument';

/**
 * Converts a past call so that a call file reproduces it: text that looks like a variable is
 * escaped, and each secret becomes an input with a name that the file does not use.
 */
export function toWrittenCall(call: PastCall, used: ReadonlySet<string> = new Set()): CopiedCall {
  const { server, tool, arguments: given, hasSecrets, isPrompt } = call;
  const target = { server, tool, ...(isPrompt && { isPrompt }) };
  if (given === undefined) return target;
  const escaped = escapeVariables(given);
  if (hasSecrets !== true) return { ...target, arguments: escaped };
  const inputs: Record<string, JsonObject> = {};
  const taken = new Set(used);
  const written = replaceMarkers(escaped, (key) => {
    const name = freeName(/^[\w-]+$/.test(key) ? key : 'secret', taken);
    taken.add(name);
    inputs[name] = { password: true };
    return `\${input:${name}}`;
  });
  return { ...target, arguments: written, inputs };
}

/** Opens an untitled call file with these calls, oldest first. */
export async function saveCalls(calls: readonly PastCall[]): Promise<void> {
  const [only] = calls;
  if (only === undefined) return;
  const text =
    calls.length === 1
      ? toCallFileText(toWrittenCall(only))
      : addCalls(noCalls, toAdded(calls, { calls: new Set(), inputs: new Set() }));
  if (text !== undefined) await openNewCallFile(only.tool, text);
  else
    notify('warning', l10n.t('Nothing was saved because one call file cannot hold these calls.'));
}

const maxListed = 1_000;

/** Appends calls to a call file that the user chooses; a single call gets a name first. */
export async function addToCallFile(calls: readonly PastCall[]): Promise<void> {
  const uri = await pickFile();
  if (uri === undefined) return;
  if (uri === 'new') return saveCalls(calls);
  const document = await vscode.workspace.openTextDocument(uri).then(undefined, () => undefined);
  const used = document && namesOf(document.getText());
  const name = used && (await askName(calls, used.calls));
  if (name === undefined && used !== undefined) return;
  const added = used && toAdded(calls, used, name);
  const text = added && addCalls(document?.getText() ?? '', added);
  if (document === undefined || text === undefined) {
    const file = quoted(vscode.workspace.asRelativePath(uri));
    const message =
      used === undefined
        ? l10n.t('Nothing was added because “{0}” has problems.', file)
        : l10n.t('Nothing was added because “{0}” cannot hold more calls.', file);
    notify('warning', message);
    return;
  }
  await write(document, text, added?.at(-1)?.name ?? '');
}

/** Opens the file at the new call. A file without other changes is saved. */
async function write(document: vscode.TextDocument, text: string, name: string): Promise<void> {
  const isSaved = !document.isDirty && !document.isUntitled;
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  if (!(await editor.edit((edit) => edit.replace(whole, text)))) return;
  const at = document.positionAt(Math.max(0, text.lastIndexOf(JSON.stringify(name))));
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
  if (isSaved) await saveDocument(document);
}

async function pickFile(): Promise<vscode.Uri | 'new' | undefined> {
  const found = await searchCallFiles(maxListed);
  const open = openCallFiles().map(({ uri }) => uri);
  const uris = [...new Map([...open, ...found].map((uri) => [uri.toString(), uri])).values()];
  if (uris.length === 0) return 'new';
  const items = uris.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const created = { label: l10n.t('New Call File…'), uri: 'new' as const };
  const title = l10n.t('Add to Call File');
  return (await vscode.window.showQuickPick([...items, created], { title }))?.uri;
}

/** Resolves with `''` for several calls, which get names without a question. */
async function askName(
  [first, ...others]: readonly PastCall[],
  used: ReadonlySet<string>,
): Promise<string | undefined> {
  if (first === undefined || others.length > 0) return '';
  const name = await vscode.window.showInputBox({
    title: l10n.t('Add to Call File'),
    prompt: l10n.t('Name of the call'),
    value: freeName(first.tool, used),
    validateInput: (value) =>
      value.trim() === ''
        ? l10n.t('Enter a name.')
        : used.has(value.trim())
          ? l10n.t('The file has a call with this name already.')
          : undefined,
  });
  return name?.trim();
}

function toAdded(calls: readonly PastCall[], used: UsedNames, wanted = ''): readonly AddedCall[] {
  const names = new Set(used.calls);
  const inputNames = new Set(used.inputs);
  return calls.map((past) => {
    const { inputs, ...call } = toWrittenCall(past, inputNames);
    const name = freeName(wanted === '' ? past.tool : wanted, names);
    names.add(name);
    for (const input of Object.keys(inputs ?? {})) inputNames.add(input);
    return { name, call: toFileCall(call), ...(inputs === undefined ? {} : { inputs }) };
  });
}

/** Opens an untitled call file with an example for the tool that the user chooses. */
export async function newCallFile(options: ToolPickerOptions): Promise<void> {
  const entry = await pickTool({ ...options, title: l10n.t('New Call File for a Tool') });
  if (entry !== undefined) await openNewCallFile(entry.tool.name, exampleText(entry));
}

/** Shows an untitled call file, named after a tool. */
export async function openNewCallFile(toolName: string, text: string): Promise<vscode.Uri> {
  const uri = await freeUri(toFileName(toolName));
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), text));
  return uri;
}

/** Lets the user choose a call file of the workspace and shows it. */
export async function openCallFile(): Promise<void> {
  const found = await searchCallFiles(maxListed);
  if (found.length === 0) {
    const create = l10n.t('New Call File');
    const sentence = l10n.t('This workspace has no call file yet.');
    const pressed = await vscode.window.showInformationMessage(sentence, create);
    if (pressed === create) await vscode.commands.executeCommand(commands.newCallFile);
    return;
  }
  const items = found
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }))
    .toSorted((one, other) => one.label.localeCompare(other.label));
  const picked =
    items.length === 1
      ? items[0]
      : await vscode.window.showQuickPick(items, { title: l10n.t('Open Call File') });
  if (picked !== undefined) await vscode.window.showTextDocument(picked.uri, { preview: false });
}

const maxTries = 100;

/** Returns an unused URI in the first workspace folder. */
async function freeUri(name: string): Promise<vscode.Uri> {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  for (let count = 1; count < maxTries; count += 1) {
    const fileName = `${name}${count === 1 ? '' : `-${count}`}${callFileExtension}`;
    const path = folder === undefined ? fileName : `${folder.uri.path}/${fileName}`;
    const uri = vscode.Uri.from({ scheme: 'untitled', path });
    const key = uri.toString();
    const isOpen = vscode.workspace.textDocuments.some((one) => one.uri.toString() === key);
    if (!isOpen && (folder === undefined || !(await exists(folder.uri.with({ path }))))) return uri;
  }
  return vscode.Uri.from({ scheme: 'untitled', path: `${name}-${Date.now()}${callFileExtension}` });
}

function exampleText({ serverId, tool }: ToolEntry): string {
  const call = {
    server: serverId,
    tool: tool.name,
    arguments: escapeVariables(toSkeleton(tool.inputSchema)),
  };
  const body = JSON.stringify(call, undefined, 2).replaceAll('\n', '\n    ');
  return [
    line(l10n.t('Tool calls. Run one with the link above it, or with Ctrl+Enter.'), ''),
    '{\n',
    '  "calls": {\n',
    line(l10n.t('A name that you choose. Later calls in this file can use its result:'), '    '),
    line('"${calls.first.structuredContent./pointer}", "${calls.first.content./0/text}"', '    '),
    line(l10n.t('Other variables for the strings in arguments:'), '    '),
    line(
      '${env:NAME} ${input:name} ${var:name} ${workspaceFolder} ${file} ${selectedText}',
      '    ',
    ),
    `    "first": ${body},\n`,
    line(l10n.t('Add "expect" to make a call pass or fail:'), '    '),
    line('"expect": { "values": { "/content/0/type": "text" } }', '    '),
    '  }\n',
    '}\n',
  ].join('');
}

function line(text: string, indent: string): string {
  return `${indent}// ${text}\n`;
}
