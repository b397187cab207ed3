import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { extensionId, internalCommands, picksToolKey } from '../../ids';
import { labelText } from '../format/labelText';

/** Creates a picker with these texts, rows and switches. Rows come before those that are active. */
export function createPicker<Item extends vscode.QuickPickItem>(
  look: Partial<vscode.QuickPick<Item>>,
): vscode.QuickPick<Item> {
  return Object.assign(vscode.window.createQuickPick<Item>(), look);
}

const maxTypedChars = 100;

type AnsweredInput<Item extends vscode.QuickPickItem> = vscode.QuickPick<Item> | vscode.InputBox;

/** Returns the answer to an action of the user. `undefined` leaves the input open. */
interface InputAnswers<Item extends vscode.QuickPickItem, Answer> {
  /** Enter. In a picker `activeItems` and `selectedItems` are those that the user sees. */
  readonly accept: () => Answer | undefined;
  /** A button in the title bar. */
  readonly button?: (button: vscode.QuickInputButton) => Answer | undefined;
  /** A button of a row. */
  readonly itemButton?: (item: Item) => Answer | undefined;
  /** Cancelling closes the input. */
  readonly token?: vscode.CancellationToken | undefined;
  /** An early Enter waits for it. Resolves when the picker has its rows. */
  readonly filled?: Promise<void>;
  /** Another key that answers like Enter. */
  readonly otherKey?: { readonly key: OtherKey; readonly press: () => Answer | undefined };
  /** True if the caller disposes of the input. */
  readonly staysOpen?: boolean;
}

let openInputs = 0;

/** Returns true while an input of {@link answerOf} is open, which closes if it loses the focus. */
export function isInputOpen(): boolean {
  return openInputs > 0;
}

function rowsOf(input: AnsweredInput<vscode.QuickPickItem>): readonly unknown[] | undefined {
  return 'items' in input ? input.items : undefined;
}

/**
 * Shows `input` until it is answered. Resolves with `undefined` when it is closed. An Enter before
 * that counts, because a click after it closes the input before the window has answered, but not in
 * rows that follow the typed text: it is unknown which of them the user saw.
 */
export async function answerOf<Item extends vscode.QuickPickItem, Answer>(
  input: AnsweredInput<Item>,
  answers: InputAnswers<Item, Answer>,
): Promise<Answer | undefined> {
  const { filled, itemButton, otherKey, token } = answers;
  const subscriptions: vscode.Disposable[] = [];
  const rows = rowsOf(input);
  openInputs += 1;
  try {
    return await new Promise<Answer | undefined>((resolve, reject) => {
      const settle = (answer: Answer | undefined): void => {
        if (answer !== undefined) resolve(answer);
      };
      let answering: Promise<void> | undefined;
      const onceShown = async (answer: () => Answer | undefined): Promise<void> => {
        try {
          await filled;
          if ('items' in input) await untilRowsShow();
          settle(answer());
        } catch (error) {
          reject(error);
        }
      };
      const onHide = async (): Promise<void> => {
        if (filled === undefined && rowsOf(input) === rows) await answering;
        resolve(undefined);
      };
      filled?.catch(reject);
      subscriptions.push(
        input.onDidAccept(() => (answering = onceShown(answers.accept))),
        input.onDidTriggerButton((button) => settle(answers.button?.(button))),
        input.onDidHide(onHide),
      );
      if ('items' in input && itemButton !== undefined) {
        subscriptions.push(input.onDidTriggerItemButton(({ item }) => settle(itemButton(item))));
      }
      if (otherKey !== undefined) {
        subscriptions.push(otherKey.key.listen(() => onceShown(otherKey.press)));
      }
      if (token?.isCancellationRequested === true) return resolve(undefined);
      if (token) subscriptions.push(token.onCancellationRequested(() => resolve(undefined)));
      return input.show();
    });
  } finally {
    openInputs -= 1;
    for (const subscription of subscriptions) subscription.dispose();
    if (answers.staysOpen !== true) input.dispose();
  }
}

/** A row with an optional choice. Rows without one are information only. */
export interface ChoiceItem<Choice> extends vscode.QuickPickItem {
  readonly choice?: Choice;
  /** Choice of its button, and of a second key beside Enter. Without it the key takes `choice`. */
  readonly other?: Choice;
}

/** Returns the row of a picker that finds nothing for the typed text. */
export function noMatchItem(typed: string): ChoiceItem<never> {
  const label = l10n.t('Nothing matches “{0}”', labelText(typed.trim(), maxTypedChars));
  return { label, iconPath: new vscode.ThemeIcon('info'), alwaysShow: true };
}

/** Shows `pick` until a row with a choice, or the button of a row, is chosen. */
export async function chosenItem<Choice>(
  pick: vscode.QuickPick<ChoiceItem<Choice>>,
  options: Pick<InputAnswers<never, Choice>, 'button' | 'filled' | 'staysOpen' | 'token'> = {},
  otherKey?: OtherKey,
): Promise<Choice | undefined> {
  const press = (): Choice | undefined => pick.activeItems[0]?.other ?? pick.activeItems[0]?.choice;
  return answerOf(pick, {
    ...options,
    accept: () => pick.activeItems[0]?.choice,
    itemButton: ({ other }) => other,
    ...(otherKey === undefined ? {} : { otherKey: { key: otherKey, press } }),
  });
}

/** Reports a key that VS Code does not pass on to quick picks. */
export interface OtherKey {
  readonly listen: (press: () => unknown) => vscode.Disposable;
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

/** No `when` clause reads this key; it only makes the window answer. */
const rowsShowKey = `${extensionId}.drawn`;

/**
 * Resolves when the window shows the rows that were just set on a quick pick, so that `activeItems`
 * is one of them. VS Code reports the active row only by its index. While rows that follow the
 * typed text are on their way, it is the index in the previous rows.
 *
 * An Enter that waits for this takes the row that it would take a moment later.
 */
export async function untilRowsShow(): Promise<void> {
  // VS Code sends the changes of a quick pick after the current event loop turn.
  await new Promise((resolve) => setTimeout(resolve, 0));
  // A window answers in order, so everything sent before this has been drawn.
  await vscode.commands.executeCommand('setContext', rowsShowKey, true);
}
