import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Draft } from '../../src/core/arguments/fieldDrafts';
import { assertNever } from '../../src/core/errors';
import type { FormField } from '../../src/core/arguments/inputField';
import { planFields } from '../../src/core/arguments/inputFields';
import type { JsonObject } from '../../src/core/json/jsonValue';

/** An input schema, how a person gets to enter its arguments, and what is sent then. */
export interface CorpusEntry {
  readonly family: string;
  readonly name: string;
  /** In words, for whoever wonders about the path. */
  readonly why: string;
  readonly schema: JsonObject;
  readonly path: string;
  readonly prompts: readonly string[];
  readonly sent: readonly { readonly drafts: Record<string, Draft>; readonly json: string }[];
}

const folder = path.join(__dirname, '../fixtures/schemas');

/** Everything in test/fixtures/schemas, one file for each family of servers. */
export function readCorpus(): readonly CorpusEntry[] {
  return readdirSync(folder).flatMap((file) => {
    const entries: Omit<CorpusEntry, 'family'>[] = JSON.parse(
      readFileSync(path.join(folder, file), 'utf8'),
    );
    return entries.map((entry) => ({ family: path.basename(file, '.json'), ...entry }));
  });
}

/** The steps in one line each: label, `!` when required, what is asked for, what stands there. */
export function promptsOf(schema: JsonObject): readonly string[] {
  const plan = planFields(schema);
  return plan.kind === 'fields' ? plan.fields.map(promptOf) : [];
}

function promptOf(field: FormField): string {
  const label = field.parent === undefined ? field.label : `${field.parent.label} › ${field.label}`;
  const words = [
    `${label}${field.required ? '!' : ''}:`,
    ...(field.isSecret === true ? ['secret'] : []),
    kindOf(field),
    ...('default' in field ? [`= ${JSON.stringify(field.default)}`] : []),
    ...('defaults' in field ? [`= ${JSON.stringify(field.defaults)}`] : []),
  ];
  return words.join(' ');
}

function kindOf(field: FormField): string {
  switch (field.kind) {
    case 'choice':
      return field.opens === true ? 'open it?' : `one of ${choicesOf(field)}`;
    case 'many':
      return `several of ${choicesOf(field)}`;
    case 'list':
      return `lines of ${kindOf(field.item)}`;
    case 'string':
    case 'number':
    case 'integer': {
      const { format } = field.limits;
      const nullable = field.isNullable ? ' or null' : '';
      return `${field.kind}${format === undefined ? '' : ` (${format})`}${nullable}`;
    }
    default:
      return assertNever(field);
  }
}

function choicesOf({ choices, titles }: Extract<FormField, { choices: unknown }>): string {
  const shown = choices.map((choice, index) => {
    const title = titles?.[index] ?? '';
    return `${JSON.stringify(choice)}${title === '' ? '' : ` “${title}”`}`;
  });
  return shown.join(', ');
}
