import * as vscode from 'vscode';
import type { ChoiceField, ManyField, TextField } from '../../core/arguments/inputField';
import { isPickedOne, type Draft } from './fieldDrafts';
import { choiceLabel, choicePlaceholder, choiceTitle, countWords, fieldPrompt } from './fieldWords';

/** A button in the title bar of every question that leaves them all. */
export interface ExitButton {
  readonly icon: string;
  readonly tooltip: string;
}

/** Where in the row of questions one stands, and what stands in it already. */
export interface Step {
  readonly title: string;
  /** From 1. */
  readonly number: number;
  readonly count: number;
  readonly draft: Draft | undefined;
  readonly exit: ExitButton;
  readonly hasBack: boolean;
  /** Said before the words of the field. */
  readonly note?: string;
  /** Cancelling closes the question. */
  readonly token?: vscode.CancellationToken;
}

/** `draft` is what stood in the field when the person went on, back, or away. */
export interface StepAnswer {
  readonly kind: 'next' | 'back' | 'exit' | 'cancel';
  readonly draft: Draft | undefined;
}

/** Asks for one line; `problemOf` says why a text cannot be accepted. */
export async function askText(
  field: TextField,
  step: Step,
  problemOf: (text: string) => string | undefined,
): Promise<StepAnswer> {
  const box = vscode.window.createInputBox();
  const byDefault = field.default === undefined ? '' : String(field.default);
  box.value = typeof step.draft === 'string' ? step.draft : byDefault;
  box.placeholder = byDefault;
  box.prompt = withNote(step, fieldPrompt(field));
  return ask(box, step, (settle) => {
    const validate = (): boolean => {
      const problem = problemOf(box.value);
      box.validationMessage = problem;
      return problem === undefined;
    };
    box.onDidChangeValue(validate);
    box.onDidAccept(() => {
      if (validate()) settle('next');
    });
    return () => box.value;
  });
}

interface ChoiceItem extends vscode.QuickPickItem {
  readonly draft?: Draft;
}

/** Asks for one of the values, or, for an optional field, none of them. */
export async function askChoice(field: ChoiceField, step: Step): Promise<StepAnswer> {
  const pick = vscode.window.createQuickPick<ChoiceItem>();
  pick.items = choiceItems(field);
  pick.placeholder = choicePlaceholder(field);
  pick.prompt = step.note;
  pick.matchOnDescription = true;
  const active = pick.items.find(({ draft }) => isSameDraft(draft, step.draft ?? preset(field)));
  if (active !== undefined) pick.activeItems = [active];
  return ask(pick, step, (settle) => {
    pick.onDidAccept(() => {
      if (pick.selectedItems[0]?.draft !== undefined) settle('next');
    });
    return () => pick.selectedItems[0]?.draft ?? step.draft;
  });
}

/** Who only presses Enter sends nothing that nobody proposed. */
function preset(field: ChoiceField): Draft | undefined {
  if (field.default !== undefined) return { value: field.default };
  return field.required ? undefined : {};
}

function choiceItems(field: ChoiceField): ChoiceItem[] {
  const items = field.choices.map((value, index): ChoiceItem => {
    const label = choiceTitle(field, index);
    const words = [
      ...(typeof value === 'string' && label !== choiceLabel(value) ? [choiceLabel(value)] : []),
      ...(value === field.default ? [vscode.l10n.t('default')] : []),
    ];
    return { label, description: words.join(', '), draft: { value } };
  });
  if (field.required) return items;
  return [
    ...items,
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    // The icon tells it from a value of the same words: values cannot draw one.
    { label: vscode.l10n.t('$(circle-slash) Leave out'), alwaysShow: true, draft: {} },
  ];
}

function isSameDraft(a: Draft | undefined, b: Draft | undefined): boolean {
  // A value left out is no value, also not `null`.
  return isPickedOne(a) && isPickedOne(b) && a.value === b.value;
}

interface ManyItem extends vscode.QuickPickItem {
  readonly value: string;
}

/** Asks for any number of the values that the field allows. */
export async function askMany(field: ManyField, step: Step): Promise<StepAnswer> {
  const pick = vscode.window.createQuickPick<ManyItem>();
  const { draft } = step;
  const begin = typeof draft === 'object' && 'values' in draft ? draft.values : field.defaults;
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.items = field.choices.map((value, index) => {
    const label = choiceTitle(field, index);
    return label === choiceLabel(value)
      ? { label, value }
      : { label, value, description: choiceLabel(value) };
  });
  pick.selectedItems = pick.items.filter(({ value }) => begin?.includes(value));
  pick.placeholder = choicePlaceholder(field);
  pick.prompt = withNote(step, countWords(field));
  return ask(pick, step, (settle) => {
    pick.onDidAccept(() => {
      const { length } = pick.selectedItems;
      if (isAllowedCount(field, length)) settle('next');
      else pick.prompt = vscode.l10n.t('{0} are picked. {1}', length, countWords(field));
    });
    return () => ({ values: pick.selectedItems.map(({ value }) => value) });
  });
}

/** None at all is no violation where the field may be left out. */
function isAllowedCount({ required, minItems = 0, maxItems }: ManyField, count: number): boolean {
  if (count === 0 && !required) return true;
  return count >= minItems && count <= (maxItems ?? count);
}

function withNote({ note }: Step, words: string): string {
  return note === undefined ? words : vscode.l10n.t('{0} {1}', note, words);
}

type StepInput = (
  vscode.InputBox | Pick<vscode.QuickPick<vscode.QuickPickItem>, 'buttons' | 'onDidTriggerButton'>
) &
  vscode.QuickInput;

/** What all kinds of question have in common: title, buttons, and that hiding means cancel. */
async function ask(
  input: StepInput,
  step: Step,
  listen: (settle: (kind: StepAnswer['kind']) => void) => () => Draft | undefined,
): Promise<StepAnswer> {
  const exit: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon(step.exit.icon),
    tooltip: step.exit.tooltip,
  };
  input.title = step.title;
  input.step = step.number;
  input.totalSteps = step.count;
  input.ignoreFocusOut = true;
  input.buttons = [...(step.hasBack ? [vscode.QuickInputButtons.Back] : []), exit];
  let subscription: vscode.Disposable | undefined;
  try {
    return await new Promise<StepAnswer>((resolve) => {
      const settle = (kind: StepAnswer['kind']): void => resolve({ kind, draft: draft() });
      const draft = listen(settle);
      input.onDidTriggerButton((button) => settle(button === exit ? 'exit' : 'back'));
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
