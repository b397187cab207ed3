import type * as vscode from 'vscode';
import { untilRowsShow } from './untilRowsShow';

/** A row that may stand for a choice; others are only there to be read. */
export interface ChoiceItem<Choice> extends vscode.QuickPickItem {
  readonly choice?: Choice;
}

/**
 * Shows `pick` until a row with a choice is accepted, or it is closed; takes it away after that.
 * `filled`: when it has its rows, for which an early Enter waits. Default: it has them.
 */
export async function chosenItem<Choice>(
  pick: vscode.QuickPick<ChoiceItem<Choice>>,
  filled: Promise<void> = Promise.resolve(),
): Promise<Choice | undefined> {
  try {
    return await new Promise<Choice | undefined>((resolve, reject) => {
      filled.catch(reject);
      pick.onDidAccept(async () => {
        await filled.catch(() => undefined);
        await untilRowsShow();
        const choice = pick.activeItems[0]?.choice;
        if (choice !== undefined) resolve(choice);
      });
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}
