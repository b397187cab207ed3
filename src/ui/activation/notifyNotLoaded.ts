import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

/** Says that the extension does not work in this window, and what most likely helps. */
export function notifyNotLoaded(error: unknown): void {
  const reload = l10n.t('Reload Window');
  const sentence = l10n.t(
    'Toolgate could not be loaded, perhaps because it was updated. Reload the window. ({0})',
    String(error),
  );
  void vscode.window.showErrorMessage(sentence, reload).then((picked) => {
    if (picked === reload) void vscode.commands.executeCommand('workbench.action.reloadWindow');
  });
}
