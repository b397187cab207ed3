import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Draft } from '../../core/arguments/fieldDrafts';

/** A button in the title bar of every question. It leaves the whole sequence. */
export interface ExitButton {
  readonly icon: string;
  readonly tooltip: string;
  /** Says what the button is for. It is shown after the prompt of each question. */
  readonly words?: string;
}

/** A button in the title bar of one question. It takes the text from another source. */
export interface StepOffer {
  readonly icon: string;
  readonly tooltip: string;
  /** Returns an empty list if the user cancels. It may open other pickers. */
  readonly take: () => Promise<readonly string[]>;
}

/** The position of a question in its sequence, and its current value. */
export interface FieldStep {
  readonly title: string;
  /** Its position, counted from 1. Absent if there is only one question. */
  readonly place?: { readonly number: number; readonly count: number };
  readonly draft: Draft | undefined;
  readonly exit?: ExitButton | undefined;
  readonly offers: readonly StepOffer[];
  readonly hasBack: boolean;
  /** Is shown before the prompt of the field. */
  readonly note?: string;
  /** Cancelling closes the question. */
  readonly token?: vscode.CancellationToken;
}

/** `draft` is the value of the field when the question ended. */
export type StepAnswer = { readonly draft: Draft | undefined } & (
  | { readonly kind: 'next' | 'back' | 'exit' | 'cancel' }
  | { readonly kind: 'take'; readonly offer: StepOffer }
);

/** Returns the prompt of a question between its note and the explanation of its exit button. */
export function withNote({ note, exit }: FieldStep, words: string): string {
  const noted = note === undefined ? words : l10n.t('{0} {1}', note, words).trim();
  return [noted, exit?.words ?? ''].filter((part) => part !== '').join(' — ');
}

type StepInput = (
  vscode.InputBox | Pick<vscode.QuickPick<vscode.QuickPickItem>, 'buttons' | 'onDidTriggerButton'>
) &
  vscode.QuickInput;

/** Shows a question with its title and buttons. Hiding it cancels. */
export async function ask(
  input: StepInput,
  step: FieldStep,
  listen: (settle: (kind: 'next') => void) => () => Draft | undefined,
): Promise<StepAnswer> {
  const exit = step.exit && toButton(step.exit);
  const offers = new Map(step.offers.map((offer) => [toButton(offer), offer]));
  input.title = step.title;
  if (step.place !== undefined) {
    input.step = step.place.number;
    input.totalSteps = step.place.count;
  }
  input.ignoreFocusOut = true;
  const back = step.hasBack ? [vscode.QuickInputButtons.Back] : [];
  input.buttons = [...back, ...offers.keys(), ...(exit === undefined ? [] : [exit])];
  let subscription: vscode.Disposable | undefined;
  try {
    return await new Promise<StepAnswer>((resolve) => {
      const settle = (kind: 'next' | 'back' | 'exit' | 'cancel'): void =>
        resolve({ kind, draft: draft() });
      const draft = listen(settle);
      input.onDidTriggerButton((button) => {
        const offer = offers.get(button);
        if (offer !== undefined) resolve({ kind: 'take', offer, draft: draft() });
        else settle(button === exit ? 'exit' : 'back');
      });
      input.onDidHide(() => settle('cancel'));
      if (step.token?.isCancellationRequested === true) {
        settle('cancel');
        return;
      }
      subscription = step.token?.onCancellationRequested(() => settle('cancel'));
      input.show();
    });
  } finally {
    subscription?.dispose();
    input.dispose();
  }
}

function toButton({ icon, tooltip }: ExitButton): vscode.QuickInputButton {
  return { iconPath: new vscode.ThemeIcon(icon), tooltip };
}
