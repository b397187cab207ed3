import {
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { fromPointerStep } from '../json/jsonPointer';
import type { SchemaViolation } from '../types';
import { jsoncValue } from '../json/parseJson';
import type { JsonObject } from '../json/jsonValue';
import { isJsonObject } from '../json/shapes';

/** A range of characters in the text of a document. */
export interface TextPlace {
  readonly offset: number;
  readonly length: number;
}

export interface TextProblem extends TextPlace {
  readonly code: 'syntax' | 'notAnObject' | 'duplicateName' | 'tooDeep' | 'tooLarge';
  /** The parser's error name for `syntax`, the name for `duplicateName`. */
  readonly detail?: string;
}

export interface ArgumentsText {
  /** The arguments to send. Absent if there are problems. */
  readonly value?: JsonObject;
  readonly problems: readonly TextProblem[];
  /** Returns the range of a violation in the text. */
  readonly placeOf: (violation: SchemaViolation) => TextPlace;
}

/** One wrong quote causes an error in every line below it. */
const maxProblems = 20;
/** About 100,000 values, which take about half a second. */
const maxDocumentTokens = 500_000;

/**
 * Reads a document of arguments: JSON with comments and trailing commas. A duplicate name is a
 * problem, because JSON would silently drop one of the values. Numbers are kept as written.
 * Takes less than a second: a text with more characters than can be sent, or more than `maxTokens`
 * tokens, is not read. Never throws.
 */
export function readArgumentsText(text: string, maxTokens = maxDocumentTokens): ArgumentsText {
  if (hasTooManyTokens(text, maxTokens)) {
    const top = { offset: 0, length: 0 };
    return { problems: [{ code: 'tooLarge', ...top }], placeOf: () => top };
  }
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const whole = { offset: 0, length: text.length };
    return { problems: [{ code: 'tooDeep', ...whole }], placeOf: () => whole };
  }
}

function read(text: string): ArgumentsText {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const problems: TextProblem[] = errors.slice(0, maxProblems).map(({ error, offset, length }) => ({
    code: 'syntax',
    detail: printParseErrorCode(error),
    offset,
    // The parser reports the end of the text as one character beyond it.
    length: Math.min(length, text.length - offset),
  }));
  const placeOf = (violation: SchemaViolation) => findPlace(root, violation);
  if (root !== undefined) addNameProblems(root, problems);
  if (problems.length > 0) return { problems, placeOf };
  const value = root === undefined ? undefined : jsoncValue(root, text);
  if (isJsonObject(value)) {
    return { value, problems, placeOf };
  }
  const { offset, length } = root ?? { offset: 0, length: text.length };
  return { problems: [{ code: 'notAnObject', offset, length }], placeOf };
}

function addNameProblems(node: Node, problems: TextProblem[]): void {
  if (problems.length >= maxProblems) return;
  const names = new Set<unknown>();
  for (const child of node.children ?? []) {
    const name = child.type === 'property' ? child.children?.[0] : undefined;
    if (name !== undefined && names.has(name.value)) {
      const { offset, length } = name;
      problems.push({ code: 'duplicateName', detail: String(name.value), offset, length });
    }
    names.add(name?.value);
    addNameProblems(child, problems);
  }
}

const keywordsAboutNames = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'];

/** Returns a short value itself; for an object or array, its name or first brace. */
function findPlace(root: Node | undefined, { pointer, keyword }: SchemaViolation): TextPlace {
  let node: Node | undefined = root;
  for (const token of pointer.split('/').slice(1)) {
    const name = fromPointerStep(token);
    const next: Node | undefined =
      node && findNodeAtLocation(node, [node.type === 'array' ? Number(name) : name]);
    if (next === undefined) break;
    node = next;
  }
  if (node === undefined) return { offset: 0, length: 0 };
  const isLong = node.type === 'object' || node.type === 'array';
  if (!isLong && !keywordsAboutNames.includes(keyword)) return placeIn(node);
  const name = node.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
  return name === undefined ? { offset: node.offset, length: 1 } : placeIn(name);
}

function placeIn({ offset, length }: Node): TextPlace {
  return { offset, length };
}

/** The limit for arguments at the gate. */
const maxChars = 32 * 1024 * 1024;

const quote = 34;
const slash = 47;
const backslash = 92;

/**
 * True if a text of JSON with comments would take too long to parse. The time depends on tokens
 * (brackets, commas, strings, numbers); one long string takes hardly any. Stops counting at the
 * limit.
 */
export function hasTooManyTokens(text: string, maxTokens: number): boolean {
  if (text.length > maxChars) return true;
  let tokens = 0;
  let isInWord = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isWordPart = isWord(code);
    if (code > 32 && !(isWordPart && isInWord)) tokens += 1;
    isInWord = isWordPart;
    if (tokens > maxTokens) return true;
    if (code === quote) index = endOfText(text, index);
    else if (code === slash) index = endOfComment(text, index);
  }
  return false;
}

/** Letters, digits, and other characters of numbers. */
function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 43 ||
    code === 45 ||
    code === 46 ||
    code === 95 ||
    code > 127
  );
}

const endingText = /["\r\n]/g;

/**
 * Returns the last index of the text that begins here: its closing quote, or, as for the parser, the
 * last character of its line.
 */
function endOfText(text: string, begin: number): number {
  endingText.lastIndex = begin + 1;
  for (let found = endingText.exec(text); found !== null; found = endingText.exec(text)) {
    const end = found.index;
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return text.charCodeAt(end) === quote ? end : end - 1;
  }
  return text.length;
}

const lineBreak = /[\r\n]/g;

/** Returns the last index of a comment that begins here, or the index of the slash if none does. */
function endOfComment(text: string, begin: number): number {
  const next = text[begin + 1];
  if (next !== '/' && next !== '*') return begin;
  if (next === '*') {
    const end = text.indexOf('*/', begin + 2);
    return end < 0 ? text.length : end + 1;
  }
  lineBreak.lastIndex = begin;
  return lineBreak.exec(text)?.index ?? text.length;
}
