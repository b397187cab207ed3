import { WorkTurns } from '../../core/bounds/workTurns';
import { bytesOf, isContainer } from '../../core/json/leaves';
import { RawJson } from '../../core/json/rawJson';
import type { ToolResult } from '../../core/types';
import { SecretValues } from '../secrets/secretValues';

/** Characters or bytes that are looked through at once: below a millisecond. */
const windowLength = 256 * 1024;
/** Looked at twice, so that a secret on the border shows; longer than any form of one. */
const overlap = 16 * 1024;
/** More than a person types; to learn the forms of each takes time, too. */
const maxSecrets = 200;
/** Of each; whatever repeats a longer one repeats its beginning. */
const maxSecretChars = 4 * 1024;

/**
 * Whether an answer holds one of these texts, or one that is `known` to be secret, in any form that
 * {@link SecretValues} finds, in names of members, too. Pauses, so that an answer of any size
 * holds up nothing. More than 200 secrets are not looked for: the answer counts as one that does.
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

/** Every text in a value, and every name, in no order; large ones piece by piece. */
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

/** As it is written, and as it would be read; JSON escapes of other kinds are forms of a secret. */
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
