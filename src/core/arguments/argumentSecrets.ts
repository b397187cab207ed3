import { applyEdits, modify } from 'jsonc-parser';
import { isContainer } from '../json/leaves';
import { isJsonObject } from '../json/shapes';
import { isSecretSchema, type Place, secretPlaces } from '../schema/secretPlaces';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { readArgumentsText } from './argumentsJson';

/** True if the schema may mark any value as a secret. */
export function mayHaveSecrets(schema: JsonObject): boolean {
  const waiting: JsonValue[] = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isJsonObject(next) && isSecretSchema(next)) return true;
    if (typeof next !== 'object' || next === null) continue;
    for (const child of Object.values(next)) waiting.push(child);
  }
  return false;
}

/**
 * Replaces each secret in the text of a document by an empty string. Returns `undefined` if the
 * text is malformed, so that the secrets cannot be found.
 */
export function textWithoutSecrets(schema: JsonObject, text: string): string | undefined {
  if (!mayHaveSecrets(schema)) return text;
  const { value } = readArgumentsText(text);
  if (value === undefined) return undefined;
  return secretPlaces(schema, value).reduce(
    (rest, place) => applyEdits(rest, modify(rest, [...place], '', {})),
    text,
  );
}

/** Removes all secrets, and list items that are secrets, from the arguments. */
export function withoutSecrets(schema: JsonObject, value: JsonObject): JsonObject {
  if (!mayHaveSecrets(schema)) return value;
  const rest = withSecretsAs(undefined, schema, value).value;
  return isJsonObject(rest) ? rest : {};
}

export interface WithoutSecrets<T> {
  readonly value: T;
  readonly hasSecrets: boolean;
}

/**
 * Copies the value with `marker` in place of each secret. Without a marker, secrets are removed.
 */
export function withSecretsAs<T extends JsonValue | undefined>(
  marker: T,
  schema: unknown,
  value: JsonValue,
): WithoutSecrets<JsonValue | T> {
  const places = secretPlaces(schema, value);
  const secrets = new Set(places.map((place) => JSON.stringify(place)));
  const copy = (from: JsonValue, place: Place): JsonValue | T => {
    if (secrets.has(JSON.stringify(place))) return marker;
    if (!isContainer(from)) return from;
    const children = Object.entries(from).flatMap(([key, child]): [string, JsonValue][] => {
      const kept = copy(child, [...place, Array.isArray(from) ? Number(key) : key]);
      return kept === undefined ? [] : [[key, kept]];
    });
    if (Array.isArray(from)) return children.map(([, child]) => child);
    // Defines own properties, so that `__proto__` is an ordinary one.
    return Object.fromEntries(children);
  };
  const hasSecrets = places.length > 0;
  return { value: hasSecrets ? copy(value, []) : value, hasSecrets };
}
