import { McpError } from '../../core/errors';
import type { JsonValue } from '../../core/json/jsonValue';
import { isContainer } from '../../core/json/leaves';

/** Removes secrets from a text. */
export type Redact = (text: string) => string;

/** Returns `error` without secrets in its details; itself if there are none. */
export function redactedError(error: McpError, redact: Redact): McpError {
  const { detail, stderrTail, stdoutTail, probeDetail, wwwAuthenticate } = error.facts;
  const texts = Object.entries({ detail, stderrTail, stdoutTail, probeDetail, wwwAuthenticate });
  const changed = texts.flatMap(([name, text]) => {
    const shown = text === undefined ? text : redact(text);
    return shown === text ? [] : [[name, shown]];
  });
  if (changed.length === 0) return error;
  return new McpError(error.code, { ...error.facts, ...Object.fromEntries(changed) });
}

/**
 * Returns the value with `redact` applied to every string; itself if that changes none. Names of
 * properties stay.
 */
export function redactJson(value: JsonValue, redact: (text: string) => string): JsonValue {
  if (typeof value === 'string') return redact(value);
  if (!isContainer(value)) return value;
  let isSame = true;
  const members = Object.entries(value).map(([name, member]: [string, JsonValue]) => {
    const redacted = redactJson(member, redact);
    if (redacted !== member) isSame = false;
    return [name, redacted] as const;
  });
  if (isSame) return value;
  if (Array.isArray(value)) return members.map(([, member]) => member);
  // Defines own properties, so a key `__proto__` is data like any other.
  return Object.fromEntries(members);
}

/** Placeholder for a secret. */
export const secretMarker = '(secret)';
