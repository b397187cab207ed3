import { secretMarker } from './redactSecrets';

/** A private key has some thousand characters. Of longer values, the beginning is redacted. */
const maxSecretChars = 64 * 1024;

/** Limit for one server, which usually has some ten secrets of a hundred characters. */
const maxHeld = 500;
const maxHeldChars = 64 * 1024;

/** Number of released values that are kept, because late log lines may contain them. */
const maxEnded = 2_000;

/** The secrets in the configuration of one run. */
export interface HeldSecrets {
  /** Number of values that exceeded the limit of one server and are not redacted. */
  readonly leftOut: number;
  /** Call it at the end of the run. The secrets are redacted for a while longer. Idempotent. */
  release(): void;
  /** Like {@link release}, but the secrets count no longer, so that they displace no others. */
  forget(): void;
}

/**
 * The secrets in use in this window, so that no log, report or journal contains one. They are held
 * in memory only. What the user typed or stored stays until the window closes, even if it was
 * removed or changed, because running servers still know it. Values of files count while their
 * servers run, so that no file can displace other secrets.
 */
export class SecretValues {
  readonly #owned = new Set<string>();
  /** Number of runs that hold each value. */
  readonly #held = new Map<string, number>();
  /** Values of runs that have ended, oldest first. */
  readonly #ended = new Set<string>();
  readonly #tree = new FormTree();

  /**
   * Adds a secret of the user for the life of the window. One of fewer than four characters is not
   * redacted.
   */
  add(value: string): void {
    const known = value.slice(0, maxSecretChars);
    if (known.length < minSecretChars || this.#owned.has(known)) return;
    const isNew = !this.#isHeld(known);
    this.#owned.add(known);
    if (isNew) this.#look(known);
  }

  /** Adds the secrets in the configuration of a server that is being started. */
  hold(values: Iterable<string>): HeldSecrets {
    const held: string[] = [];
    let chars = 0;
    let leftOut = 0;
    for (const value of new Set(values)) {
      if (value.length < minSecretChars) continue;
      chars += value.length;
      if (held.length < maxHeld && chars <= maxHeldChars) held.push(value);
      else {
        chars -= value.length;
        leftOut += 1;
      }
    }
    for (const value of held) this.#hold(value);
    const letGo = (isOver: boolean) => {
      for (const value of held.splice(0)) this.#release(value, isOver);
    };
    return { leftOut, release: () => letGo(false), forget: () => letGo(true) };
  }

  /** True if there are no secrets. */
  get isEmpty(): boolean {
    return this.#owned.size + this.#held.size + this.#ended.size === 0;
  }

  /**
   * Returns the text with `(secret)` in place of each occurrence of a secret; adjacent or
   * overlapping ones are replaced once. Takes linear time.
   */
  redact(text: string): string {
    let redacted = '';
    let end = 0;
    let match = this.#tree.next(text, 0);
    while (match !== undefined) {
      if (match.begin > end || end === 0) redacted += text.slice(end, match.begin) + secretMarker;
      end = Math.max(end, match.end);
      match = this.#tree.next(text, match.begin + 1);
    }
    return end === 0 ? text : redacted + text.slice(end);
  }

  #hold(value: string): void {
    const isNew = !this.#owned.has(value) && !this.#isHeld(value);
    this.#ended.delete(value);
    this.#held.set(value, (this.#held.get(value) ?? 0) + 1);
    if (isNew) this.#look(value);
  }

  #release(value: string, isOver: boolean): void {
    const others = (this.#held.get(value) ?? 1) - 1;
    if (others > 0) {
      this.#held.set(value, others);
      return;
    }
    this.#held.delete(value);
    if (isOver) {
      this.#lookNoMore(value);
      return;
    }
    this.#ended.add(value);
    const [oldest] = this.#ended;
    if (this.#ended.size <= maxEnded || oldest === undefined) return;
    this.#ended.delete(oldest);
    this.#lookNoMore(oldest);
  }

  #isHeld(value: string): boolean {
    return this.#held.has(value) || this.#ended.has(value);
  }

  /** Removes a value that no run holds. */
  #lookNoMore(value: string): void {
    if (this.#owned.has(value)) return;
    for (const form of formsOf(value)) this.#tree.remove(form);
  }

  #look(value: string): void {
    for (const form of formsOf(value)) this.#tree.add(form);
  }
}

/** The range of a match in a text, in UTF-16 units; `end` is exclusive. */
interface TextMatch {
  readonly begin: number;
  readonly end: number;
}

/** A node of the trie; strings with a common beginning share nodes. */
interface Node {
  rest: string;
  /** Number of added forms that end with `rest`. */
  ends: number;
  /** Keyed by their first character. */
  next: Map<number, Node> | undefined;
}

