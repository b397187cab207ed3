import { findStep, type PointerSteps } from '../json/jsonPointer';
import { RawJson } from '../json/rawJson';
import { bytesOf } from '../json/leaves';
import { isObject } from '../json/shapes';
import { isProtocolWord } from '../parse/protocolWords';
import { writtenBytes } from '../json/writtenBytes';
import { writeExactly, WrittenNumber } from '../json/writtenNumber';
import { leftOut, withoutPrivate } from './withoutPrivate';

/** In the first line of every recording; another form has another number. */
export const recordingVersion = 1;
/** A longer message is named and left out: nobody reads it, and it would be pasted into an issue. */
export const maxMessageChars = 4 * 1024 * 1024;

/** Members that say what a message or a part of it is. */
const formKeys: readonly string[] = ['method', 'type', 'role'];

/** What names a message that is left out is never longer. */
const maxNameChars = 200;

/** One message of a recording. */
export interface RecordedMessage {
  /** Milliseconds after the beginning. */
  readonly at: number;
  /** The id of the server in the run that was recorded. */
  readonly server: string;
  readonly to: 'server' | 'client';
  /** Absent where it was too large to be kept. */
  readonly message?: object;
}

/** The first line. `seed`: of what the run generated, beside the time. */
export function recordingHead(now: Date, seed?: string): string {
  return JSON.stringify({ mcprecord: recordingVersion, recordedAt: now.toISOString(), seed });
}

/** The last line: what lacks it, or has another number of messages, is not whole. */
export function recordingEnd(messages: number): string {
  return JSON.stringify({ isEnd: true, messages });
}

/**
 * The line of a message, without its line break: texts as `redact` leaves them, without what is
 * private in every message, and without what stands at the places of `omitted`. A message that is too large, or holds structured content of
 * very many values, is named and not kept.
 */
export function recordedLine(
  { message, ...facts }: RecordedMessage & { readonly message: object },
  redact: (text: string) => string,
  omitted: readonly PointerSteps[],
): string {
  const json = messageJson(() => {
    const kept = withoutPrivate(message, facts.to);
    return omitted.reduce<unknown>(leaveOut, kept);
  }, redact);
  if (json === undefined || json.length > maxMessageChars) {
    return JSON.stringify({ ...facts, ...namesOf(message, redact), isLeftOut: true });
  }
  return `${JSON.stringify(facts).slice(0, -1)},"message":${json}}`;
}

/** `undefined` for a message that is not kept. */
function messageJson(
  makeMessage: () => unknown,
  redact: (text: string) => string,
): string | undefined {
  let room = maxMessageChars;
  let isLarge = false;
  const textOf = (key: string, bytes: Uint8Array): string | undefined => {
    if (fewestChars(key, bytes) > room) return undefined;
    return writtenBytes(key, bytes);
  };
  try {
    const json = writeExactly(() =>
      JSON.stringify(makeMessage(), function (this: unknown, key: string, value: unknown) {
        // What it gives for bytes would be walked one by one.
        if (isLarge) return undefined;
        // Asked for behind `toJSON`, which makes a text of what is kept as text.
        const held = isObject(this) ? this[key] : Array.isArray(this) ? this[Number(key)] : value;
        // What stands for it while it is written.
        if (held instanceof WrittenNumber) return value;
        const bytes = bytesOf(held);
        const text = bytes === undefined ? value : textOf(key, bytes);
        isLarge = held instanceof RawJson || (text === undefined && held !== undefined);
        if (isLarge) return undefined;
        if (typeof text !== 'string') return withRedactedNames(text, redact);
        const isForm = (formKeys.includes(key) && isProtocolWord(text)) || text === '2.0';
        const redacted = isForm ? text : redact(text);
        room -= redacted.length;
        isLarge = room < 0;
        return isLarge ? undefined : redacted;
      }),
    );
    return isLarge ? undefined : json;
  } catch {
    // Nested beyond the stack, or too long for a string.
    return undefined;
  }
}

/** Very large texts come as UTF-8 below `text`, and as what base64 stands for elsewhere. */
function fewestChars(key: string, { length }: Uint8Array): number {
  return key === 'text' ? length / 3 : (length / 3) * 4;
}

/** Names of members come from whoever sent the message, as their texts do. */
function withRedactedNames(value: unknown, redact: (text: string) => string): unknown {
  if (!isObject(value)) return value;
  const redactedName = (name: string) => (isProtocolWord(name) ? name : redact(name));
  if (Object.keys(value).every((name) => redactedName(name) === name)) return value;
  // Defines members rather than setting them, so that `__proto__` is one like any other.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => [redactedName(name), member]),
  );
}

/** What tells which message it was; nothing of a name that makes the line as long as the message. */
function namesOf(message: object, redact: (text: string) => string): object {
  const { method, id } = Object.fromEntries(Object.entries(message)) as {
    readonly method?: unknown;
    readonly id?: unknown;
  };
  return {
    ...(isName(method) ? { method: isProtocolWord(method) ? method : redact(method) } : {}),
    ...(typeof id === 'number' ? { id } : {}),
    ...(isName(id) ? { id: redact(id) } : {}),
  };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxNameChars;
}

/** A copy that shares everything but the way to the place. */
function leaveOut(value: unknown, steps: PointerSteps): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return leftOut;
  const found = findStep(value, step);
  if (!found.isThere || typeof value !== 'object' || value === null) return value;
  const inside = leaveOut(found.value, rest);
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (String(index) === step ? inside : item));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => [
      name,
      name === step ? inside : member,
    ]),
  );
}
