import { numberTextOf, withNumberTexts } from '../core/json/numberTexts';
import { isObject } from '../core/json/shapes';
import { isProtocolWord } from '../core/parse/protocolWords';
import { secretMarker } from '../host/secrets/secretMarker';

type Redact = (text: string) => string;

/** Members that hold whatever a server likes, also names. */
const openMembers: readonly string[] = ['structuredContent', '_meta'];

/**
 * A copy of a result as it stands on the wire, without secrets: texts as `redact` leaves them, and
 * the marker in place of numbers that belong to a secret. What makes it a result stays: names and
 * kinds that the protocol has, `true`, `false` and `null`. No member is lost to another.
 */
export function redactedResult(wire: object, redact: Redact): object {
  return redactedObject(wire, redact, false);
}

function redactedObject(value: object, redact: Redact, isOpen: boolean): object {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) =>
      redactedMember(value, String(index), item, redact, isOpen),
    );
    return withNumberTexts(items, value);
  }
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, member] of Object.entries(value)) {
    const isForm = !isOpen && isProtocolWord(name);
    const isKept =
      isForm && name === 'type' && typeof member === 'string' && isProtocolWord(member);
    const below = isOpen || openMembers.includes(name);
    copy[isForm ? name : freeName(copy, redact(name))] = isKept
      ? member
      : redactedMember(value, name, member, redact, below);
  }
  return withNumberTexts(copy, value);
}

function redactedMember(
  holder: object,
  name: string,
  value: unknown,
  redact: Redact,
  isOpen: boolean,
): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') {
    const written = numberTextOf(holder, name) ?? String(value);
    return redact(written) === written ? value : secretMarker;
  }
  return isObject(value) || Array.isArray(value) ? redactedObject(value, redact, isOpen) : value;
}

function freeName(copy: object, name: string): string {
  let free = name;
  for (let count = 2; Object.hasOwn(copy, free); count += 1) free = `${name} ${count}`;
  return free;
}
