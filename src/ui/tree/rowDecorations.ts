import * as l10n from '@vscode/l10n';
import {
  type Disposable,
  FileDecoration,
  ThemeColor,
  ThemeIcon,
  type TreeItem,
  Uri,
  window,
} from 'vscode';
import * as vscode from 'vscode';
import { contextValues, definitionScheme } from '../../ids';
import {
  changeSentence,
  changeWord,
  skillChangeSentence,
  type ToolChangeKind,
} from '../format/formatToolChange';

const colors = new Map([
  ['disabled', 'disabledForeground'],
  ['last-known', 'descriptionForeground'],
]);

/** URI that marks a tree row as disabled, so that VS Code draws it grey. */
export const disabledUri = markerUri('disabled');
const lastKnownUri = markerUri('last-known');

function markerUri(authority: string): Uri {
  return Uri.from({ scheme: definitionScheme, authority, path: '/' });
}

/**
 * Greys out a tool that comes from the last known list of its server, and says so in its
 * description.
 */
export function markLastKnown(item: TreeItem): void {
  const message = l10n.t('last known');
  item.description = [item.description, message].filter(Boolean).join(' · ');
  item.resourceUri = lastKnownUri;
  if (item.iconPath instanceof ThemeIcon) {
    item.iconPath = new ThemeIcon(item.iconPath.id, new ThemeColor('descriptionForeground'));
  }
  if (item.contextValue === contextValues.tool) item.contextValue = contextValues.lastKnownTool;
  const { label = '' } = item.accessibilityInformation ?? {};
  item.accessibilityInformation = { label: [label, message].filter(Boolean).join(', ') };
}

/**
 * A tree row has no colour of its own, so a file decoration provides it. The description says the
 * same in words.
 */
export function registerRowDecorations(): Disposable {
  return window.registerFileDecorationProvider({
    provideFileDecoration: ({ scheme, authority }) => {
      const color = scheme === definitionScheme ? colors.get(authority) : undefined;
      if (color === undefined) return undefined;
      return new FileDecoration(undefined, undefined, new ThemeColor(color));
    },
  });
}

const kinds: readonly ToolChangeKind[] = ['new', 'changed', 'gone'];

const authority = 'mark';

/**
 * Returns the URI by which VS Code decorates a tree row, because its text may not fit in the
 * sidebar.
 */
export function markUri(kind: ToolChangeKind, query: 'tool' | 'skill' = 'tool'): vscode.Uri {
  return vscode.Uri.from({ scheme: definitionScheme, authority, path: `/${kind}`, query });
}

/** Shows a letter at the end of the row and a colour, as for changed files. */
export function registerToolChangeDecorations(): vscode.Disposable {
  return vscode.window.registerFileDecorationProvider({
    provideFileDecoration: (uri) => {
      if (uri.scheme !== definitionScheme || uri.authority !== authority) return undefined;
      const kind = kinds.find((each) => uri.path === `/${each}`);
      if (kind === undefined) return undefined;
      return toDecoration(kind, uri.query === 'skill' ? skillChangeSentence : changeSentence);
    },
  });
}

function toDecoration(
  kind: ToolChangeKind,
  sentence: (kind: ToolChangeKind) => string,
): vscode.FileDecoration {
  const color = {
    new: 'gitDecoration.addedResourceForeground',
    changed: 'gitDecoration.modifiedResourceForeground',
    gone: 'gitDecoration.deletedResourceForeground',
  }[kind];
  const letter = changeWord(kind).charAt(0).toUpperCase();
  return new vscode.FileDecoration(letter, sentence(kind), new vscode.ThemeColor(color));
}
