import { isNumber } from '../core/json/writtenNumber';
import { isObject } from '../core/json/shapes';
import { isProtocolWord } from '../core/recording/recordedLine';
import { secretMarker } from '../host/secrets/redactSecrets';

type Redact = (text: string) => string;

/** The server chooses names and values below these members. */
const openMembers: readonly string[] = ['structuredContent', '_meta'];

/**
 * Returns a copy of a wire result without secrets: texts are redacted, and numbers that belong to a
 * secret become the marker. The structure is preserved: names and kinds of the protocol, `true`,
 * `false` and `null`. Members whose redacted names collide are all preserved.
 */
export function redactedResult(wire: object, redact: Redact): object {
  return redactedObject(wire, redact, false);
}

function redactedObject(value: object, redact: Redact, isOpen: boolean): object {
  if (Array.isArray(value)) {
    return value.map((item: unknown) => redactedMember(item, redact, isOpen));
  }
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, member] of Object.entries(value)) {
    const isForm = !isOpen && isProtocolWord(name);
    const isKept =
      isForm && name === 'type' && typeof member === 'string' && isProtocolWord(member);
    const below = isOpen || openMembers.includes(name);
    copy[isForm ? name : freeName(copy, redact(name))] = isKept
      ? member
      : redactedMember(member, redact, below);
  }
  return copy;
}

function redactedMember(value: unknown, redact: Redact, isOpen: boolean): unknown {
  if (typeof value === 'string') return redact(value);
  if (isNumber(value)) return redact(String(value)) === String(value) ? value : secretMarker;
  return isObject(value) || Array.isArray(value) ? redactedObject(value, redact, isOpen) : value;
}

function freeName(copy: object, name: string): string {
  let free = name;
  for (let count = 2; Object.hasOwn(copy, free); count += 1) free = `${name} ${count}`;
  return free;
}
