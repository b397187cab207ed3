import { withSecretsAs } from '../../core/arguments/argumentSecrets';
import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { isContainer } from '../../core/json/leaves';
import { isJsonObject } from '../../core/json/shapes';
import { redactJson, secretMarker } from '../secrets/redactSecrets';
import { minSecretChars, holdsSecret } from '../secrets/secretForms';

export interface StoredArguments {
  /**
   * Secrets are replaced by the marker; the given object if there are none, `undefined` if
   * everything is secret.
   */
  readonly value: JsonObject | undefined;
  readonly hasSecrets: boolean;
  /** Texts that must not be written to disk elsewhere. */
  readonly secrets: readonly string[];
}

/**
 * Returns the storable arguments: without values that the schema marks as secret, and without texts
 * that contain one of `known` or that `redact` would change.
 */
export function storedArguments(
  value: JsonObject,
  schema: JsonObject,
  known: readonly string[],
  redact: (text: string) => string,
): StoredArguments {
  const bySchema = withSecretsAs(secretMarker, schema, value);
  const secrets = new Set(known.filter(({ length }) => length >= minSecretChars));
  if (bySchema.hasSecrets) collect(value, bySchema.value, secrets);
  const isSecret = (text: string): boolean =>
    holdsSecret(text, known) || redact(text) !== text || holdsSecret(text, secrets);
  let { hasSecrets } = bySchema;
  const marked = redactJson(bySchema.value, (text) => {
    if (!isSecret(text)) return text;
    hasSecrets = true;
    if (text.length >= minSecretChars) secrets.add(text);
    return secretMarker;
  });
  return {
    value: isJsonObject(marked) ? marked : undefined,
    hasSecrets,
    secrets: [...secrets],
  };
}

/** Returns arguments without their secrets, to start new ones. */
export function withoutMarkers(value: JsonObject): JsonObject {
  const rest = strip(value);
  return isJsonObject(rest) ? rest : {};
}

/** Returns arguments with each secret replaced; `name` is the innermost key around it. */
export function replaceMarkers(
  value: JsonObject,
  replacement: (name: string) => string,
): JsonObject {
  const replace = (child: JsonValue, name: string): JsonValue => {
    if (child === secretMarker) return replacement(name);
    if (Array.isArray(child)) return child.map((item) => replace(item, name));
    if (!isJsonObject(child)) return child;
    return Object.fromEntries(Object.entries(child).map(([key, one]) => [key, replace(one, key)]));
  };
  const replaced = replace(value, '');
  return isJsonObject(replaced) ? replaced : {};
}

/** Collects every text that the marker replaced. */
function collect(value: JsonValue, marked: JsonValue, found: Set<string>): void {
  if (marked === secretMarker) {
    redactJson(value, (text) => {
      if (text.length >= minSecretChars) found.add(text);
      return text;
    });
    return;
  }
  if (!isContainer(value) || !isContainer(marked)) return;
  const places = Object.entries(marked);
  for (const [index, child] of Object.values(value).entries()) {
    const other = places[index]?.[1];
    if (other !== undefined) collect(child, other, found);
  }
}

function strip(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.filter((item) => item !== secretMarker).map(strip);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      child === secretMarker ? [] : [[key, strip(child)] as const],
    ),
  );
}
