import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { toSkeleton } from '../../core/arguments/argumentsSkeleton';
import { escapeVariables } from '../../core/callFiles/callFileVariables';
import type { ToolEntry } from '../../host/connections/snapshot';
import { callFileExtension, commands } from '../../ids';
import { toFileName } from '../editor/fileName';
import { pickTool, type ToolPickerOptions } from '../picking/toolPicker';

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

const maxListed = 1_000;

/** Lets the user choose a call file of the workspace and shows it. */
export async function openCallFile(): Promise<void> {
  const found = await vscode.workspace.findFiles(
    `**/*${callFileExtension}`,
    '**/node_modules/**',
    maxListed,
  );
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

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    // A missing file is the normal case, and a file that cannot be accessed cannot be overwritten
    // either.
    return false;
  }
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
