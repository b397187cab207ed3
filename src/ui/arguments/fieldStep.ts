import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Draft } from '../../core/arguments/fieldDrafts';

/** A button in the title bar of every question that leaves them all. */
export interface ExitButton {
  readonly icon: string;
  readonly tooltip: string;
  /** What it is needed for, said after the words of each question. */
  readonly words?: string;
}

/** A button in the title bar of one question that fetches its text from elsewhere. */
export interface StepOffer {
  readonly icon: string;
  readonly tooltip: string;
  /** Nothing when the person changed their mind. Other pickers may open for it. */
  readonly take: () => Promise<readonly string[]>;
}

/** Where in the row of questions one stands, and what stands in it already. */
export interface FieldStep {
  readonly title: string;
  /** Which of how many, from 1; absent where there is only one. */
  readonly place?: { readonly number: number; readonly count: number };
  readonly draft: Draft | undefined;
  readonly exit: ExitButton;
  readonly offers: readonly StepOffer[];
  readonly hasBack: boolean;
  /** Said before the words of the field. */
  readonly note?: string;
  /** Cancelling closes the question. */
  readonly token?: vscode.CancellationToken;
}

/** `draft` is what stood in the field when the person went on, back, or away. */
export type StepAnswer = { readonly draft: Draft | undefined } & (
  | { readonly kind: 'next' | 'back' | 'exit' | 'cancel' }
  | { readonly kind: 'take'; readonly offer: StepOffer }
);

/** The words of a question between its note and what its exit is needed for. */
export function withNote({ note, exit }: FieldStep, words: string): string {
  const noted = note === undefined ? words : l10n.t('{0} {1}', note, words).trim();
  return [noted, exit.words ?? ''].filter((part) => part !== '').join(' — ');
}

type StepInput = (
  vscode.InputBox | Pick<vscode.QuickPick<vscode.QuickPickItem>, 'buttons' | 'onDidTriggerButton'>
) &
  vscode.QuickInput;

/** What all kinds of question have in common: title, buttons, and that hiding means cancel. */
export async function ask(
  input: StepInput,
  step: FieldStep,
  listen: (settle: (kind: 'next') => void) => () => Draft | undefined,
): Promise<StepAnswer> {
  const exit = toButton(step.exit);
  const offers = new Map(step.offers.map((offer) => [toButton(offer), offer]));
  input.title = step.title;
  if (step.place !== undefined) {
    input.step = step.place.number;
    input.totalSteps = step.place.count;
  }
  input.ignoreFocusOut = true;
  const back = step.hasBack ? [vscode.QuickInputButtons.Back] : [];
  input.buttons = [...back, ...offers.keys(), exit];
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
