import * as vscode from 'vscode';
import { answerOf, createPicker } from './picker';

/** How a question of a sequence ended. Going back keeps the entered value, too. */
export interface StepAnswered<Value> {
  readonly end: Exclude<StepEnd, 'skipped'>;
  readonly value: Value | undefined;
}

interface StepQuestion {
  readonly title: string;
  readonly hasBack: boolean;
  /** Cancelling closes the question. */
  readonly token?: vscode.CancellationToken | undefined;
}

interface LineQuestion extends StepQuestion {
  readonly prompt: string;
  /** Initial value. */
  readonly value?: string;
  readonly isPassword?: boolean;
  /** Returns what is wrong with a text. */
  readonly problemOf?: (text: string) => string | undefined;
}

interface ItemsQuestion extends StepQuestion {
  readonly placeholder: string;
}

/** Position and earlier answer of a question in a sequence. */
export interface StepPosition {
  readonly hasBack: boolean;
  /** The answer before the user went back. */
  readonly value: string | undefined;
}

/**
 * Asks for a value of each key; Back returns to the one before. Resolves with `undefined` if the
 * user cancels.
 */
export async function askValues<Key>(
  keys: readonly Key[],
  askFor: (key: Key, place: StepPosition) => Promise<StepAnswered<string>>,
): Promise<ReadonlyMap<Key, string> | undefined> {
  const values = new Map<Key, string>();
  const turns = keys.map((key) => async (hasBack: boolean) => {
    const { end, value } = await askFor(key, { hasBack, value: values.get(key) });
    if (value !== undefined) values.set(key, value);
    return end;
  });
  return (await askSteps(turns)) === 'next' ? values : undefined;
}

/** Asks for a line of text. */
export function askLine(question: LineQuestion): Promise<StepAnswered<string>> {
  const { prompt, value = '', isPassword = false, problemOf = () => undefined } = question;
  const box = Object.assign(vscode.window.createInputBox(), {
    prompt,
    value,
    password: isPassword,
  });
  const show = (): string | undefined => (box.validationMessage = problemOf(box.value));
  box.onDidChangeValue(show);
  return ask(box, question, { isDone: () => show() === undefined, valueOf: () => box.value });
}

/** Asks for one of the rows. `active` has the focus at first and defaults to the first row. */
export function askItem<Item extends vscode.QuickPickItem>(
  items: readonly Item[],
  { active, ...question }: ItemsQuestion & { readonly active?: Item | undefined },
): Promise<StepAnswered<Item>> {
  const pick = createPicker<Item>({
    placeholder: question.placeholder,
    matchOnDetail: true,
    items,
    // An empty list would remove the focus from the first row.
    ...(active === undefined ? {} : { activeItems: [active] }),
  });
  return ask(pick, question, {
    isDone: () => pick.activeItems.length > 0,
    valueOf: () => pick.activeItems[0],
  });
}

/**
 * Asks which rows are checked. Rows with `picked` are checked initially. Enter takes the checked
 * rows even if it is pressed before the rows are shown; VS Code's own picker would return an empty
 * selection.
 */
export function askItems<Item extends vscode.QuickPickItem>(
  items: readonly Item[],
  question: ItemsQuestion,
): Promise<StepAnswered<readonly Item[]>> {
  const pick = createPicker<Item>({
    placeholder: question.placeholder,
    canSelectMany: true,
    matchOnDescription: true,
    matchOnDetail: true,
    items,
    selectedItems: items.filter(({ picked }) => picked === true),
  });
  return ask(pick, question, { isDone: () => true, valueOf: () => pick.selectedItems });
}

async function ask<Item extends vscode.QuickPickItem, Value>(
  input: vscode.QuickPick<Item> | vscode.InputBox,
  { title, hasBack, token }: StepQuestion,
  { isDone, valueOf }: { isDone: () => boolean; valueOf: () => Value | undefined },
): Promise<StepAnswered<Value>> {
  const buttons = hasBack ? [vscode.QuickInputButtons.Back] : [];
  // The user may look at web pages and files meanwhile.
  Object.assign(input, { title, buttons, ignoreFocusOut: true });
  const end = await answerOf(input, {
    accept: () => (isDone() ? ('next' as const) : undefined),
    button: () => 'back' as const,
    token,
  });
  return { end: end ?? 'cancel', value: valueOf() };
}

/**
 * How a question of a sequence ended. `skipped` means that there was nothing to ask, so Back skips
 * it too.
 */
export type StepEnd = 'next' | 'back' | 'cancel' | 'skipped';

/** Asks one question. `hasBack` is true if there is a question before it. */
export type AskStep = (hasBack: boolean) => Promise<StepEnd>;

interface InTurnOptions {
  /** True if Back at the first question leads to an earlier step. */
  readonly hasBefore?: boolean;
}

/**
 * Asks one question after the other. Back asks the previous question again, which shows its answer.
 * Returns `next` when all are answered, `cancel` as soon as one is closed, and `back` if the user
 * goes back beyond the first.
 */
export async function askSteps(
  steps: readonly AskStep[],
  { hasBefore = false }: InTurnOptions = {},
): Promise<Exclude<StepEnd, 'skipped'>> {
  const asked: number[] = [];
  let index = 0;
  for (;;) {
    const step = steps[index];
    if (step === undefined) return 'next';
    const end = await step(hasBefore || asked.length > 0);
    if (end === 'cancel') return 'cancel';
    if (end === 'next') asked.push(index);
    const before = end === 'back' ? asked.pop() : index + 1;
    if (before === undefined) return 'back';
    index = before;
  }
}
