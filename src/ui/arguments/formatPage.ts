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
import type { Prompt, PromptRow } from './rowPrompt';

/** The user's action on the page. Choosing a field changes it. */
export type PageAnswer = 'run' | 'document' | FormField | { readonly leaveOut: FormField };

export interface PageState {
  readonly title: string;
  readonly fields: readonly FormField[];
  readonly others: readonly DocumentProperty[];
  /** False if the arguments cannot be entered as a document. Defaults to true. */
  readonly canBeDocument?: boolean;
  readonly drafts: Drafts;
  /** The fields that prevent the call, or else a problem of the whole object. */
  readonly unfit: readonly FormField[];
  readonly problem?: string;
  readonly problemOf: (field: FormField) => string | undefined;
  readonly hasBack: boolean;
  readonly active: PageAnswer;
}

const maxNamed = 5;

/** Lists the actions and below them all arguments, the required ones first. */
export function pagePrompt(state: PageState): Prompt<PageAnswer> {
  const { title, others, canBeDocument = true, hasBack, active, problem, drafts } = state;
  const fields = state.fields.filter((field) => isFieldAsked(field, drafts));
  const rows = (isRequired: boolean) =>
    fields
      .filter((field) => isOfRequired(field) === isRequired)
      .map((field) => fieldRow(field, state));
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
      { heading: l10n.t('Required'), rows: rows(true), isFound: true },
      { heading: l10n.t('Optional'), rows: rows(false), isFound: true },
      { heading: '', rows: canBeDocument ? [document] : [] },
    ].filter((group) => group.rows.length > 0),
    hasBack,
    buttons: canBeDocument
      ? [{ icon: 'json', tooltip: l10n.t('Enter as JSON'), answer: 'document' }]
      : [],
    active,
  };
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

function formatUnfit(unfit: readonly FormField[], problemOf: PageState['problemOf']): string {
  const labels = unfit.slice(0, maxNamed).map(fieldLabel);
  const names = (unfit.length > labels.length ? [...labels, '…'] : labels).join(', ');
  const isMissing = unfit.every((field) => problemOf(field) === undefined);
  return isMissing ? l10n.t('missing: {0}', names) : l10n.t('invalid: {0}', names);
}

/**
 * Each field has one line, so that all fit on the screen; the question shows the full description.
 */
function fieldRow(field: FormField, { drafts, problemOf }: PageState): PromptRow<PageAnswer> {
  const problem = problemOf(field);
  const isThere = hasValue(field, drafts) || problem !== undefined;
  const parts = isThere
    ? [formatPresent(field, drafts), problem ?? '']
    : [formatAbsent(field), fieldHint(field)];
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
function formatAbsent(field: FormField): string {
  if (field.required) return l10n.t('(missing)');
  const byDefault = defaultDraft(field);
  const text = formatFieldValue(field, byDefault);
  const isNothing = byDefault === undefined || text === formatFieldValue(field, undefined);
  return isNothing ? '' : l10n.t('default: {0}', text);
}
