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
  filled?: Promise<void>,
): Promise<Choice | undefined> {
  try {
    return await nextChoice(pick, filled);
  } finally {
    pick.dispose();
  }
}

/** The same, and leaves it open after a choice. */
export async function nextChoice<Choice>(
  pick: vscode.QuickPick<ChoiceItem<Choice>>,
  filled: Promise<void> = Promise.resolve(),
): Promise<Choice | undefined> {
  const subscriptions: vscode.Disposable[] = [];
  try {
    return await new Promise<Choice | undefined>((resolve, reject) => {
      filled.catch(reject);
      const accepted = pick.onDidAccept(async () => {
        await filled.catch(() => undefined);
        await untilRowsShow();
        const choice = pick.activeItems[0]?.choice;
        if (choice !== undefined) resolve(choice);
      });
      subscriptions.push(
        accepted,
        pick.onDidHide(() => resolve(undefined)),
      );
      pick.show();
    });
  } finally {
    for (const subscription of subscriptions) subscription.dispose();
  }
}
