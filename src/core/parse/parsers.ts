import type { McpErrorCode } from '../errors';
import { isObject, isContainer, stringOrAbsent, type Mutable } from '../json/shapes';
import type { Icon } from '../types';

/** Converts `unknown` to a type, or returns `undefined` if it does not match. Never throws. */
export type Parser<T> = (value: unknown) => T | undefined;

/** The type that a parser returns. */
export type Parsed<P> = P extends Parser<infer T> ? T : never;

const absent = Symbol('absent');
/** A member that may be missing but must be valid if present. */
interface Optional<T> {
  readonly [absent]: Parser<T>;
}
type Members = Readonly<Record<string, Parser<unknown> | Optional<unknown>>>;
type OptionalKeys<M> = { [K in keyof M]: M[K] extends Optional<unknown> ? K : never }[keyof M];
type Flat<T> = { readonly [K in keyof T]: T[K] };
type Shape<M extends Members> = Flat<
  { [K in Exclude<keyof M, OptionalKeys<M>>]: Parsed<M[K]> } & {
    [K in OptionalKeys<M>]?: M[K] extends Optional<infer T> ? T : never;
  }
>;

export const string: Parser<string> = (value) => (typeof value === 'string' ? value : undefined);

export const number: Parser<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

export const flag: Parser<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);

export const literalTrue: Parser<true> = (value) => (value === true ? value : undefined);

/** Newer versions add codes, so anything in the form of a code is accepted. */
export const errorCode: Parser<McpErrorCode> = (value) => (isErrorCode(value) ? value : undefined);

function isErrorCode(value: unknown): value is McpErrorCode {
  return typeof value === 'string' && /^[a-zA-Z]{1,60}$/.test(value);
}

export function oneOf<const T extends string | number>(...known: readonly T[]): Parser<T> {
  return (value) => known.find((each) => each === value);
}

export function list<T>(parse: Parser<T>): Parser<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const parsed = value.map((each) => parse(each)).filter((each) => each !== undefined);
    return parsed.length === value.length ? parsed : undefined;
  };
}

export function optional<T>(parse: Parser<T>): Optional<T> {
  return { [absent]: parse };
}

/** Parses an object with these members; other members are left out. */
export function shape<M extends Members>(members: M): Parser<Shape<M>> {
  // Created once, because it is used for every entry.
  const entries = Object.entries(members);
  const required = entries.filter(([, member]) => !isOptional(member)).length;
  const isShape = (parsed: Record<string, unknown>): parsed is Record<string, unknown> & Shape<M> =>
    Object.keys(parsed).length >= required;
  return (value) => {
    if (!isObject(value)) return undefined;
    const parsed: Record<string, unknown> = {};
    for (const [key, member] of entries) {
      const given = Object.hasOwn(value, key) ? value[key] : undefined;
      if (given === undefined && isOptional(member)) continue;
      const result = isOptional(member) ? member[absent](given) : member(given);
      if (result === undefined) return undefined;
      parsed[key] = result;
    }
    return isShape(parsed) ? parsed : undefined;
  };
}

/** Accepts everything. */
export const anyValue: Parser<unknown> = (value) => value;

/** Parses JSON by `parse`; returns `undefined` for any other text. Never throws. */
export function parseText<T>(text: string, parse: Parser<T>): T | undefined {
  try {
    return parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Chooses the parser by the value of one member. */
export function byMember<T>(
  member: string,
  parsers: { readonly [K in keyof T]: Parser<T[K]> },
): Parser<T[keyof T]> {
  const isKnown = (kind: unknown): kind is keyof T =>
    typeof kind === 'string' && Object.hasOwn(parsers, kind);
  return (value) => {
    const kind = isObject(value) ? value[member] : undefined;
    return isKnown(kind) ? parsers[kind](value) : undefined;
  };
}

function isOptional<T>(member: Parser<T> | Optional<T>): member is Optional<T> {
  return typeof member === 'object';
}

/**
 * True if a JSON value has more than `levels` levels of objects and arrays, including itself. A
 * depth of some thousands overflows the stack when the value is copied, compared or written.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (!isContainer(value)) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(levels - 1, item)) return true;
    return false;
  }
  // Does not create a list of the members, which would be one more object.
  for (const name in value) if (isDeeperThan(levels - 1, Reflect.get(value, name))) return true;
  return false;
}

/** Servers offer a few sizes and two themes. */
const maxIcons = 20;
/** Icons that can be displayed are smaller, even as base64. */
const maxSourceChars = 128 * 1024;

/**
 * Parses a list of icons. Invalid ones are left out, because a listing must not fail for an icon
 * . Returns `undefined` if none is left.
 */
export function parseIcons(value: unknown): readonly Icon[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const icons = value.slice(0, maxIcons).flatMap((item: unknown) => {
    const icon = parseIcon(item);
    return icon === undefined ? [] : [icon];
  });
  return icons.length === 0 ? undefined : icons;
}

function parseIcon(value: unknown): Icon | undefined {
  if (!isObject(value)) return undefined;
  const { src, sizes, theme } = value;
  if (typeof src !== 'string' || src.length > maxSourceChars) return undefined;
  const icon: Mutable<Icon> = { src };
  const mimeType = stringOrAbsent(value.mimeType);
  if (mimeType !== undefined) icon.mimeType = mimeType;
  // Older servers send a single string.
  const given: unknown[] = Array.isArray(sizes) ? sizes : [sizes];
  const known = given.filter((size): size is string => typeof size === 'string').slice(0, maxIcons);
  if (known.length > 0) icon.sizes = known;
  if (theme === 'light' || theme === 'dark') icon.theme = theme;
  return icon;
}
