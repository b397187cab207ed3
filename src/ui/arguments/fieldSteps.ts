import * as vscode from 'vscode';
import type { ChoiceField, Scalar, TextField } from '../../core/inputField';
import type { Draft } from './fieldDrafts';
import { choiceLabel, choicePlaceholder, fieldPrompt } from './fieldWords';

/** Where in the row of questions one stands, and what stands in it already. */
export interface Step {
  readonly title: string;
  /** From 1. */
  readonly number: number;
  readonly count: number;
  readonly draft: Draft | undefined;
}

/** `draft` is what stood in the field when the person went on, back, or away. */
export interface StepAnswer {
  readonly kind: 'next' | 'back' | 'document' | 'cancel';
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
  box.prompt = fieldPrompt(field);
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
  const wanted = step.draft ?? (field.default === undefined ? undefined : { value: field.default });
  const active = pick.items.find(({ draft }) => isSameDraft(draft, wanted));
  if (active !== undefined) pick.activeItems = [active];
  return ask(pick, step, (settle) => {
    pick.onDidAccept(() => {
      if (pick.selectedItems[0]?.draft !== undefined) settle('next');
    });
    return () => pick.selectedItems[0]?.draft ?? step.draft;
  });
}

function choiceItems(field: ChoiceField): ChoiceItem[] {
  const items = field.choices.map((value): ChoiceItem => {
    const item = { label: choiceLabel(value), draft: { value } };
    return value === field.default ? { ...item, description: vscode.l10n.t('default') } : item;
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
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  return choiceOf(a) === choiceOf(b);
}

/** A value left out is no value, also not `null`. */
function choiceOf(draft: { readonly value?: Scalar }): Scalar | undefined {
  return draft.value;
}

type StepInput = (vscode.InputBox | vscode.QuickPick<ChoiceItem>) & vscode.QuickInput;

/** What both kinds of question have in common: title, buttons, and that hiding means cancel. */
async function ask(
  input: StepInput,
  step: Step,
  listen: (settle: (kind: StepAnswer['kind']) => void) => () => Draft | undefined,
): Promise<StepAnswer> {
  const asDocument: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('json'),
    tooltip: vscode.l10n.t('Enter as JSON'),
  };
  input.title = step.title;
  input.step = step.number;
  input.totalSteps = step.count;
  input.ignoreFocusOut = true;
  input.buttons = [...(step.number > 1 ? [vscode.QuickInputButtons.Back] : []), asDocument];
  try {
    return await new Promise<StepAnswer>((resolve) => {
      const settle = (kind: StepAnswer['kind']): void => resolve({ kind, draft: draft() });
      const draft = listen(settle);
      input.onDidTriggerButton((button) => {
        settle(button === asDocument ? 'document' : 'back');
      });
      input.onDidHide(() => settle('cancel'));
      input.show();
    });
  } finally {
    input.dispose();
  }
}
