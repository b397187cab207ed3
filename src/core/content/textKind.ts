import { bufferOf } from '../json/jsonLimits';
import type { TextData } from '../types';

/**
 * In characters. Parsing longer texts, only to find out whether they are JSON, would block the
 * editor.
 */
export const maxParsedChars = 1024 * 1024;
/** In characters; the beginning is enough to recognize a text. */
export const maxLookedAtChars = 16 * 1024;
const maxLines = 400;
const maxLineChars = 400;

/**
 * Guesses the extension of text without a media type; `txt` unless it is clear. JSON has to be a
 * whole, valid object or array. Everything else is guessed from the first 16,384 characters and
 * needs two signs, because a single one is common in logs and prose.
 */
export function guessedExtension(text: string): string {
  return isJsonDocument(text) ? 'json' : extensionByContent(text);
}

/** Does the same for text that is known not to be a JSON document. */
export function extensionByContent(text: string): string {
  if (text.length < maxLookedAtChars && isPlainLine(text)) return 'txt';
  const beginning = text.slice(0, maxLookedAtChars);
  const lines = beginning.split(/\r?\n/, maxLines).map((line) => line.slice(0, maxLineChars));
  const isWhole = text.length < maxLookedAtChars;
  const script = scriptExtension(lines[0] ?? '');
  if (script !== undefined) return script;
  if (isJsonLines(isWhole ? lines : lines.slice(0, -1))) return 'jsonl';
  if (isDiff(lines)) return 'diff';
  const markup = markupExtension(beginning);
  if (markup !== undefined) return markup;
  const separated = separatedExtension(isWhole ? lines : lines.slice(0, -1));
  if (separated !== undefined) return separated;
  if (isMarkdown(lines)) return 'md';
  return codeExtension(lines) ?? 'txt';
}