/**
 * A trie of strings to search for, which can be added and removed. Searching takes one step for
 * each character without a match and at most the longest string for the others, however many
 * strings there are and however similar they begin.
 */
class FormTree {
  /** Keyed by the first four characters. */
  readonly #roots = new Map<string, Node>();
  /** Hash table of possible beginnings. Most positions of a text end here. */
  #begins = new Uint8Array(1 << 12);

  /**
   * Adds a string of at least four characters. Adding is counted, and {@link remove} undoes one
   * addition.
   */
  add(form: string): void {
    const begin = form.slice(0, minSecretChars);
    const root = this.#roots.get(begin) ?? { rest: '', ends: 0, next: undefined };
    if (root.next === undefined && root.ends === 0) {
      this.#roots.set(begin, root);
      this.#mark(begin);
    }
    let node = root;
    let at = minSecretChars;
    while (at < form.length) {
      const code = form.charCodeAt(at);
      const next: Node | undefined = node.next?.get(code);
      if (next === undefined) {
        const leaf = { rest: form.slice(at), ends: 0, next: undefined };
        (node.next ??= new Map()).set(code, leaf);
        node = leaf;
        break;
      }
      const shared = sharedLength(next.rest, form, at);
      if (shared < next.rest.length) split(next, shared);
      node = next;
      at += shared;
    }
    node.ends += 1;
  }

  /** Removes a string that was added. */
  remove(form: string): void {
    const begin = form.slice(0, minSecretChars);
    const root = this.#roots.get(begin);
    if (root !== undefined && takeOut(root, form, minSecretChars)) this.#roots.delete(begin);
  }

  /** Returns the longest match at the first position of one, at `from` or later. */
  next(text: string, from: number): TextMatch | undefined {
    if (this.#roots.size === 0) return undefined;
    const begins = this.#begins;
    const mask = begins.length - 1;
    const last = text.length - minSecretChars;
    for (let begin = from; begin <= last; begin += 1) {
      if (begins[hashOf(text, begin) & mask] !== 1) continue;
      const root = this.#roots.get(text.slice(begin, begin + minSecretChars));
      const end = root === undefined ? 0 : longestEnd(root, text, begin + minSecretChars);
      if (end > 0) return { begin, end };
    }
    return undefined;
  }

  #mark(begin: string): void {
    // Keeps the table at most one eighth full, so that few positions are checked for nothing.
    if (this.#roots.size * 8 > this.#begins.length && this.#begins.length < 1 << 21) {
      this.#begins = new Uint8Array(this.#begins.length * 4);
      for (const known of this.#roots.keys()) this.#set(known);
    }
    this.#set(begin);
  }

  #set(begin: string): void {
    this.#begins[hashOf(begin, 0) & (this.#begins.length - 1)] = 1;
  }
}

/** Returns the end of the longest match, or 0; `at` is behind the first characters. */
function longestEnd(root: Node, text: string, at: number): number {
  let end = root.ends > 0 ? at : 0;
  let next = root.next?.get(text.charCodeAt(at));
  while (next !== undefined && text.startsWith(next.rest, at)) {
    at += next.rest.length;
    if (next.ends > 0) end = at;
    next = next.next?.get(text.charCodeAt(at));
  }
  return end;
}

/** Returns true if nothing is left below the node. */
function takeOut(node: Node, form: string, at: number): boolean {
  if (at === form.length) node.ends -= 1;
  const code = form.charCodeAt(at);
  const next = node.next?.get(code);
  if (next !== undefined && takeOut(next, form, at + next.rest.length)) {
    node.next?.delete(code);
    if (node.next?.size === 0) node.next = undefined;
  }
  return node.ends === 0 && node.next === undefined;
}

/** Keeps the first `length` characters and moves the others to a child. */
function split(node: Node, length: number): void {
  const { rest, ends, next } = node;
  node.next = new Map([[rest.charCodeAt(length), { rest: rest.slice(length), ends, next }]]);
  node.rest = rest.slice(0, length);
  node.ends = 0;
}

function sharedLength(rest: string, form: string, at: number): number {
  const most = Math.min(rest.length, form.length - at);
  let length = 1;
  while (length < most && rest.charCodeAt(length) === form.charCodeAt(at + length)) length += 1;
  return length;
}

