import * as vscode from 'vscode';
import { definitionScheme } from '../../ids';

const authority = 'disabled';

/** By which VS Code finds that a row of the tree is to be drawn grey. */
export const disabledUri = vscode.Uri.from({ scheme: definitionScheme, authority, path: '/' });

/** A row has no colour of its own; the words beside its name say the same. */
export function registerDisabledDecorations(): vscode.Disposable {
  return vscode.window.registerFileDecorationProvider({
    provideFileDecoration: (uri) => {
      if (uri.scheme !== definitionScheme || uri.authority !== authority) return undefined;
      const color = new vscode.ThemeColor('disabledForeground');
      return new vscode.FileDecoration(undefined, undefined, color);
    },
  });
}
