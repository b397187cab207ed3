import { bufferOf } from '../json/bufferOf';
import { findStep, type PointerSteps } from '../json/jsonPointer';
import { KeptJson } from '../json/keptJson';
import { isObject } from '../json/shapes';

/** In the first line of every recording; another form has another number. */
export const recordingVersion = 1;
/** A longer message is named and left out: nobody reads it, and it would be pasted into an issue. */
export const maxMessageChars = 4 * 1024 * 1024;

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

/** The first line. */
export function recordingHead(now: Date): string {
  return JSON.stringify({ mcprecord: recordingVersion, recordedAt: now.toISOString() });
}

/**
 * The line of a message, without its line break: texts as `redact` leaves them, and without what
 * stands at the places of `omitted`. A message that is too large, or holds structured content of
 * very many values, is named and not kept.
 */
export function recordedLine(
  { message, ...facts }: RecordedMessage & { readonly message: object },
  redact: (text: string) => string,
  omitted: readonly PointerSteps[],
): string {
  const json = messageJson(omitted.reduce<unknown>(leaveOut, message), redact);
  if (json === undefined || json.length > maxMessageChars) {
    return JSON.stringify({ ...facts, ...namesOf(message), isLeftOut: true });
  }
  return `${JSON.stringify(facts).slice(0, -1)},"message":${json}}`;
}

/** `undefined` for a message that is not kept. */
function messageJson(message: unknown, redact: (text: string) => string): string | undefined {
  let room = maxMessageChars;
  let isLarge = false;
  const textOf = (key: string, bytes: Uint8Array): string | undefined => {
    if (fewestChars(key, bytes) > room) return undefined;
    return bufferOf(bytes).toString(key === 'text' ? 'utf8' : 'base64');
  };
  try {
    const json = JSON.stringify(message, function (this: unknown, key: string, value: unknown) {
      // What it gives for bytes would be walked one by one.
      if (isLarge) return undefined;
      // Asked for behind `toJSON`, which makes a text of what is kept as text.
      const held = isObject(this) ? this[key] : value;
      const text = held instanceof Uint8Array ? textOf(key, held) : value;
      isLarge = held instanceof KeptJson || (text === undefined && held !== undefined);
      if (isLarge || typeof text !== 'string') return isLarge ? undefined : text;
      const redacted = redact(text);
      room -= redacted.length;
      isLarge = room < 0;
      return isLarge ? undefined : redacted;
    });
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

/** What tells which message it was. */
function namesOf(message: object): object {
  const { method, id } = Object.fromEntries(Object.entries(message)) as {
    readonly method?: unknown;
    readonly id?: unknown;
  };
  return {
    ...(typeof method === 'string' ? { method } : {}),
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
  };
}

/** A copy that shares everything but the way to the place. */
function leaveOut(value: unknown, steps: PointerSteps): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return '(left out)';
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
