import { WorkTurns } from '../../core/bounds/workTurns';
import { bytesOf, isContainer } from '../../core/json/leaves';
import { RawJson } from '../../core/json/rawJson';
import type { ToolResult } from '../../core/types';
import { SecretValues } from '../secrets/secretValues';

/** Number of characters or bytes that are searched at once, in less than a millisecond. */
const windowLength = 256 * 1024;
/** Overlap of the searched windows, longer than any form of a secret. */
const overlap = 16 * 1024;
/** Learning the forms of more secrets takes too long. */
const maxSecrets = 200;
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
