import * as vscode from 'vscode';
import { askInTurn, type StepEnd } from './askInTurn';
import { untilRowsShow } from './untilRowsShow';

/** What a question of several was left with; who goes back leaves what stood in it, too. */
export interface Answered<Value> {
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
  /** What stands in it at first. */
  readonly value?: string;
  readonly isPassword?: boolean;
  /** What is wrong with a text, in words for the person. */
  readonly problemOf?: (text: string) => string | undefined;
}

export interface ItemsQuestion extends StepQuestion {
  readonly placeholder: string;
}

/** Where one of several questions stands. */
export interface AskedPlace {
  readonly hasBack: boolean;
  /** What was answered before the person went back. */
  readonly value: string | undefined;
}

/** Asks for a value of each, back and forth; `undefined` as soon as the person leaves. */
export async function askValues<Key>(
  keys: readonly Key[],
  askFor: (key: Key, place: AskedPlace) => Promise<Answered<string>>,
): Promise<ReadonlyMap<Key, string> | undefined> {
  const values = new Map<Key, string>();
  const turns = keys.map((key) => async (hasBack: boolean) => {
    const { end, value } = await askFor(key, { hasBack, value: values.get(key) });
    if (value !== undefined) values.set(key, value);
    return end;
  });
  return (await askInTurn(turns)) === 'next' ? values : undefined;
}

/** Asks for a line of text. */
export function askLine(question: LineQuestion): Promise<Answered<string>> {
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

/** Asks for one of the rows; `active` has the focus at first. Default: the first. */
export function askItem<Item extends vscode.QuickPickItem>(
  items: readonly Item[],
  { active, ...question }: ItemsQuestion & { readonly active?: Item | undefined },
): Promise<Answered<Item>> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.placeholder = question.placeholder;
  pick.matchOnDetail = true;
  pick.items = items;
  // None at all would leave the first row without the focus.
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
 * Asks which rows stay checked, of which those with `picked` are so from the beginning. Enter takes
 * what is checked also when it is pressed before the rows are there: VS Code's own picker would take
 * it for a wish to have none of them.
 */
export function askItems<Item extends vscode.QuickPickItem>(
  items: readonly Item[],
  question: ItemsQuestion,
): Promise<Answered<readonly Item[]>> {
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
): Promise<Answered<Value>> {
  input.title = title;
  // Whoever adds something looks at pages and files meanwhile.
  input.ignoreFocusOut = true;
  input.buttons = hasBack ? [vscode.QuickInputButtons.Back] : [];
  let subscription: vscode.Disposable | undefined;
  try {
    return await new Promise<Answered<Value>>((resolve) => {
      const settle = (end: Answered<Value>['end']): void => resolve({ end, value: valueOf() });
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
