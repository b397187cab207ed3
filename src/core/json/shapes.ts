import { WrittenNumber, isNumber, isSameNumber } from './writtenNumber';
import type { JsonObject, JsonValue } from './jsonValue';
import { backslash, isSpace, quote } from './jsonLimits';
import { RawJson } from './rawJson';

/** A JSON object of unknown content: read its members by name, never copy them in a loop. */
export type UnknownObject = { readonly [key: string]: unknown };

/** The same type with members that can be set, to create an object step by step. */
export type Mutable<T> = { -readonly [Member in keyof T]: T[Member] };

/** True for an object that is neither null nor an array nor a number as written. */
export function isObject(value: unknown): value is UnknownObject {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isPlain && !(value instanceof WrittenNumber);
}

export function stringOrAbsent(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function finiteNumberOrAbsent(value: unknown): number | undefined {
  const number = value instanceof WrittenNumber ? value.valueOf() : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** For values that `JSON.parse` returned, where every object is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

/** `Array.isArray` does not recognize a read-only array. */
export function isJsonArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** For members of values that `JSON.parse` returned: any member that exists is a JSON value. */
export function isJsonValue(value: unknown): value is JsonValue {
  return value !== undefined;
}

/** Returns the unknown members of a JSON object; `undefined` if there are none. */
export function restOf(
  value: UnknownObject,
  isKnown: (name: string) => boolean,
): JsonObject | undefined {
  if (!hasOthers(value, isKnown)) return undefined;
  const others = Object.entries(value).filter(
    (member): member is [string, JsonValue] => !isKnown(member[0]) && isJsonValue(member[1]),
  );
  // Defines members rather than assigning them, so that `__proto__` is an ordinary one.
  return Object.fromEntries(others);
}

/** Checks without allocating: nearly every answer has none. */
function hasOthers(value: UnknownObject, isKnown: (name: string) => boolean): boolean {
  for (const name in value) if (!isKnown(name) && value[name] !== undefined) return true;
  return false;
}

/** Deeper values count as different, so that the comparison cannot exhaust the stack. */
const maxDepth = 500;

/**
 * True if two pieces of plain JSON data are equal, regardless of the order of keys. Several times
 * as fast as `isDeepStrictEqual`, which checks much that JSON cannot have.
 */
export function isSameJson(one: unknown, other: unknown, depth = 0): boolean {
  if (one === other) return true;
  if (depth > maxDepth) return false;
  if (!isContainer(one) || !isContainer(other)) return isSameLeaf(one, other);
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => isSameJson(item, other[index], depth + 1));
  }
  return isObject(one) && isObject(other) && hasSameMembers(one, other, depth);
}

function isSameLeaf(one: unknown, other: unknown): boolean {
  return isNumber(one) && isNumber(other) ? isSameNumber(one, other) : hasSameBytes(one, other);
}

function hasSameBytes(one: unknown, other: unknown): boolean {
  const bytes = bytesOf(other);
  return bytes !== undefined && bytesOf(one)?.equals(bytes) === true;
}

function hasSameMembers(one: UnknownObject, other: UnknownObject, depth: number): boolean {
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(other, key) || !isSameJson(one[key], other[key], depth + 1)) return false;
  }
  return true;
}

/** True if two JSON texts differ in white space only. Takes linear time. */
export function haveSameTokens(one: Uint8Array, other: Uint8Array): boolean {
  let at = 0;
  let isInString = false;
  for (let index = 0; index < one.length; index += 1) {
    const byte = one[index] ?? 0;
    if (!isInString) {
      if (isSpace(byte)) continue;
      while (at < other.length && isSpace(other[at] ?? 0)) at += 1;
    }
    if (byte !== other[at]) return false;
    at += 1;
    if (byte === quote) isInString = !isInString;
    else if (isInString && byte === backslash) {
      index += 1;
      if (one[index] !== other[at]) return false;
      at += 1;
    }
  }
  while (at < other.length && isSpace(other[at] ?? 0)) at += 1;
  return at === other.length;
}

/**
 * True for a value whose members may be walked; every walk over values must use it. Bytes in any
 * form, JSON that is kept as text, and numbers as written are one leaf each, like strings: bytes
 * may have 512 Mi members, none of them a value of its own.
 */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isLeafObject(value);
}

function isLeafObject(value: object): boolean {
  return (
    ArrayBuffer.isView(value) ||
    value instanceof RawJson ||
    value instanceof WrittenNumber ||
    value instanceof ArrayBuffer
  );
}

/** Wraps the bytes in a Buffer without copying them; `undefined` for other values. */
export function bytesOf(value: unknown): Buffer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (ArrayBuffer.isView(value)) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined;
}

/** Compares by code unit and not by locale, so that every machine has the same order. */
export function sortedEntries<T>(record: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(record).toSorted(([one], [other]) =>
    one < other ? -1 : one > other ? 1 : 0,
  );
}

/** Returns the record with each text changed. */
export function mapTexts<T>(
  record: Readonly<Record<string, T>>,
  change: (text: string) => string,
): Record<string, T | string> {
  const entries = Object.entries(record).map(([name, value]): [string, T | string] => [
    name,
    typeof value === 'string' ? change(value) : value,
  ]);
  return Object.fromEntries(entries);
}
