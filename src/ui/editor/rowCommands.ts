import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { notify } from './messages';

/**
 * Registers a command that rows have as a button or in their menu, and that acts without a question
 * if it gets no row. VS Code passes a row by a handle that is unknown from a refresh until the page
 * requests the rows again, and then passes `undefined`. It does not tell which row was pressed, and
 * a button does not select its row, so the user has to press again.
 */
export function registerRowCommand(
  command: string,
  run: (argument: unknown, more: unknown) => unknown,
): vscode.Disposable {
  return vscode.commands.registerCommand(command, (...given: unknown[]) => {
    if (!isLostRow(given)) return run(given[0], given[1]);
    notify(
      'information',
      l10n.t('Nothing was done, because the row was just being updated. Try again.'),
    );
    return undefined;
  });
}

/** Menus of rows pass two arguments: the row, and all selected rows if it is one of several. */
function isLostRow(given: readonly unknown[]): boolean {
  const [row, selected] = given;
  return (
    given.length > 1 && row === undefined && (selected === undefined || Array.isArray(selected))
  );
}
