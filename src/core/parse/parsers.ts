import type { McpErrorCode } from '../errors';
import { isObject } from '../json/shapes';

/** Converts `unknown` to a type, or returns `undefined` if it does not match. Never throws. */
export type Parser<T> = (value: unknown) => T | undefined;

type Parsed<P> = P extends Parser<infer T> ? T : never;

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

/** Chooses the parser by the value of one member. */
export function byMember<T>(
  member: string,
  parsers: Readonly<Record<string, Parser<T>>>,
): Parser<T> {
  return (value) => {
    const kind = isObject(value) ? value[member] : undefined;
    if (typeof kind !== 'string' || !Object.hasOwn(parsers, kind)) return undefined;
    return parsers[kind]?.(value);
  };
}

function isOptional<T>(member: Parser<T> | Optional<T>): member is Optional<T> {
  return typeof member === 'object';
}
