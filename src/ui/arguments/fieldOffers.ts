import * as l10n from '@vscode/l10n';
import path from 'node:path';
import * as vscode from 'vscode';
import { fieldSources, takesUri, type FieldSource } from '../../core/arguments/contentFields';
import { assertNever } from '../../core/errors';
import { type FormField, toFieldText } from '../../core/arguments/inputField';
import { escapeIcons } from '../../core/visibleText';
import type { StepOffer } from './fieldStep';
import type { AnswerValue } from '../../host/history/answerValues';
import { formatUptime } from '../format/formatTime';
import { quoted } from '../format/sentences';
import { quickInputText } from './formatField';
import { notify } from '../editor/messages';

/** Longer lists are not useful in a picker. */
const maxOpenFiles = 100;

/** Returns the buttons for the sources that suit the field and have something to offer. */
export function fieldOffers(field: FormField): readonly StepOffer[] {
  return fieldSources(field).flatMap((source) => offerOf(field, source) ?? []);
}

function offerOf(field: FormField, source: FieldSource): StepOffer | undefined {
  const editor = vscode.window.activeTextEditor;
  switch (source) {
    case 'file': {
      const tooltip = l10n.t('Choose a File…');
      return { icon: 'file', tooltip, take: () => pickPaths(field, 'file', tooltip) };
    }
    case 'openFile': {
      const items = openFiles(field);
      if (items.length === 0) return undefined;
      const tooltip = l10n.t('Use an Open File…');
      return { icon: 'files', tooltip, take: () => takeOne(items, tooltip) };
    }
    case 'folder': {
      const tooltip = l10n.t('Choose a Folder…');
      return { icon: 'folder', tooltip, take: () => pickPaths(field, 'folder', tooltip) };
    }
    case 'selection': {
      if (editor === undefined || editor.selection.isEmpty) return undefined;
      const { document, selection } = editor;
      const tooltip = l10n.t('Use the Selection');
      return { icon: 'selection', tooltip, take: () => textOf(document, selection) };
    }
    case 'fileText': {
      if (editor === undefined || editor.document.uri.scheme === 'output') return undefined;
      const { document } = editor;
      const tooltip = l10n.t('Use the Text of the Active Editor');
      return { icon: 'file-code', tooltip, take: () => textOf(document) };
    }
    default:
      return assertNever(source);
  }
}

async function textOf(
  document: vscode.TextDocument,
  range?: vscode.Range,
): Promise<readonly string[]> {
  const text = document.getText(range);
  if (text.length <= maxTextChars) return [text];
  notifyTooLarge();
  return [];
}

/** Returns absolute local paths or URIs, as the field expects. */
async function pickPaths(
  field: FormField,
  what: 'file' | 'folder',
  title: string,
): Promise<readonly string[]> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const picked = await vscode.window.showOpenDialog({
    title,
    canSelectFiles: what === 'file',
    canSelectFolders: what === 'folder',
    canSelectMany: field.kind === 'list',
    ...(folder === undefined ? {} : { defaultUri: folder.uri }),
  });
  return (picked ?? []).map((uri) => (takesUri(field) ? uri.toString() : uri.fsPath));
}

/** Returns the files that are open in editors, the active one first, as the field expects. */
function openFiles(
  field: FormField,
): readonly { label: string; description: string; text: string }[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const inFront = [vscode.window.tabGroups.activeTabGroup.activeTab, ...tabs];
  const uris = new Map<string, vscode.Uri>();
  for (const tab of inFront) {
    const input: unknown = tab?.input;
    if (!(input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom)) continue;
    if (input.uri.scheme === 'file') uris.set(input.uri.toString(), input.uri);
  }
  return [...uris.values()].slice(0, maxOpenFiles).map((uri) => ({
    label: escapeIcons(path.basename(uri.fsPath)),
    description: escapeIcons(vscode.workspace.asRelativePath(uri)),
    text: takesUri(field) ? uri.toString() : uri.fsPath,
  }));
}

const maxValueChars = 80;

interface TextItem extends vscode.QuickPickItem {
  readonly text: string;
}

/** Offers the values that the same server returned under the name of the field. */
export function answerOffers(
  field: FormField,
  values: readonly AnswerValue[],
  now = Date.now(),
): readonly StepOffer[] {
  const line = field.kind === 'list' ? field.item : field;
  if (line.kind === 'choice' || line.kind === 'many' || line.isSecret === true) return [];
  const items = values.flatMap(({ value, toolTitle, at }): TextItem[] => {
    // A number for a text field is written as text.
    const text = toFieldText(line, line.kind === 'string' ? String(value) : value);
    if (text === undefined) return [];
    const ago = formatUptime(now - at);
    const description = l10n.t('from “{0}”, {1} ago', quoted(toolTitle), ago);
    return [{ label: quickInputText(text, maxValueChars), description, text }];
  });
  if (items.length === 0) return [];
  const tooltip = l10n.t('Use a Value from a Result…');
  return [{ icon: 'history', tooltip, take: () => takeOne(items, tooltip) }];
}

/** Returns an empty list if the user cancels. */
async function takeOne(items: readonly TextItem[], title: string): Promise<readonly string[]> {
  const options = { title, matchOnDescription: true };
  const picked = await vscode.window.showQuickPick(items, options);
  return picked === undefined ? [] : [picked.text];
}

/** Longer texts are not sent from an editor. */
export const maxTextChars = 1_000_000;

export function notifyTooLarge(): undefined {
  notify('warning', l10n.t('Too large to send from here: more than 1,000,000 characters.'));
}
