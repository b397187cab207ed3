import { boundedJson } from '../json/boundedJson';
import { weightUpTo } from '../json/valueWeight';
import { isSameJson, isObject, type UnknownObject } from '../json/shapes';
import { toPointerStep } from '../json/jsonPointer';
import { isNumber, toExactNumber, WrittenNumber } from '../json/writtenNumber';
import { riskLevels, riskOf } from '../risk';
import type { Tool } from '../types';
import { localTarget } from './subschemas';

/** The writer of the values: the caller writes arguments, the server writes structured content. */
export type SchemaWriter = 'arguments' | 'content';

export type SchemaChangeCode =
  | 'propertyGone'
  | 'propertyNew'
  | 'nowRequired'
  | 'noLongerRequired'
  | 'type'
  | 'values'
  | 'limit'
  | 'closed'
  | 'opened'
  | 'note'
  /** A keyword that is not compared in detail. */
  | 'other'
  /** The schemas are too large to compare completely. */
  | 'tooMuch';

/** One difference between two schemas. */
export interface SchemaChange {
  readonly code: SchemaChangeCode;
  /** JSON pointer to the described value; `*` is a wildcard for the items of a list. */
  readonly pointer: string;
  /**
   * True if a caller that fits the old schema may not fit the new one. Also true if that is
   * unknown.
   */
  readonly breaks: boolean;
  /** The keyword that differs. */
  readonly keyword?: string;
  /** As JSON, shortened. Absent if the schema does not have the keyword. */
  readonly before?: string;
  readonly now?: string;
}

const maxLevels = 30;
const maxSteps = 20_000;
/** Maximum number of values in all targets of references together, each as often as it is used. */
const maxTargetWeight = 500_000;
const maxChanges = 100;
const maxShownChars = 200;

/** Annotations, which describe a value and do not restrict it. */
const notes = ['title', 'description', 'default', 'examples', 'deprecated'] as const;
/** Limits: a smaller maximum or a larger minimum accepts fewer values. */
const upper = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const lower = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const;
const own = ['properties', 'required', 'type', 'enum', 'const', 'items', 'additionalProperties'];
/** Keywords that say nothing about a value by themselves. */
const silent = ['$schema', '$id', '$comment', '$defs', 'definitions', '$anchor'];
const compared: ReadonlySet<string> = new Set([...notes, ...upper, ...lower, ...own, ...silent]);

/**
 * Lists the differences between two schemas and whether each breaks a caller. Follows local
 * references. Bounded: what is left of very large schemas counts as one difference.
 */
export function schemaChanges(
  before: unknown,
  now: unknown,
  side: SchemaWriter,
): readonly SchemaChange[] {
  const comparison = new Comparison(before, now, side);
  comparison.compare(before, now, '', 0);
  return comparison.changes;
}

class Comparison {
  readonly changes: SchemaChange[] = [];
  readonly #before: unknown;
  readonly #now: unknown;
  readonly #side: SchemaWriter;
  /** If the definitions differ, equal references may mean different schemas. */
  readonly #hasSameDefinitions: boolean;
  readonly #references = new Set<string>();
  #steps = 0;
  #targetWeight = 0;
  #isFull = false;

  constructor(before: unknown, now: unknown, side: SchemaWriter) {
    this.#before = before;
    this.#now = now;
    this.#side = side;
    this.#hasSameDefinitions = isSameJson(definitionsOf(before), definitionsOf(now));
  }

