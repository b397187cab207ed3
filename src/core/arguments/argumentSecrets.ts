import { applyEdits, modify } from 'jsonc-parser';
import { isContainer } from '../json/leaves';
import { isJsonObject } from '../json/shapes';
import { isSecretSchema, type Place, secretPlaces } from '../schema/secretPlaces';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { readArgumentsText } from './argumentsJson';

/** Whether a secret may stand anywhere in what the schema describes. */
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
 * The text of a document with an empty text in place of each secret, or `undefined` where it cannot
 * be told where they are, because the text is broken.
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

/** The arguments without those, and without items of lists, that are secrets. */
export function withoutSecrets(schema: JsonObject, value: JsonObject): JsonObject {
  if (!mayHaveSecrets(schema)) return value;
  const rest = withSecretsAs(undefined, schema, value).value;
  return isJsonObject(rest) ? rest : {};
}

export interface WithoutSecrets<T> {
  readonly value: T;
  readonly hasSecrets: boolean;
}

/** A copy of the value with `marker` in place of each secret; with nothing there without a marker. */
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
    // Defines own properties, so a key `__proto__` is data like any other.
    return Object.fromEntries(children);
  };
  const hasSecrets = places.length > 0;
  return { value: hasSecrets ? copy(value, []) : value, hasSecrets };
}
