import { WrittenNumber } from './writtenNumber';
import type { JsonObject, JsonValue } from './jsonValue';

/** A JSON object of unknown content: read its members by name, never copy them in a loop. */
export type UnknownObject = { readonly [key: string]: unknown };

/** True for an object that is neither null nor an array nor a number as written. */
export function isObject(value: unknown): value is UnknownObject {
  if (value instanceof WrittenNumber) return false;
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
