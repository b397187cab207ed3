import { createHash } from 'node:crypto';
import { inputCommandText } from '../configuration/inputs';
import type { ServerConfig } from '../configuration/serverConfig';
import { looksSecret } from '../secrets/secretNames';

/** What a fact about the start of a server is about, in the order in which they are shown. */
const startParts = [
  'command',
  'argument',
  'folder',
  'variable',
  'address',
  'header',
  'transport',
  'era',
  'input',
] as const;
export type StartPart = (typeof startParts)[number];

/** Stands for a value that is not shown; another value has another mask. */
export interface Mask {
  /** In UTF-16 units. */
  readonly length: number;
  /** The first 8 hex digits of the value's SHA-256. */
  readonly digest: string;
}

/** One thing that decides what runs, or what is reached. */
export interface StartFact {
  readonly part: StartPart;
  /** Of a variable, a header or an input. */
  readonly name?: string;
  /** Absent where it is masked, and for a variable that is taken away. */
  readonly value?: string;
  readonly mask?: Mask;
}

/** A fact that was so before, is so now, or both. */
export interface StartChange {
  readonly kind: 'removed' | 'added';
  readonly fact: StartFact;
}

/**
 * Everything that decides what runs or what is reached, for people to judge: each argument for
 * itself, and values in full but for those whose name says that they are secrets. Inputs stand in
 * them as they are written, because nobody was asked for them yet; what answers one without asking
 * the person is a fact of its own.
 */
export function startFacts({ reach, inputs = [] }: ServerConfig): readonly StartFact[] {
  const era = [
    ...(reach.era === undefined ? [] : [{ part: 'era', value: reach.era } as const]),
    ...inputs
      .filter(({ kind }) => kind === 'command')
      .map((input) => ({ part: 'input', name: input.id, value: inputCommandText(input) }) as const),
  ];
  if (reach.kind !== 'stdio') {
    return [
      { part: 'address', value: reach.url },
      ...sortedEntries(reach.headers).map((entry) => namedFact('header', ...entry)),
      { part: 'transport', value: reach.kind },
      ...era,
    ];
  }
  return [
    { part: 'command', value: reach.command },
    ...reach.args.map((value) => ({ part: 'argument', value }) as const),
    ...(reach.cwd === undefined ? [] : [{ part: 'folder', value: reach.cwd } as const]),
    ...sortedEntries(reach.env).map((entry) => namedFact('variable', ...entry)),
    ...era,
  ];
}

/**
 * What is different, in the order in which facts are shown, the old before the new. Arguments that
 * stayed at the beginning or at the end are no difference; those between are.
 */
export function startChanges(
  before: readonly StartFact[],
  now: readonly StartFact[],
): readonly StartChange[] {
  return startParts.flatMap((part) => {
    const old = before.filter((fact) => fact.part === part);
    const current = now.filter((fact) => fact.part === part);
    return part === 'variable' || part === 'header'
      ? namedChanges(old, current)
      : listChanges(old, current);
  });
}

/** `undefined` for whatever is no list of facts. */
export function parseStartFacts(value: unknown): readonly StartFact[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const facts = value.flatMap((item) => parseFact(item) ?? []);
  return facts.length === value.length ? facts : undefined;
}

/** Nothing of the secret itself: an input, and before it a word such as `Bearer`. */
const onlyInput = /^(?:[A-Za-z]{1,20} )?\$\{input:[^{}]*\}$/;

function namedFact(part: 'variable' | 'header', name: string, value: string | null): StartFact {
  if (value === null) return { part, name };
  if (value === '' || onlyInput.test(value) || !looksSecret(name)) return { part, name, value };
  const digest = createHash('sha256').update(value).digest('hex').slice(0, 8);
  return { part, name, mask: { length: value.length, digest } };
}

/** By code unit, not by locale: the same on every machine. */
function sortedEntries<T>(record: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(record).toSorted(([one], [other]) =>
    one < other ? -1 : one > other ? 1 : 0,
  );
}

function namedChanges(before: readonly StartFact[], now: readonly StartFact[]): StartChange[] {
  const old = new Map(before.map((fact) => [fact.name, fact]));
  const current = new Map(now.map((fact) => [fact.name, fact]));
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((name) =>
    listChanges(only(old.get(name)), only(current.get(name))),
  );
}

function only(fact: StartFact | undefined): StartFact[] {
  return fact === undefined ? [] : [fact];
}

function listChanges(before: readonly StartFact[], now: readonly StartFact[]): StartChange[] {
  const isSame = (one: StartFact | undefined, other: StartFact | undefined): boolean =>
    JSON.stringify(one) === JSON.stringify(other);
  const most = Math.min(before.length, now.length);
  let start = 0;
  while (start < most && isSame(before[start], now[start])) start += 1;
  let end = 0;
  while (end < most - start && isSame(before.at(-1 - end), now.at(-1 - end))) end += 1;
  return [
    ...before.slice(start, before.length - end).map((fact) => ({ kind: 'removed', fact }) as const),
    ...now.slice(start, now.length - end).map((fact) => ({ kind: 'added', fact }) as const),
  ];
}

/** With its members in the order of {@link StartFact}, so that equal facts make equal JSON. */
function parseFact(item: unknown): StartFact | undefined {
  if (!isObject(item)) return undefined;
  const part = startParts.find((known) => known === item.part);
  const { name, value, mask } = item;
  if (part === undefined || !isOptionalText(name) || !isOptionalText(value)) return undefined;
  const parsedMask = mask === undefined ? undefined : parseMask(mask);
  if (mask !== undefined && parsedMask === undefined) return undefined;
  return {
    part,
    ...(name === undefined ? {} : { name }),
    ...(value === undefined ? {} : { value }),
    ...(parsedMask === undefined ? {} : { mask: parsedMask }),
  };
}

function parseMask(mask: unknown): Mask | undefined {
  if (!isObject(mask)) return undefined;
  const { length, digest } = mask;
  return typeof length === 'number' && typeof digest === 'string' ? { length, digest } : undefined;
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
