import { isSameJson } from './json/sameJson';
import { riskLevels, riskOf } from './risk';
import { schemaChanges, type SchemaChange, type SchemaWriter } from './schema/schemaChanges';
import type { Tool } from './types';

/** A difference between two definitions of a tool. */
export type DefinitionChange =
  | { readonly kind: 'gone'; readonly breaks: true }
  | { readonly kind: 'new'; readonly breaks: false }
  /** The definitions differ only in what callers do not use. */
  | { readonly kind: 'other'; readonly breaks: false }
  /** The definition differs, but the old one is unknown. */
  | { readonly kind: 'unknown'; readonly breaks: false }
  | { readonly kind: 'text'; readonly field: 'title' | 'description'; readonly breaks: false }
  | { readonly kind: 'outputGone'; readonly breaks: true }
  | { readonly kind: 'outputNew'; readonly breaks: false }
  | {
      readonly kind: 'hint';
      readonly hint: 'risk' | 'openWorld' | 'idempotent';
      readonly before: string;
      readonly now: string;
      readonly breaks: boolean;
    }
  | ({ readonly kind: 'schema'; readonly side: SchemaWriter } & SchemaChange);

/** Returns the differences, and whether each breaks a caller by what it sends, reads or risks. */
export function definitionChanges(
  before: Tool | undefined,
  now: Tool | undefined,
): readonly DefinitionChange[] {
  if (before === undefined) return now === undefined ? [] : [{ kind: 'new', breaks: false }];
  if (now === undefined) return [{ kind: 'gone', breaks: true }];
  const fields = (['title', 'description'] as const).filter(
    (field) => before[field] !== now[field],
  );
  const changes = [
    ...fields.map((field): DefinitionChange => ({ kind: 'text', field, breaks: false })),
    ...inSchema(before.inputSchema, now.inputSchema, 'arguments'),
    ...outputChanges(before.outputSchema, now.outputSchema),
    ...hintChanges(before, now),
  ];
  const isSame = compared.every((field) => isSameJson(before[field], now[field]));
  return changes.length > 0 || isSame ? changes : [{ kind: 'other', breaks: false }];
}

const compared = ['inputSchema', 'outputSchema', 'annotations'] as const;

function inSchema(before: unknown, now: unknown, side: SchemaWriter): readonly DefinitionChange[] {
  return schemaChanges(before, now, side).map((change) => ({ kind: 'schema', side, ...change }));
}

function outputChanges(before: unknown, now: unknown): readonly DefinitionChange[] {
  if (isSameJson(before, now)) return [];
  if (before === undefined) return [{ kind: 'outputNew', breaks: false }];
  return now === undefined
    ? [{ kind: 'outputGone', breaks: true }]
    : inSchema(before, now, 'content');
}

/** Compares effective hints: a missing one has the protocol's default. */
function hintChanges(before: Tool, now: Tool): readonly DefinitionChange[] {
  const [was, is] = [riskOf(before.annotations), riskOf(now.annotations)];
  const changes: DefinitionChange[] = [];
  const add = (
    hint: 'risk' | 'openWorld' | 'idempotent',
    [one, other]: readonly [string | boolean, string | boolean],
    breaks: boolean,
  ): void => {
    if (one !== other)
      changes.push({ kind: 'hint', hint, before: String(one), now: String(other), breaks });
  };
  const isRiskier = riskLevels.indexOf(is.level) > riskLevels.indexOf(was.level);
  add('risk', [was.level, is.level], isRiskier);
  add('openWorld', [was.openWorld, is.openWorld], is.openWorld);
  add('idempotent', [was.idempotent, is.idempotent], was.idempotent);
  return changes;
}
