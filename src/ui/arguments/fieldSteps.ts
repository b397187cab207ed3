import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  isAllowedCount,
  type ChoiceField,
  type ManyField,
  type TextField,
  type ListField,
} from '../../core/arguments/inputField';
import {
  isPickedChoice,
  isMultipleValues,
  isEnteredText,
  type Draft,
  toListValues,
} from '../../core/arguments/fieldDrafts';
import type { JsonValue } from '../../core/json/jsonValue';
import { createPicker } from '../editor/picker';
import { ask, withNote, type FieldStep, type StepAnswer } from './fieldStep';
import {
  choiceLabel,
  choicePlaceholder,
  choiceTitle,
  formatPickedCount,
  fieldLabel,
  fieldPrompt,
  formatTakenText,
  formatItemCount,
} from './formatField';

/** Returns why a text cannot be accepted, or a warning about a text that can. */
interface TextJudge {
  readonly problemOf: (text: string) => string | undefined;
  readonly doubtOf: (text: string) => string | undefined;
}

/** Asks for one line. A text with a warning is accepted when Enter is pressed again. */
export async function askText(
  field: TextField,
  step: FieldStep,
  { problemOf, doubtOf }: TextJudge,
): Promise<StepAnswer> {
  const box = vscode.window.createInputBox();
  const byDefault = field.default === undefined ? '' : String(field.default);
  // A text that a line cannot show is kept in the background until the user types.
  let taken = isEnteredText(step.draft) ? step.draft : undefined;
  box.value = typeof step.draft === 'string' ? step.draft : taken === undefined ? byDefault : '';
  box.placeholder = taken === undefined ? byDefault : formatTakenText(taken.text);
  box.prompt = withNote(step, fieldPrompt(field));
  box.password = field.isSecret === true;
  // A message takes the place of the prompt, which says which field it is.
  const named = (message: string) => l10n.t('{0}: {1}', fieldLabel(field), message);
  const beginning = beginningProblem(step, problemOf);
  box.validationMessage = beginning && named(beginning);
  let doubted: string | undefined;
  const validate = (): boolean => {
    const text = taken?.text ?? box.value;
    const problem = problemOf(text);
    const doubt = problem === undefined ? doubtOf(text) : undefined;
    box.validationMessage =
      doubt === undefined
        ? problem && named(problem)
        : { message: named(doubt), severity: vscode.InputBoxValidationSeverity.Warning };
    const isKnown = doubt === undefined || doubted === text;
    doubted = doubt === undefined ? undefined : text;
    return problem === undefined && isKnown;
  };
  box.onDidChangeValue(() => {
    taken = undefined;
    validate();
    // Warnings are shown only after Enter, because everything is unfinished while typing.
    doubted = undefined;
  });
  return ask(box, step, { isDone: validate, draft: () => taken ?? box.value });
}

/**
 * Returns the problem of an invalid value when the user comes back to it. A note is more important,
 * and only the prompt has it.
 */
function beginningProblem(
  { draft, note }: FieldStep,
  problemOf: TextJudge['problemOf'],
): string | undefined {
  if (typeof draft !== 'string' || draft === '' || note !== undefined) return undefined;
  return problemOf(draft);
}

/** Returns why a picked or listed value cannot be accepted. */
type ValueJudge = (value: JsonValue) => string | undefined;

interface ChoiceItem extends vscode.QuickPickItem {
  readonly draft?: Draft;
}

/** Asks for one of the values; an optional field can also be left out. */
export async function askChoice(
  field: ChoiceField,
  step: FieldStep,
  violationOf: ValueJudge,
): Promise<StepAnswer> {
  const pick = createPicker<ChoiceItem>({
    items: choiceItems(field),
    placeholder: choicePlaceholder(field),
    prompt: withNote(step, ''),
    matchOnDescription: true,
  });
  let chosen = step.draft;
  const active = pick.items.find(({ draft }) => isSameDraft(draft, step.draft ?? preset(field)));
  if (active !== undefined) pick.activeItems = [active];
  const isDone = (): boolean => {
    const draft = pick.activeItems[0]?.draft;
    if (draft === undefined) return false;
    chosen = draft;
    const value = isPickedChoice(draft) ? draft.value : undefined;
    const violation = value === undefined ? undefined : violationOf(value);
    if (violation !== undefined) pick.prompt = violation;
    return violation === undefined;
  };
  return ask(pick, step, { isDone, draft: () => chosen });
}

/** Pressing only Enter must not send a value that neither the schema nor the user proposed. */
function preset(field: ChoiceField): Draft | undefined {
  if (field.default !== undefined) return { value: field.default };
  return field.required ? undefined : {};
}

function choiceItems(field: ChoiceField): ChoiceItem[] {
  const items = field.choices.map((value, index): ChoiceItem => {
    const label = choiceTitle(field, index);
    const parts = [
      ...(typeof value === 'string' && label !== choiceLabel(value) ? [choiceLabel(value)] : []),
      ...(value === field.default ? [l10n.t('default')] : []),
    ];
    return { label, description: parts.join(', '), draft: { value } };
  });
  if (field.required) return items;
  return [
    ...items,
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    // The icon distinguishes it from a value with the same text: values cannot show icons.
    { label: l10n.t('$(circle-slash) Leave Out'), alwaysShow: true, draft: {} },
  ];
}

