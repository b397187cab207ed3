import * as vscode from 'vscode';
import { definitionScheme } from '../../ids';
import {
  changeSentence,
  changeWord,
  skillChangeSentence,
  type ToolChangeKind,
} from '../format/formatToolChange';

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
