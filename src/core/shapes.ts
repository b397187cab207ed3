import type { JsonObject, JsonValue } from './types';

/** A JSON object of unknown content: read its members by name, never copy them by a loop. */
export type UnknownObject = { readonly [key: string]: unknown };

/** Neither null nor an array. */
export function isObject(value: unknown): value is UnknownObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function stringOrAbsent(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function finiteNumberOrAbsent(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** For values that came out of `JSON.parse`, which makes nothing else. */
export function asJsonObject(value: UnknownObject): JsonObject {
  return value as JsonObject;
}

/** For values that came out of `JSON.parse`, which makes nothing else. */
export function asJsonValue(value: unknown): JsonValue {
  return value as JsonValue;
}

/** `value` as compact JSON of at most `maxChars` characters; for logs and errors. Never throws. */
export function boundedJson(value: unknown, maxChars: number): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    // Nested too deeply for the stack, or too long for one string.
    json = `(${error instanceof Error ? error.message : 'not serialisable'})`;
  }
  const text = json ?? 'undefined';
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}
