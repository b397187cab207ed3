import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands, definitionScheme, walkthroughId } from '../../ids';
import { keyboardHelpText } from './keyboardHelpText';
import { showReadable } from './readableDocument';

const authority = 'help';

/**
 * Registers Open Walkthrough, and Keyboard and Screen Reader Help as a read-only document. VS
 * Code's own help on Alt+F1 takes no text from extensions.
 */
export function registerKeyboardHelp(): vscode.Disposable {
  const path = `/${l10n.t('Keyboard and Screen Reader')}.txt`;
  const uri = vscode.Uri.from({ scheme: definitionScheme, authority, path });
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(definitionScheme, {
      provideTextDocumentContent: (of) =>
        of.authority === authority ? keyboardHelpText() : undefined,
    }),
    vscode.commands.registerCommand(commands.showKeyboardHelp, () => showReadable(uri)),
    vscode.commands.registerCommand(commands.openWalkthrough, () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', walkthroughId),
    ),
  );
}
