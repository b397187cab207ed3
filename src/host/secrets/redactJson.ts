import type { JsonValue } from '../../core/json/jsonValue';
import { isContainer } from '../../core/json/leaves';

/** A copy in which every text went through `redact`; names of properties stay. */
export function redactJson(value: JsonValue, redact: (text: string) => string): JsonValue {
  if (typeof value === 'string') return redact(value);
  if (value === null || typeof value !== 'object' || !isContainer(value)) return value;
  if (isArray(value)) return value.map((item) => redactJson(item, redact));
  const members = Object.entries(value).map(
    ([name, member]) => [name, redactJson(member, redact)] as const,
  );
  // Defines own properties, so a key `__proto__` is data like any other.
  return Object.fromEntries(members);
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
