import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  addCalls,
  namesOf,
  noCalls,
  type AddedCall,
  type UsedNames,
} from '../../core/callFiles/addCalls';
import { escapeVariables } from '../../core/callFiles/callFileVariables';
import type { JsonObject } from '../../core/json/jsonValue';
import { toCallFileText, toFileCall, type CopiedCall } from '../../host/callFiles/callCopies';
import { replaceMarkers } from '../../host/history/storedArguments';
import type { PastCall } from '../../host/history/pastCall';
import { callFileExtension } from '../../ids';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { openCallFiles } from './callFileDocuments';
import { openNewCallFile } from './newCallFile';
import { freeName } from '../../core/nearestName';

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
  const written = replaceMarkers(escaped, (key) => {
    const name = freeName(/^[\w-]+$/.test(key) ? key : 'secret', used);
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
    notify('warning', l10n.t('Nothing was added because “{0}” has problems.', file));
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
  if (isSaved) await document.save();
}

async function pickFile(): Promise<vscode.Uri | 'new' | undefined> {
  const pattern = `**/*${callFileExtension}`;
  const found = await vscode.workspace.findFiles(pattern, '**/node_modules/**', maxListed);
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
