import type * as vscode from 'vscode';
import { untilRowsShow } from './untilRowsShow';

/** A row that may stand for a choice; others are only there to be read. */
export interface ChoiceItem<Choice> extends vscode.QuickPickItem {
  readonly choice?: Choice;
  /** What its button leads to, and a key beside Enter; the key leads to `choice` without one. */
  readonly other?: Choice;
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

/** Tells of a key that VS Code keeps from pickers. */
export interface OtherKey {
  readonly listen: (press: () => unknown) => vscode.Disposable;
}

/** The same, and leaves it open after a choice. */
export async function nextChoice<Choice>(
  pick: vscode.QuickPick<ChoiceItem<Choice>>,
  filled: Promise<void> = Promise.resolve(),
  otherKey?: OtherKey,
): Promise<Choice | undefined> {
  const subscriptions: vscode.Disposable[] = [];
  try {
    return await new Promise<Choice | undefined>((resolve, reject) => {
      filled.catch(reject);
      const choose = (choice: Choice | undefined): void => {
        if (choice !== undefined) resolve(choice);
      };
      const active = async (): Promise<ChoiceItem<Choice> | undefined> => {
        await filled.catch(() => undefined);
        await untilRowsShow();
        return pick.activeItems[0];
      };
      const pressed = otherKey?.listen(async () => {
        const row = await active();
        choose(row?.other ?? row?.choice);
      });
      if (pressed !== undefined) subscriptions.push(pressed);
      subscriptions.push(
        pick.onDidAccept(async () => choose((await active())?.choice)),
        pick.onDidTriggerItemButton(({ item }) => choose(item.other)),
        pick.onDidHide(() => resolve(undefined)),
      );
      pick.show();
    });
  } finally {
    for (const subscription of subscriptions) subscription.dispose();
  }
}
