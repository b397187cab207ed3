import * as l10n from '@vscode/l10n';
import {
  isFieldAsked,
  type Drafts,
  defaultDraft,
  hasValue,
  opensObject,
} from '../../core/arguments/fieldDrafts';
import { draftKey, type FormField } from '../../core/arguments/inputField';
import type { DocumentProperty } from '../../core/arguments/inputFields';
import { fieldHint, fieldLabel, formatOtherProperties, formatFieldValue } from './formatField';
import type { Prompt, PromptGroup, PromptRow } from './rowPrompt';

/** The user's action on a field. Choosing it changes it. */
export type FieldAnswer = FormField | { readonly leaveOut: FormField };

/** The user's action on the page. */
export type PageAnswer = 'run' | 'document' | FieldAnswer;

/** Fields in a list, and their current values. */
interface FieldList {
  readonly fields: readonly FormField[];
  readonly drafts: Drafts;
  readonly problemOf: (field: FormField) => string | undefined;
  /** Is shown for an optional field without a value. Absent: its default. */
  readonly absent?: string;
}

interface PageState extends FieldList {
  readonly title: string;
  readonly others: readonly DocumentProperty[];
  /** False if the arguments cannot be entered as a document. Defaults to true. */
  readonly canBeDocument?: boolean;
  /** The fields that prevent the call, or else a problem of the whole object. */
  readonly unfit: readonly FormField[];
  readonly problem?: string;
  readonly hasBack: boolean;
  readonly active: PageAnswer;
}

const maxNamed = 5;

/** Lists the actions and below them all arguments, the required ones first. */
export function pagePrompt(state: PageState): Prompt<PageAnswer> {
  const { title, others, canBeDocument = true, hasBack, active, problem } = state;
  const document = {
    icon: 'json',
    label: l10n.t('Enter as JSON'),
    answer: 'document',
    ...(others.length === 0 ? {} : { description: formatOtherProperties(others) }),
  } as const;
  return {
    title,
    message: problem ?? '',
    placeholder: l10n.t('Select Run, or select an argument to change it.'),
    groups: [
      { heading: '', rows: [runRow(state)] },
      ...fieldGroups(state),
      { heading: '', rows: canBeDocument ? [document] : [] },
    ].filter((group) => group.rows.length > 0),
    hasBack,
    buttons: canBeDocument
      ? [{ icon: 'json', tooltip: l10n.t('Enter as JSON'), answer: 'document' }]
      : [],
    active,
  };
}

/** Lists the fields, the required ones first. */
export function fieldGroups(list: FieldList): readonly PromptGroup<FieldAnswer>[] {
  const fields = list.fields.filter((field) => isFieldAsked(field, list.drafts));
  const rows = (isRequired: boolean) =>
    fields
      .filter((field) => isOfRequired(field) === isRequired)
      .map((field) => fieldRow(field, list));
  return [
    { heading: l10n.t('Required'), rows: rows(true), isFound: true },
    { heading: l10n.t('Optional'), rows: rows(false), isFound: true },
  ].filter((group) => group.rows.length > 0);
}

function isOfRequired({ required, parent }: FormField): boolean {
  return required && parent?.required !== false;
}

function runRow({ fields, drafts, unfit, problem, problemOf }: PageState): PromptRow<PageAnswer> {
  const label = l10n.t('Run');
  if (unfit.length > 0) {
    const description = formatUnfit(unfit, problemOf);
    return { label, icon: 'warning', description, answer: 'run' };
  }
  if (problem !== undefined) {
    const description = l10n.t('The combination of arguments does not match the schema');
    return { label, icon: 'warning', description, answer: 'run' };
  }
  const isEmpty = !fields.some((field) => hasValue(field, drafts));
  const description = isEmpty ? l10n.t('without arguments') : '';
  return { label, icon: 'play', description, answer: 'run' };
}

/** Names the fields that are missing or invalid. */
export function formatUnfit(
  unfit: readonly FormField[],
  problemOf: FieldList['problemOf'],
): string {
  const labels = unfit.slice(0, maxNamed).map(fieldLabel);
  const names = (unfit.length > labels.length ? [...labels, '…'] : labels).join(', ');
  const isMissing = unfit.every((field) => problemOf(field) === undefined);
  return isMissing ? l10n.t('missing: {0}', names) : l10n.t('invalid: {0}', names);
}

/**
 * Each field has one line, so that all fit on the screen; the question shows the full description.
 */
function fieldRow(
  field: FormField,
  { drafts, problemOf, absent }: FieldList,
): PromptRow<FieldAnswer> {
  const problem = problemOf(field);
  const isThere = hasValue(field, drafts) || problem !== undefined;
  const parts = isThere
    ? [formatPresent(field, drafts), problem ?? '']
    : [formatAbsent(field, absent), fieldHint(field)];
  const leaveOut = { icon: 'close', tooltip: l10n.t('Leave Out'), answer: { leaveOut: field } };
  return {
    label: fieldLabel(field),
    description: parts.filter((part) => part !== '').join(' — '),
    ...(problem === undefined ? {} : { icon: 'warning' }),
    ...(field.required || !isThere ? {} : { button: leaveOut }),
    answer: field,
  };
}

function formatPresent(field: FormField, drafts: Drafts): string {
  if (opensObject(field)) return l10n.t('(filled in below)');
  return formatFieldValue(field, drafts.get(draftKey(field)));
}

/** Returns the value that the server uses if none is sent, as far as the schema says so. */
function formatAbsent(field: FormField, absent: string | undefined): string {
  if (field.required) return l10n.t('(missing)');
  if (absent !== undefined) return absent;
  const byDefault = defaultDraft(field);
  const text = formatFieldValue(field, byDefault);
  const isNothing = byDefault === undefined || text === formatFieldValue(field, undefined);
  return isNothing ? '' : l10n.t('default: {0}', text);
}
