import * as vscode from 'vscode';
import { untilRowsShow } from '../editor/untilRowsShow';
import { internalCommands, picksToolKey } from '../../ids';

/** A row with an optional choice. Rows without one are information only. */
export interface ChoiceItem<Choice> extends vscode.QuickPickItem {
  readonly choice?: Choice;
  /** Choice of its button, and of a second key beside Enter. Without it the key takes `choice`. */
  readonly other?: Choice;
}

/**
 * Shows `pick` until a row with a choice is accepted or the picker is closed, and disposes of it.
 * An early Enter waits for `filled`, which resolves when the picker has its rows. By default it has
 * them already.
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

/** Reports a key that VS Code does not pass on to quick picks. */
export interface OtherKey {
  readonly listen: (press: () => unknown) => vscode.Disposable;
}

/** Like chosenItem(), but leaves the picker open after a choice. */
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

/** Ctrl+Enter in a picker of tools. VS Code reports only Enter to a quick pick. */
export class LastArgumentsKey implements OtherKey {
  #press: (() => unknown) | undefined;

  register(): vscode.Disposable {
    return vscode.commands.registerCommand(internalCommands.runWithLast, () => this.#press?.());
  }

  /** Runs `press` on the key until the result is disposed of. */
  listen(press: () => unknown): vscode.Disposable {
    this.#press = press;
    setKey(true);
    return new vscode.Disposable(() => {
      if (this.#press !== press) return;
      this.#press = undefined;
      setKey(false);
    });
  }
}

function setKey(isPicking: boolean): void {
  void vscode.commands.executeCommand('setContext', picksToolKey, isPicking);
}