  compare(one: unknown, other: unknown, pointer: string, level: number): void {
    if (this.#hasSameDefinitions && isSameJson(one, other)) return;
    if (this.#wasCompared(one, other)) return;
    const before = this.#resolved(one, this.#before);
    const now = this.#resolved(other, this.#now);
    this.#steps += 1;
    if (level > maxLevels || this.#steps > maxSteps || this.#targetWeight > maxTargetWeight) {
      this.#stop(pointer);
      return;
    }
    if (!isObject(before) || !isObject(now)) {
      if (!isSameJson(before, now)) this.#other('schema', before, now, pointer);
      return;
    }
    this.#compareValues(before, now, pointer);
    this.#compareProperties(before, now, pointer, level);
    if (before.items !== undefined || now.items !== undefined) {
      this.compare(before.items ?? {}, now.items ?? {}, `${pointer}/*`, level + 1);
    }
    this.#compareOthers(before, now, pointer);
  }

  /**
   * Reports the targets of a pair of references only once, so that a schema may refer to itself.
   */
  #wasCompared(one: unknown, other: unknown): boolean {
    if (!isObject(one) || !isObject(other)) return false;
    if (typeof one.$ref !== 'string' || typeof other.$ref !== 'string') return false;
    const key = JSON.stringify([one, other]);
    if (this.#references.has(key)) return true;
    this.#references.add(key);
    return false;
  }

  /**
   * Returns the target of a local reference, which may have annotations beside it. Any other schema
   * is returned unchanged.
   */
  #resolved(schema: unknown, root: unknown): unknown {
    let found = schema;
    for (let count = 0; count < maxLevels && isObject(found); count += 1) {
      const target = isObject(root) ? localTarget(found.$ref, root) : undefined;
      if (!isObject(target)) return found;
      this.#targetWeight += weightUpTo(maxTargetWeight - this.#targetWeight, target);
      if (this.#targetWeight > maxTargetWeight) return found;
      const { $ref: _, ...beside } = found;
      found = { ...target, ...beside };
    }
    return found;
  }

  #compareValues(before: UnknownObject, now: UnknownObject, pointer: string): void {
    const types = [typesOf(before), typesOf(now)] as const;
    this.#compareSets('type', types, [before.type, now.type], pointer);
    const values = [valuesOf(before), valuesOf(now)] as const;
    const shown = [before.enum ?? before.const, now.enum ?? now.const] as const;
    this.#compareSets('values', values, shown, pointer);
    for (const keyword of [...upper, ...lower]) {
      const [was, is] = [before[keyword], now[keyword]];
      if (isSameJson(was, is)) continue;
      const isTighter = isTighterLimit(keyword, was, is);
      this.#add({
        code: 'limit',
        pointer,
        keyword,
        breaks: this.#side === 'arguments' && isTighter,
        ...shownAs(was, is),
      });
    }
  }

  /** Accepting fewer values may break a caller; returning more values may too. */
  #compareSets(
    code: 'type' | 'values',
    [before, now]: readonly [Allowed, Allowed],
    [was, is]: readonly [unknown, unknown],
    pointer: string,
  ): void {
    const isNarrower = !holdsAll(now, before);
    const isWider = !holdsAll(before, now);
    if (!isNarrower && !isWider) return;
    const breaks = this.#side === 'arguments' ? isNarrower : isWider;
    this.#add({ code, pointer, breaks, ...shownAs(was, is) });
  }

  #compareProperties(
    before: UnknownObject,
    now: UnknownObject,
    pointer: string,
    level: number,
  ): void {
    const [had, has] = [propertiesOf(before), propertiesOf(now)];
    const [wanted, wants] = [requiredOf(before), requiredOf(now)];
    const isOfCaller = this.#side === 'arguments';
    for (const name of new Set([...had.keys(), ...has.keys(), ...wanted, ...wants])) {
      const at = pointer + toPointerStep(name);
      if (this.#isFull) return;
      const isGone = had.has(name) && !has.has(name);
      if (isGone) this.#add({ code: 'propertyGone', pointer: at, breaks: true });
      if (has.has(name) && !had.has(name)) {
        this.#add({ code: 'propertyNew', pointer: at, breaks: false });
      }
      if (wants.has(name) && !wanted.has(name)) {
        this.#add({ code: 'nowRequired', pointer: at, breaks: isOfCaller });
      } else if (wanted.has(name) && !wants.has(name) && !isGone) {
        this.#add({ code: 'noLongerRequired', pointer: at, breaks: !isOfCaller });
      }
      if (had.has(name) && has.has(name)) {
        this.compare(had.get(name), has.get(name), at, level + 1);
      }
    }
    const [were, are] = [before.additionalProperties, now.additionalProperties];
    if (isSameJson(were ?? true, are ?? true)) return;
    if (are === false) this.#add({ code: 'closed', pointer, breaks: isOfCaller });
    else if (were === false) this.#add({ code: 'opened', pointer, breaks: false });
    else this.#other('additionalProperties', were, are, pointer);
  }

  #compareOthers(before: UnknownObject, now: UnknownObject, pointer: string): void {
    for (const keyword of notes) {
      if (isSameJson(before[keyword], now[keyword])) continue;
      const shown = shownAs(before[keyword], now[keyword]);
      this.#add({ code: 'note', pointer, breaks: false, keyword, ...shown });
    }
    for (const keyword of new Set([...Object.keys(before), ...Object.keys(now)])) {
      if (compared.has(keyword) || isSameJson(before[keyword], now[keyword])) continue;
      this.#other(keyword, before[keyword], now[keyword], pointer);
    }
  }

  /** For arguments, removing a keyword only removes a restriction. */
  #other(keyword: string, before: unknown, now: unknown, pointer: string): void {
    const breaks = this.#side === 'content' || now !== undefined;
    this.#add({ code: 'other', pointer, breaks, keyword, ...shownAs(before, now) });
  }

  #stop(pointer: string): void {
    if (!this.#isFull) this.changes.push({ code: 'tooMuch', pointer, breaks: true });
    this.#isFull = true;
  }

  #add(change: SchemaChange): void {
    if (this.#isFull) return;
    if (this.changes.length >= maxChanges) this.#stop('');
    else this.changes.push(change);
  }
}