/** Hashes the four characters at `at`. */
function hashOf(text: string, at: number): number {
  const first = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
  const second = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16);
  const mixed = Math.imul(first, 0x9e3779b1) + Math.imul(second, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Shorter values are not redacted, because they would occur in many words. */
export const minSecretChars = 4;

/** Base64 of a part of a longer text shows only the inner characters. Fewer are not specific. */
const minInnerChars = 8;

/**
 * Enough to identify a secret. With one repeated letter, every position of a text costs this much.
 */
const maxPieceChars = 64;
/** Pieces overlap by the rest, so that no gap is left between them, in base64 either. */
const pieceStep = 56;

/**
 * Returns the forms in which a value may occur in a text: unchanged, in JSON (and JSON within
 * JSON), in a URL or a form, in XML, and in base64, alone or as a part of something longer such as
 * `user:password`. A value of several lines also counts line by line, because logs are written that
 * way. Returns nothing for a value that is too short.
 */
function formsOf(value: string): ReadonlySet<string> {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const wholes = [value, value.trim(), ...(lines.length > 1 ? lines : [])];
  const forms = new Set<string>();
  for (const whole of wholes.flatMap(pieces)) {
    if (whole.length < minSecretChars) continue;
    for (const form of [
      whole,
      ...inJson(whole),
      ...inUrls(whole),
      ...inXml(whole),
      ...inBase64(whole),
    ]) {
      if (form.length >= minSecretChars) forms.add(form);
    }
  }
  return forms;
}

/** Splits a long value into pieces, none of them short, so that comparisons are bounded. */
function pieces(value: string): string[] {
  if (value.length <= maxPieceChars) return [value];
  const last = value.length - maxPieceChars;
  return Array.from({ length: Math.ceil(last / pieceStep) + 1 }, (_, index) => {
    const begin = Math.min(index * pieceStep, last);
    return value.slice(begin, begin + maxPieceChars);
  });
}

function inJson(value: string): string[] {
  // Most values are the same in JSON.
  if (/^[!#-%(-*,-.0-;=?-[\]-_a-~]*$/.test(value)) return [];
  const once = JSON.stringify(value).slice(1, -1);
  const forms = [once, JSON.stringify(once).slice(1, -1), once.replaceAll('/', '\\/')];
  // Escaped as Go does it, as Python does, and as .NET does.
  const inGo = once.replaceAll(/[<>&\u2028\u2029]/g, escaped);
  const inPython = once.replaceAll(/[^\0-~]/g, escaped);
  const inDotNet = once.replaceAll(
    /\\"|[&'+<>`]|[^\0-~]/g,
    (sign) => `\\u${hexOf(sign.slice(-1)).toUpperCase()}`,
  );
  return [
    ...forms,
    ...[inGo, inPython, inDotNet].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]),
  ];
}

function escaped(sign: string): string {
  return `\\u${hexOf(sign)}`;
}

function hexOf(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(4, '0');
}

function inUrls(value: string): string[] {
  if (/^[\w.-]*$/.test(value)) return [];
  // Like `encodeURIComponent`, which throws for half a surrogate pair.
  const inForm = new URLSearchParams([['', value]]).toString().slice(1);
  const inPath = inForm
    .replaceAll('+', '%20')
    .replaceAll(/%(?:21|27|28|29|7E)/g, (code) => decodeURIComponent(code));
  // As RFC 3986 has it, in Python and Go; in a path, these leave some signs as they are.
  const strict = inForm.replaceAll('+', '%20').replaceAll('*', '%2A').replaceAll('%7E', '~');
  const inPython = strict.replaceAll('%2F', '/');
  const inGo = strict.replaceAll(/%(?:24|26|2B|3A|3D|40)/g, (code) => decodeURIComponent(code));
  const encoded = [inForm, inPath, strict, strict.replaceAll('%20', '+'), inPython, inGo];
  return [
    ...encoded,
    ...encoded.map((text) => text.replaceAll(/%../g, (code) => code.toLowerCase())),
  ];
}

function inXml(value: string): string[] {
  if (!/[&<>"']/.test(value)) return [];
  const inText = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = inText.replaceAll('"', '&quot;');
  const others = ['&apos;', '&#39;'].map((apostrophe) => quoted.replaceAll("'", apostrophe));
  return [inText, quoted, ...others];
}

function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = [bytes.toString('base64').replace(/=+$/, '')];
  for (const offset of [0, 1, 2]) {
    // Characters that contain bits of a neighbor are left out.
    const begin = offset === 0 ? 0 : offset + 1;
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    if (end - begin < minInnerChars) continue;
    const shifted = offset === 0 ? bytes : Buffer.concat([Buffer.alloc(offset), bytes]);
    forms.push(shifted.toString('base64').slice(begin, end));
  }
  if (!/[+/]/.test(forms.join(''))) return forms;
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

/**
 * Returns true if a text contains one of the call's secrets. A secret of fewer than four characters
 * occurs everywhere by chance, so only an equal text counts.
 */
export function holdsSecret(text: string, secrets: Iterable<string>): boolean {
  for (const secret of secrets) {
    if (text === secret || (secret.length >= minSecretChars && text.includes(secret))) return true;
  }
  return false;
}