/** Most answers are one line of prose: two signs need another line, or one of these characters. */
function isPlainLine(text: string): boolean {
  return !/[\r\n#<{[(=;:|*]/.test(text);
}

/** True if `text` is a JSON object or array. Texts above 1 Mi characters are not parsed. */
export function isJsonDocument(text: string): boolean {
  if (text.length > maxParsedChars || !/^\s*[{[]/.test(text)) return false;
  return isJson(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // It is not JSON, which is not an error.
    return false;
  }
}

/** Needs at least two lines, each a complete object. */
function isJsonLines(lines: readonly string[]): boolean {
  const rows = lines.filter((line) => line !== '').slice(0, 20);
  return rows.length >= 2 && rows.every((row) => row.startsWith('{') && isJson(row));
}

/** Reads a line such as `#!/usr/bin/env python3`. */
function scriptExtension(firstLine: string): string | undefined {
  const program =
    /^#! ?\S*?(?:\/env(?: -S)? |\/)(bash|zsh|sh|python|node|ruby|perl|php)[\d.]*\b/.exec(
      firstLine,
    )?.[1];
  return program === undefined ? undefined : (scriptExtensions[program] ?? 'sh');
}

const scriptExtensions: Readonly<Record<string, string>> = {
  python: 'py',
  node: 'js',
  ruby: 'rb',
  perl: 'pl',
  php: 'php',
};

function isDiff(lines: readonly string[]): boolean {
  const from = lines.findIndex((line) => /^--- \S/.test(line));
  const isFollowed = from !== -1 && /^\+\+\+ \S/.test(lines[from + 1] ?? '');
  return isFollowed && /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(lines[from + 2] ?? '');
}

/** Needs a declaration, or a first element that is closed or has a namespace. */
function markupExtension(beginning: string): 'html' | 'xml' | 'svg' | undefined {
  const text = beginning.replace(/^\uFEFF/, '').trimStart();
  if (/^<!doctype html|^<html[\s>]/i.test(text)) return 'html';
  const isDeclared = /^<\?xml\s/.test(text);
  const root =
    /^(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^]{0,2000}?-->\s*)?<([A-Za-z_][\w.:-]{0,100})/.exec(
      text,
    )?.[1];
  if (root === undefined) return isDeclared ? 'xml' : undefined;
  if (root === 'svg') return 'svg';
  const isClosed = text.includes(`</${root}>`) && text.trimEnd().endsWith('>');
  return isDeclared || isClosed ? 'xml' : undefined;
}

/** Needs at least three lines with the same number of separators, none followed by a space. */
function separatedExtension(lines: readonly string[]): 'csv' | 'tsv' | undefined {
  const rows = lines.filter((line) => line !== '').slice(0, 50);
  if (rows.length < 3) return undefined;
  const counts = (separator: RegExp): number[] =>
    rows.map((row) => row.replaceAll(/"[^"]*"/g, '').match(separator)?.length ?? 0);
  if (isEven(counts(/\t/g))) return 'tsv';
  // Excludes sentences, and logs whose lines begin with a time with milliseconds.
  const isOther = counts(/, /g).some(Boolean) || rows.every((row) => /:\d\d,\d{3}\b/.test(row));
  return isEven(counts(/,/g)) && !isOther ? 'csv' : undefined;
}

function isEven([first = 0, ...rest]: readonly number[]): boolean {
  return first > 0 && rest.every((each) => each === first);
}

function isMarkdown(lines: readonly string[]): boolean {
  const has = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  const fences = lines.filter((line) => /^(```|~~~)/.test(line)).length;
  const strong = [fences >= 2, has(/^#{1,6} \S/), has(/^\|?[ :]*-{3,}[ :]*\|[ :|-]*$/)];
  const weak = [has(/\*\*[^\s*][^*]*\*\*/), has(/\[[^\][]+\]\([^()\s]+\)/), has(/^#{2,6} \S/)];
  return count(strong) >= 1 && count(strong) + count(weak) >= 2;
}

function count(signs: readonly boolean[]): number {
  return signs.filter(Boolean).length;
}

/** Returns the language with two different signs at the beginning of lines. */
function codeExtension(lines: readonly string[]): string | undefined {
  return codeSigns.find(
    ([, ...signs]) =>
      count(signs.map((sign) => lines.some((line) => sign.test(line)))) >= minCodeSigns,
  )?.[0];
}

const minCodeSigns = 2;

/** TypeScript is first, because JavaScript's signs occur in it too. */
const codeSigns: readonly (readonly [extension: string, ...signs: RegExp[]])[] = [
  ['go', /^package [a-z]\w*$/, /^import (?:\(|")/, /^func (?:\(|\w+\()/],
  ['rs', /^use [\w:]+(?:::\{.*\})?;$/, /^(?:pub )?fn \w+/, /^(?:pub )?(?:struct|enum|impl)\b.*\{$/],
  [
    'java',
    /^package [\w.]+;$/,
    /^import [\w.*]+;$/,
    /^public (?:final |abstract )?(?:class|interface|enum) /,
  ],
  ['cs', /^using [\w.]+;$/, /^namespace [\w.]+/, /^\s*public (?:static |sealed )*class /],
  ['cpp', /^#include [<"]/, /^(?:int|void) main\(/, /^(?:class|struct|namespace) \w+.*\{$/],
  [
    'ts',
    /^(?:import|export) .*(?:from ['"]|\{$)/,
    /^(?:export )?(?:interface|type) \w+.*[={]$/,
    /^(?:export )?(?:const|function) \w+.*: \w+/,
  ],
  [
    'js',
    /^(?:import|export) .*(?:from ['"]|\{$)/,
    /^(?:const|let|var) \w+ = /,
    /^(?:async )?function \w+\(/,
    /^module\.exports\b/,
  ],
  ['py', /^(?:from [\w.]+ )?import \w+/, /^\s*def \w+\(.*:$/, /^class \w+.*:$/, /^if __name__ == /],
  ['php', /^<\?php\b/, /^\s*(?:public |private )?function \w+\(/, /^\s*\$\w+ = .*;$/],
  [
    'sql',
    /^(?:select|insert into|update|create table|with)\b/i,
    /^\s*(?:from|where|values|group by|join|set)\b/i,
  ],
  ['css', /^[.#]?[\w-]+(?:[ ,>.:#][\w\s.#:>,-]*)? \{$/, /^\s+[a-z-]+: [^;]+;$/],
];

/** Decodes the text. A very large one takes memory and time: 10 ms for 32 MiB. */
export function textOf(text: TextData): string {
  return typeof text === 'string' ? text : bufferOf(text).toString('utf8');
}

/** Returns at most `maxChars` characters, without reading the rest. */
export function beginningOf(text: TextData, maxChars: number): string {
  if (typeof text === 'string') return text.slice(0, maxChars);
  // A character takes at most four bytes. One that is cut may decode to another character.
  const head = bufferOf(text.subarray(0, 4 * maxChars)).toString('utf8');
  return head.slice(0, maxChars);
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** In bytes. For shorter lines, searching takes longer than checking every byte. */
const minSearchedLine = 16;
/** The average length is checked after this many lines. */
const judgedLines = 256;

/**
 * Counts the lines of UTF-8 text that arrives in pieces, like the editor does: LF, CR LF and CR end
 * a line.
 */
export class LineCount {
  #ends = 0;
  #isAfterReturn = false;

  add(piece: Uint8Array): void {
    const ends = this.#isAfterReturn ? undefined : searchedEnds(piece);
    if (ends === undefined) this.#look(piece);
    else this.#ends += ends;
  }

  #look(piece: Uint8Array): void {
    let ends = 0;
    let isAfterReturn = this.#isAfterReturn;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (byte === lineFeed ? !isAfterReturn : byte === carriageReturn) ends += 1;
      isAfterReturn = byte === carriageReturn;
    }
    this.#ends += ends;
    this.#isAfterReturn = isAfterReturn;
  }

  /** The lines so far. Text that ends with a line break has an empty last line. */
  get lines(): number {
    return this.#ends + 1;
  }
}

/**
 * Searching is five times as fast for ordinary text, even before the engine has optimized the loop.
 */
function searchedEnds(piece: Uint8Array): number | undefined {
  const bytes = bufferOf(piece);
  if (bytes.includes(carriageReturn)) return undefined;
  let ends = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
    ends += 1;
    if (ends % judgedLines === 0 && at < ends * minSearchedLine) return undefined;
  }
  return ends;
}

/** An editor shows this much without delay. */
const maxBytes = 1024 * 1024;
const maxSplitLines = 10_000;

interface TextBeginning {
  /** A copy, so that the whole text can be freed. */
  readonly bytes: Uint8Array;
  readonly lines: number;
}

/**
 * Returns the beginning of a large UTF-8 text: at most 10,000 lines and 1 MiB, in whole lines
 * unless they are too long, and never part of a character.
 */
export function textBeginning(text: Uint8Array): TextBeginning {
  // Also copied because reading growable memory is ten times slower.
  const first = Buffer.from(text.subarray(0, maxBytes + 1));
  const bytes = first.subarray(0, endOf(first));
  const counted = new LineCount();
  counted.add(bytes);
  return { bytes, lines: counted.lines };
}

function endOf(text: Uint8Array): number {
  let lastLineEnd = 0;
  let lines = 0;
  for (let at = text.indexOf(lineFeed); at !== -1; at = text.indexOf(lineFeed, at + 1)) {
    if (at >= maxBytes) break;
    lastLineEnd = at;
    lines += 1;
    if (lines === maxSplitLines) return at;
  }
  if (text.length <= maxBytes) return text.length;
  return lastLineEnd > maxBytes / 2 ? lastLineEnd : beforeCharacter(text, maxBytes);
}

/** Returns the start of the character that contains the byte at `at`. */
function beforeCharacter(text: Uint8Array, at: number): number {
  let start = at;
  while (start > at - 3 && ((text[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