/** `undefined` means any type. */
type Allowed = ReadonlySet<string> | undefined;

function typesOf({ type }: UnknownObject): Allowed {
  const types = Array.isArray(type) ? type : [type];
  const names = types.filter((each) => typeof each === 'string');
  return names.length === 0 ? undefined : new Set(names);
}

function valuesOf(schema: UnknownObject): Allowed {
  if (Object.hasOwn(schema, 'const')) return new Set([keyOfValue(schema.const)]);
  return Array.isArray(schema.enum) ? new Set(schema.enum.map(keyOfValue)) : undefined;
}

/** The same for every spelling of a number that JavaScript holds. */
function keyOfValue(value: unknown): string {
  return value instanceof WrittenNumber ? String(toExactNumber(value)) : JSON.stringify(value);
}

/** Every integer is a number too. */
function holdsAll(outer: Allowed, inner: Allowed): boolean {
  if (outer === undefined) return true;
  if (inner === undefined) return false;
  const has = (each: string): boolean =>
    outer.has(each) || (each === 'integer' && outer.has('number'));
  return [...inner].every(has);
}

function isTighterLimit(keyword: string, was: unknown, is: unknown): boolean {
  if (is === undefined) return false;
  if (!isNumber(was) || !isNumber(is)) return true;
  // Numbers that are equal here differ in digits that JavaScript does not hold.
  const [before, now] = [Number(was), Number(is)];
  return upper.some((each) => each === keyword) ? now <= before : now >= before;
}

function propertiesOf({ properties }: UnknownObject): ReadonlyMap<string, unknown> {
  return new Map(isObject(properties) ? Object.entries(properties) : []);
}

function requiredOf({ required }: UnknownObject): ReadonlySet<string> {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return new Set(names.filter((each) => typeof each === 'string'));
}

function shownAs(before: unknown, now: unknown): Pick<SchemaChange, 'before' | 'now'> {
  return {
    ...(before === undefined ? {} : { before: boundedJson(before, maxShownChars) }),
    ...(now === undefined ? {} : { now: boundedJson(now, maxShownChars) }),
  };
}

function definitionsOf(schema: unknown): readonly unknown[] {
  return isObject(schema) ? [schema.$defs, schema.definitions] : [];
}

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
  const isSame = comparedFields.every((field) => isSameJson(before[field], now[field]));
  return changes.length > 0 || isSame ? changes : [{ kind: 'other', breaks: false }];
}

const comparedFields = ['inputSchema', 'outputSchema', 'annotations'] as const;

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
