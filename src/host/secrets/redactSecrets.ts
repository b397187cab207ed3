import { McpError } from '../../core/errors';
import type { JsonValue } from '../../core/json/jsonValue';
import { isContainer } from '../../core/json/shapes';
import { createHash } from 'node:crypto';
import type { ServerConfig, TextPiece, WrittenText } from '../configuration/serverConfig';
import { isSecretReference, looksSecret } from '../configuration/secretNames';

/** Removes secrets from a text. */
export type Redact = (text: string) => string;

/** Returns `error` without secrets in its details; itself if there are none. */
export function redactedError(error: McpError, redact: Redact): McpError {
  const { detail, stderrTail, stdoutTail, printed, probeDetail, wwwAuthenticate } = error.facts;
  const outside = { detail, stderrTail, stdoutTail, printed, probeDetail, wwwAuthenticate };
  const texts = Object.entries(outside);
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

/** Represents a hidden value. Different values have different masks. */
export interface SecretMask {
  /** In UTF-16 units. */
  readonly length: number;
  /** The first 8 hex digits of the value's SHA-256. */
  readonly digest: string;
}

/** A text of an entry as it may be shown. */
export interface ShownText {
  /** Undefined if it is masked. */
  readonly value?: string;
  /**
   * The text as written in the configuration, if it refers to the user's environment: the user has
   * to see which variable leaves the machine. Literal secrets in it are dots.
   */
  readonly written?: string;
  readonly mask?: SecretMask;
}

type Reference = Exclude<TextPiece, { readonly text: string }>;

const dots = '•••';

/** Parts beside the secret: the authentication scheme, the parameter name, separators. */
const scheme = /^[A-Za-z][A-Za-z-]{1,20} +$/;
const named = /^(?:[A-Za-z][A-Za-z-]{1,20} +)?([A-Za-z_-]{2,20})[=:] ?"?$/;
const signs = /^[^A-Za-z0-9]{1,3}$/;

/** @param name name of the variable, header or member of `oauth`, or index of the argument */
export function shownText(
  { written = [] }: Pick<ServerConfig, 'written'>,
  part: WrittenText['part'],
  value: string,
  name?: string | number,
): ShownText {
  const pieces = written.find((each) => each.part === part && each.name === name)?.pieces;
  const isNamed = part === 'variable' || part === 'header' || part === 'signIn';
  const isNamedSecret = isNamed && looksSecret(String(name));
  if (!isMasked(part, value, isNamedSecret, pieces ?? [])) {
    // Fields that decide which program runs are shown with their value and as written.
    return pieces === undefined
      ? { value }
      : { value, written: textOf(pieces, part, { hasMask: false, isSecret: false }) };
  }
  const all = pieces ?? [{ text: value }];
  const text = textOf(all, part, { hasMask: true, isSecret: isNamedSecret });
  return { ...(text === dots ? {} : { written: text }), mask: maskOf(value) };
}

function isMasked(
  part: WrittenText['part'],
  value: string,
  isNamedSecret: boolean,
  pieces: readonly TextPiece[],
): boolean {
  // This text is run, or names the place where it runs, whatever the variable's name is.
  if (value === '' || part === 'command' || part === 'folder' || part === 'file') return false;
  const references = pieces.filter((piece) => 'reference' in piece);
  const hidden = references.filter((each) => each.value !== '' && !isAlwaysShown(each, part));
  if (hidden.some((each) => isSecretReference(each.reference, each.value))) return true;
  if (!isNamedSecret) return false;
  return references.length > 0 || literals(value).some((text) => shownLiteral(text) !== text);
}

/**
 * Returns true for a text of a file that may decide what runs or what is reached. A name such as
 * `TOKEN` must not hide it.
 */
function isAlwaysShown({ isForeign }: Reference, part: WrittenText['part']): boolean {
  return isForeign === true && part !== 'header' && part !== 'signIn';
}

/**
 * Returns a text as it is written. Where its value is not shown, too, it contains the values of all
 * settings that are always shown. `isSecret`: the name of the text says that it is a secret.
 */
function textOf(
  pieces: readonly TextPiece[],
  part: WrittenText['part'],
  { hasMask, isSecret }: { readonly hasMask: boolean; readonly isSecret: boolean },
): string {
  return pieces
    .map((piece) => {
      if ('text' in piece) return isSecret ? withoutLiterals(piece.text) : piece.text;
      if (isSecret) return withoutDefault(piece);
      if (!isAlwaysShown(piece, part)) return withoutSecretDefault(piece);
      return hasMask && defaultOf(piece) === '' ? piece.value : piece.reference;
    })
    .join('');
}

function withoutSecretDefault(piece: Reference): string {
  // The default is a literal as well, also where the variable is set.
  const texts = [piece.value, defaultOf(piece)];
  const isHidden = texts.some((text) => isSecretReference(piece.reference, text));
  return isHidden ? withoutDefault(piece) : piece.reference;
}

function withoutDefault({ reference }: Reference): string {
  return reference.replace(/:-.+\}$/s, `:-${dots}}`);
}

/** Returns the default of a shell variable; `''` if there is none. */
function defaultOf({ reference }: Reference): string {
  return /:-(.+)\}$/s.exec(reference)?.[1] ?? '';
}

const input = /(\$\{input:[^{}]*\})/;

function literals(text: string): string[] {
  return text.split(input).filter((piece) => !input.test(piece));
}

function withoutLiterals(text: string): string {
  return text
    .split(input)
    .map((piece) => (input.test(piece) ? piece : shownLiteral(piece)))
    .join('');
}

function shownLiteral(text: string): string {
  if (text === '' || scheme.test(text) || signs.test(text)) return text;
  const name = named.exec(text)?.[1];
  return name !== undefined && looksSecret(name) ? text : dots;
}

function maskOf(value: string): SecretMask {
  const digest = createHash('sha256').update(value).digest('hex').slice(0, 8);
  return { length: value.length, digest };
}
