import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type Draft, isEnteredText } from '../../core/arguments/fieldDrafts';
import type { TextField } from '../../core/arguments/inputField';
import { answerOf, createPicker } from '../editor/picker';
import { Completions, type Complete } from './completions';
import { fieldPrompt, quickInputText } from './formatField';

/** A button in the title bar of every question. It leaves the whole sequence. */
export interface ExitButton {
  readonly icon: string;
  readonly tooltip: string;
  /** Says what the button is for. It is shown after the prompt of each question. */
  readonly text?: string;
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
export function withNote({ note, exit }: FieldStep, text: string): string {
  const noted = note === undefined ? text : l10n.t('{0} {1}', note, text).trim();
  return [noted, exit?.text ?? ''].filter((part) => part !== '').join(' — ');
}

/** Shows a question with its title and buttons. Hiding it cancels. */
export async function ask<Item extends vscode.QuickPickItem>(
  input: vscode.InputBox | vscode.QuickPick<Item>,
  step: FieldStep,
  { isDone, draft }: { isDone: () => boolean; draft: () => Draft | undefined },
): Promise<StepAnswer> {
  const exit = step.exit && toButton(step.exit);
  const offers = new Map(step.offers.map((offer) => [toButton(offer), offer]));
  const back = step.hasBack ? [vscode.QuickInputButtons.Back] : [];
  Object.assign(input, {
    title: step.title,
    step: step.place?.number,
    totalSteps: step.place?.count,
    ignoreFocusOut: true,
    buttons: [...back, ...offers.keys(), ...(exit === undefined ? [] : [exit])],
  });
  const answer = await answerOf<Item, StepAnswer>(input, {
    accept: () => (isDone() ? { kind: 'next', draft: draft() } : undefined),
    button: (button) => {
      const offer = offers.get(button);
      if (offer !== undefined) return { kind: 'take', offer, draft: draft() };
      return { kind: button === exit ? 'exit' : 'back', draft: draft() };
    },
    token: step.token,
  });
  return answer ?? { kind: 'cancel', draft: draft() };
}

function toButton({ icon, tooltip }: ExitButton): vscode.QuickInputButton {
  return { iconPath: new vscode.ThemeIcon(icon), tooltip };
}

/** How the text of a field is completed. */
export interface FieldCompletion {
  readonly complete: Complete;
  /** Returns what a text leads to, for its row. */
  readonly describe?: (text: string) => string;
}

interface TextItem extends vscode.QuickPickItem {
  readonly text?: string;
}

const maxChars = 300;

/** Asks for one line. The typed text is the first row, and the server's completions follow. */
export async function askCompleted(
  field: TextField,
  step: FieldStep,
  problemOf: (text: string) => string | undefined,
  { complete, describe }: FieldCompletion,
): Promise<StepAnswer> {
  const pick = textPick(field, step);
  const isUsable = (text: string) => !isMissing(field, text) && problemOf(text) === undefined;
  const completions = new Completions(complete, () => show());
  const show = (): void => {
    const texts = [pick.value, ...completions.current.values].filter(isUsable);
    pick.busy = completions.isBusy;
    pick.items = [
      ...[...new Set(texts)].map((text) => textItem(text, describe)),
      ...(completions.current.hasMore ? [moreItem()] : []),
    ];
  };
  let chosen: string | undefined;
  pick.onDidChangeValue((text) => {
    completions.typed(text);
    show();
  });
  const isDone = (): boolean => {
    const text = pick.activeItems[0]?.text ?? pick.value;
    pick.prompt = problemOf(text) ?? withNote(step, '');
    if (isUsable(text)) chosen = text;
    return chosen !== undefined;
  };
  void completions.ask(pick.value);
  try {
    return await ask(pick, step, { isDone, draft: () => chosen ?? pick.value });
  } finally {
    completions.dispose();
  }
}

function isMissing({ required }: TextField, text: string): boolean {
  return required && text === '';
}

function textPick(field: TextField, step: FieldStep): vscode.QuickPick<TextItem> {
  const { draft } = step;
  return createPicker<TextItem>({
    value: isEnteredText(draft) ? draft.text : typeof draft === 'string' ? draft : '',
    placeholder: fieldPrompt(field),
    prompt: withNote(step, ''),
  });
}

function textItem(text: string, describe: FieldCompletion['describe']): TextItem {
  return {
    label: text === '' ? l10n.t('(leave out)') : plain(text),
    description: plain(describe?.(text) ?? ''),
    text,
    alwaysShow: true,
  };
}

function moreItem(): TextItem {
  return {
    label: l10n.t('More values: type to find them'),
    kind: vscode.QuickPickItemKind.Separator,
  };
}

function plain(text: string): string {
  return quickInputText(text, maxChars);
}
