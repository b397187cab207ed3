import * as vscode from 'vscode';
import { untilRowsShow } from '../editor/untilRowsShow';

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

export interface LineQuestion extends StepQuestion {
  readonly prompt: string;
  /** Initial value. */
  readonly value?: string;
  readonly isPassword?: boolean;
  /** Returns what is wrong with a text. */
  readonly problemOf?: (text: string) => string | undefined;
}

export interface ItemsQuestion extends StepQuestion {
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
  const { problemOf = () => undefined } = question;
  const box = vscode.window.createInputBox();
  box.prompt = question.prompt;
  box.value = question.value ?? '';
  box.password = question.isPassword === true;
  return ask(box, question, {
    valueOf: () => box.value,
    listen: (next) => {
      const show = (): string | undefined => (box.validationMessage = problemOf(box.value));
      box.onDidChangeValue(show);
      box.onDidAccept(() => {
        if (show() === undefined) next();
      });
    },
  });
}

/** Asks for one of the rows. `active` has the focus at first and defaults to the first row. */
export function askItem<Item extends vscode.QuickPickItem>(
  items: readonly Item[],
  { active, ...question }: ItemsQuestion & { readonly active?: Item | undefined },
): Promise<StepAnswered<Item>> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.placeholder = question.placeholder;
  pick.matchOnDetail = true;
  pick.items = items;
  // An empty list would remove the focus from the first row.
  if (active !== undefined) pick.activeItems = [active];
  return ask(pick, question, {
    valueOf: () => pick.activeItems[0],
    listen: (next) => {
      pick.onDidAccept(async () => {
        await untilRowsShow();
        if (pick.activeItems.length > 0) next();
      });
    },
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
  const pick = vscode.window.createQuickPick<Item>();
  pick.placeholder = question.placeholder;
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.items = items;
  pick.selectedItems = items.filter(({ picked }) => picked === true);
  return ask(pick, question, {
    valueOf: () => pick.selectedItems,
    listen: (next) => {
      pick.onDidAccept(async () => {
        await untilRowsShow();
        next();
      });
    },
  });
}

interface StepInput extends vscode.QuickInput {
  buttons: readonly vscode.QuickInputButton[];
  readonly onDidTriggerButton: vscode.Event<vscode.QuickInputButton>;
}

async function ask<Value>(
  input: StepInput,
  { title, hasBack, token }: StepQuestion,
  {
    valueOf,
    listen,
  }: {
    readonly valueOf: () => Value | undefined;
    readonly listen: (next: () => void) => void;
  },
): Promise<StepAnswered<Value>> {
  input.title = title;
  // The user may look at web pages and files meanwhile.
  input.ignoreFocusOut = true;
  input.buttons = hasBack ? [vscode.QuickInputButtons.Back] : [];
  let subscription: vscode.Disposable | undefined;
  try {
    return await new Promise<StepAnswered<Value>>((resolve) => {
      const settle = (end: StepAnswered<Value>['end']): void => resolve({ end, value: valueOf() });
      listen(() => settle('next'));
      input.onDidTriggerButton(() => settle('back'));
      input.onDidHide(() => settle('cancel'));
      if (token?.isCancellationRequested === true) {
        settle('cancel');
        return;
      }
      subscription = token?.onCancellationRequested(() => settle('cancel'));
      input.show();
    });
  } finally {
    subscription?.dispose();
    input.dispose();
  }
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
