import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../core/visibleText';
import type { ServerDraft } from '../../host/adding/draft';
import { type RecognizedText, isRepository, recognize } from '../../host/adding/recognize';
import { jsonTree } from '../../host/configuration/jsonTree';
import { commands } from '../../ids';
import { jsonSyntaxSentence } from '../../texts/configProblems';
import { chosenItem, createPicker, type ChoiceItem } from '../editor/picker';
import { quoted } from '../format/sentences';
import { addDrafts, type AddFlowOptions } from './addFlow';
import { formatRecognised, transportLine, recognisedIcon } from './formatDraft';

/** Users' configuration files are much smaller, and the text is parsed while they type. */
const maxClipboardChars = 1024 * 1024;

/** Asks for the server to add, starting with the clipboard, and runs the steps. */
export async function addServer(options: AddFlowOptions): Promise<void> {
  const copied = await vscode.env.clipboard.readText();
  const clipboard = copied.length > maxClipboardChars ? '' : copied;
  let typed = '';
  for (;;) {
    const pasted = await askForServer(clipboard, typed);
    if (pasted?.kind === 'command') await vscode.commands.executeCommand(pasted.command);
    if (pasted?.kind !== 'drafts') return;
    ({ typed } = pasted);
    if ((await addDrafts(pasted.drafts, options, { hasBefore: true })) !== 'back') return;
  }
}

/** The user's choice: servers to continue with, or a command for something else. */
type PastedChoice =
  | {
      readonly kind: 'drafts';
      readonly drafts: readonly ServerDraft[];
      /** The text in the box. */
      readonly typed: string;
    }
  | { readonly kind: 'command'; readonly command: string };

type PasteItem = ChoiceItem<PastedChoice>;

/**
 * Asks for a server in any form and recognizes the text while the user types or pastes. It offers
 * the clipboard, because the copied text is usually the wanted one, and an input box removes the
 * line breaks of pasted text. `typed` is the initial text. Returns `undefined` if the box is
 * closed.
 */
async function askForServer(clipboard: string, typed = ''): Promise<PastedChoice | undefined> {
  const itemsFor = (value: string): PasteItem[] =>
    value.trim() === '' ? beginning(clipboard) : recognised(value, clipboard);
  const pick = createPicker<PasteItem>({
    title: l10n.t('Add Server'),
    placeholder: l10n.t('Command line, URL, JSON, package or image'),
    ignoreFocusOut: true,
    value: typed,
    items: itemsFor(typed),
  });
  pick.onDidChangeValue((value) => (pick.items = itemsFor(value)));
  return chosenItem(pick);
}

function beginning(clipboard: string): PasteItem[] {
  const fromClipboard = recognize(clipboard)
    .filter((found) => isMeant(found, clipboard))
    .map((found) => toItem(found, ''));
  return [
    ...(fromClipboard.length === 0
      ? []
      : [separator(l10n.t('From the Clipboard')), ...fromClipboard]),
    separator(l10n.t('Other places')),
    command(
      'cloud-download',
      l10n.t('Import from Another Client…'),
      l10n.t('Servers of Claude, Cursor, Windsurf and other clients on this machine'),
      commands.importServers,
    ),
    command(
      'beaker',
      l10n.t('Demo Server'),
      l10n.t('Comes with Toolgate; good for a first try'),
      commands.addDemoServer,
    ),
    command(
      'go-to-file',
      l10n.t('Open Server Configuration'),
      l10n.t('Write the entry yourself'),
      commands.openServerConfiguration,
    ),
  ];
}

const runners =
  /^(?:npx|bunx|pnpm|bun|node|deno|uvx|uv|pipx|python3?|docker|podman|dnx|dotnet|cmd|bash|sh)$/;

/** A single word or sentence on the clipboard is hardly a server. */
function isMeant({ kind, drafts }: RecognizedText, clipboard: string): boolean {
  const text = clipboard.trim();
  if (kind === 'commandLine') {
    return text.includes(' ') && runners.test(drafts[0]?.entry.command ?? '');
  }
  const isPackage = kind === 'npm' || kind === 'pypi' || kind === 'docker' || kind === 'nuget';
  return !isPackage || /\s|:\/\//.test(text);
}

function recognised(value: string, clipboard: string): PasteItem[] {
  const isPasted = clipboard.replaceAll(/[\r\n]+/g, '') === value;
  const given = isPasted ? clipboard : value;
  const found = recognize(given);
  if (found.length > 0) return found.map((each) => toItem(each, value));
  const { error } = /^\s*[[{]/.test(given) ? jsonTree(given) : {};
  if (error?.line !== undefined) {
    const label = l10n.t('Not valid JSON in line {0}', error.line);
    const detail = jsonSyntaxSentence(error.detail) ?? '';
    return [{ label, iconPath: new vscode.ThemeIcon('error'), detail, alwaysShow: true }];
  }
  const nothing = l10n.t('No server was recognized in this text');
  const detail = isRepository(given)
    ? l10n.t('A repository does not say how to start its server. Copy the command from its README.')
    : l10n.t('Enter a URL, a command line with complete quotes, or JSON with "command" or "url".');
  return [{ label: nothing, iconPath: new vscode.ThemeIcon('info'), detail, alwaysShow: true }];
}

function toItem(found: RecognizedText, typed: string): PasteItem {
  const { drafts } = found;
  const names = drafts.flatMap(({ name }) => (name === undefined ? [] : [quoted(name)]));
  const [first] = drafts;
  return {
    label: formatRecognised(found),
    iconPath: recognisedIcon(found),
    description: escapeIcons([...new Set(names)].join(', ')),
    detail: first === undefined || drafts.length > 1 ? '' : escapeIcons(transportLine(first)),
    alwaysShow: true,
    choice: { kind: 'drafts', drafts, typed },
  };
}

function separator(label: string): PasteItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function command(icon: string, label: string, detail: string, id: string): PasteItem {
  const iconPath = new vscode.ThemeIcon(icon);
  return { label, iconPath, detail, choice: { kind: 'command', command: id } };
}
