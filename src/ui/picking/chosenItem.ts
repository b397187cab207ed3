import type * as vscode from 'vscode';
import { untilRowsShow } from './untilRowsShow';

/** A row that may stand for a choice; others are only there to be read. */
export interface ChoiceItem<Choice> extends vscode.QuickPickItem {
  readonly choice?: Choice;
}

/** Shows `pick` until a row with a choice is accepted, or it is closed; takes it away after that. */
export async function chosenItem<Choice>(
  pick: vscode.QuickPick<ChoiceItem<Choice>>,
): Promise<Choice | undefined> {
  try {
    return await new Promise<Choice | undefined>((resolve) => {
      pick.onDidAccept(async () => {
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