function isSameDraft(a: Draft | undefined, b: Draft | undefined): boolean {
  // A field that is left out has no value, which differs from `null`.
  return isPickedChoice(a) && isPickedChoice(b) && a.value === b.value;
}

interface ManyItem extends vscode.QuickPickItem {
  readonly value: string;
}

/** Asks for any number of the values that the field allows. */
export async function askMany(
  field: ManyField,
  step: FieldStep,
  violationOf: ValueJudge,
): Promise<StepAnswer> {
  const begin = isMultipleValues(step.draft) ? step.draft.values : field.defaults;
  const items = field.choices.map((value, index) => {
    const label = choiceTitle(field, index);
    return label === choiceLabel(value)
      ? { label, value }
      : { label, value, description: choiceLabel(value) };
  });
  const pick = createPicker<ManyItem>({
    canSelectMany: true,
    matchOnDescription: true,
    items,
    selectedItems: items.filter(({ value }) => begin?.includes(value)),
    placeholder: choicePlaceholder(field),
    prompt: withNote(step, formatPickedCount(field)),
  });
  // The values keep the order of the list.
  const values = () => field.choices.filter((one) => pick.selectedItems.some(isOf(one)));
  const problemOf = (length: number): string | undefined => {
    if (!isAllowedCount(field, length)) {
      return l10n.t('{0} are selected. {1}', length, formatPickedCount(field));
    }
    return length === 0 && !field.required ? undefined : violationOf(values());
  };
  const isDone = (): boolean => {
    const problem = problemOf(pick.selectedItems.length);
    if (problem !== undefined) pick.prompt = problem;
    return problem === undefined;
  };
  return ask(pick, step, { isDone, draft: () => ({ values: values() }) });
}

function isOf(value: string): (item: ManyItem) => boolean {
  return (item) => item.value === value;
}

interface LineItem extends vscode.QuickPickItem {
  /** Index of the line. The first row has none: it adds a line or continues. */
  readonly index?: number;
}

/**
 * Asks for any number of lines. Enter adds the typed line; Enter without text continues. Picking a
 * line moves it back into the input to be changed.
 */
export async function askList(
  field: ListField,
  step: FieldStep,
  { problemOf, doubtOf }: TextJudge,
  violationOf: ValueJudge,
): Promise<StepAnswer> {
  const begin = isMultipleValues(step.draft) ? step.draft : { values: field.defaults ?? [] };
  const lines = [...begin.values];
  const pick = createPicker<LineItem>({
    value: begin.typed ?? '',
    placeholder: choicePlaceholder(field),
  });
  const prompt = withNote(step, formatItemCount(field));
  const say = (problem?: string): void => {
    pick.prompt = problem ?? prompt;
  };
  const show = (): void => {
    pick.items = [firstItem(pick.value, lines.length, doubtOf), ...lines.map(toItem)];
    pick.activeItems = pick.items.slice(0, 1);
  };
  const add = (): void => {
    const problem = problemOf(pick.value);
    if (problem !== undefined) {
      say(problem);
      return;
    }
    lines.push(pick.value);
    pick.value = '';
    say();
    show();
  };
  const problemOfAll = (): string | undefined => {
    if (lines.length === 0 && !field.required) return undefined;
    if (!isAllowedCount(field, lines.length)) return prompt;
    return violationOf(toListValues(field, lines));
  };
  say();
  show();
  pick.onDidChangeValue(() => {
    say(pick.value === '' ? undefined : problemOf(pick.value));
    show();
  });
  pick.onDidTriggerItemButton(({ item: { index } }) => {
    if (index !== undefined) lines.splice(index, 1);
    show();
  });
  const isDone = (): boolean => {
    const { index } = pick.activeItems[0] ?? {};
    if (index === undefined && pick.value === '') {
      const problem = problemOfAll();
      say(problem);
      return problem === undefined;
    }
    if (index === undefined) add();
    else {
      pick.value = lines.splice(index, 1)[0] ?? '';
      show();
    }
    return false;
  };
  return ask(pick, step, {
    isDone,
    draft: () => ({ values: [...lines], ...(pick.value === '' ? {} : { typed: pick.value }) }),
  });
}

function firstItem(typed: string, count: number, doubtOf: TextJudge['doubtOf']): LineItem {
  if (typed !== '') {
    const doubt = doubtOf(typed);
    const label = l10n.t('$(add) Add “{0}”', choiceLabel(typed));
    return { label, alwaysShow: true, ...(doubt === undefined ? {} : { detail: doubt }) };
  }
  const description = l10n.t('{0} entered', count);
  return { label: l10n.t('$(check) Continue'), description, alwaysShow: true };
}

function toItem(line: string, index: number): LineItem {
  const remove = { iconPath: new vscode.ThemeIcon('trash'), tooltip: l10n.t('Remove') };
  return { label: choiceLabel(line), index, alwaysShow: true, buttons: [remove] };
}
