import { withSecretsAs } from '../../core/arguments/argumentsText';
import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { isContainer, bytesOf, isJsonObject } from '../../core/json/shapes';
import { redactJson, secretMarker } from '../secrets/redactSecrets';
import { minSecretChars, holdsSecret, SecretValues } from '../secrets/secretValues';
import { WorkTurns } from '../../core/bounds/workTurns';
import { RawJson } from '../../core/json/rawJson';
import type { ToolResult } from '../../core/types';

/** Comparing with more secrets, and learning their forms, takes too long. */
const maxSecrets = 200;

export interface StoredArguments {
  /**
   * Secrets are replaced by the marker; the given object if there are none, `undefined` if
   * everything is secret or there are more than 200.
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
    // Every text is compared with every secret, so the number of secrets bounds the work.
    if (text === secretMarker || secrets.size > maxSecrets || !isSecret(text)) return text;
    hasSecrets = true;
    if (text.length >= minSecretChars) secrets.add(text);
    return secretMarker;
  });
  if (secrets.size > maxSecrets) {
    return { value: undefined, hasSecrets: true, secrets: [...secrets] };
  }
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
    const add = (text: string): string => {
      if (text.length >= minSecretChars) found.add(text);
      return text;
    };
    redactJson(value, add);
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

/** Number of characters or bytes that are searched at once, in less than a millisecond. */
const windowLength = 256 * 1024;
/** Overlap of the searched windows, longer than any form of a secret. */
const overlap = 16 * 1024;
/** For each secret. An answer that repeats a longer one repeats its beginning. */
const maxSecretChars = 4 * 1024;

/**
 * Returns true if an answer contains one of these texts, or one that is `known` to be secret, in
 * any form that {@link SecretValues} finds, also in names of members. Yields to the event loop.
 * With more than 200 secrets, the answer counts as containing one.
 */
export async function repeatsSecret(
  result: ToolResult,
  secrets: readonly string[],
  known: Pick<SecretValues, 'redact' | 'isEmpty'>,
): Promise<boolean> {
  if (secrets.length > maxSecrets) return true;
  const given = new SecretValues();
  for (const secret of secrets) given.add(secret.slice(0, maxSecretChars));
  const lookedFor = [given, known].filter(({ isEmpty }) => !isEmpty);
  if (lookedFor.length === 0) return false;
  const turns = new WorkTurns();
  for (const text of windowsOf(result)) {
    if (lookedFor.some((values) => values.redact(text) !== text)) return true;
    if (turns.isOver) await turns.giveWay();
  }
  return false;
}

/** Yields every text and name in a value in any order; large ones in windows. */
function* windowsOf(root: unknown): Generator<string> {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    const bytes = bytesOf(value);
    if (typeof value === 'string')
      yield* windows(value.length, (from, to) => value.slice(from, to));
    else if (bytes !== undefined) {
      yield* windows(bytes.length, (from, to) => bytes.toString('utf8', from, to));
    } else if (value instanceof RawJson) yield* keptWindows(value);
    else if (isContainer(value)) {
      for (const [name, child] of Object.entries(value)) open.push(name, child);
    }
  }
}

/** The texts as written and as parsed; other kinds of JSON escapes are forms of a secret. */
function* keptWindows({ segments }: RawJson): Generator<string> {
  for (const segment of segments) {
    for (const text of windowsOf(segment)) {
      yield text;
      if (text.includes('\\u')) yield text.replaceAll(/\\u([\da-f]{4})/gi, fromEscape);
    }
  }
}

function fromEscape(_: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

function* windows(length: number, part: (from: number, to: number) => string): Generator<string> {
  for (let from = 0; from < length; from += windowLength) {
    yield part(Math.max(0, from - overlap), from + windowLength);
  }
}
