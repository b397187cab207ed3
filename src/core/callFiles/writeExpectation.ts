import { findNodeAtLocation, format, getNodeValue, modify, parseTree } from 'jsonc-parser';
import type { Edit, FormattingOptions, JSONPath, Range } from 'jsonc-parser';
import { comparableText } from '../content/comparableResult';
import { maxComparedChars } from '../content/orderedJson';
import { boundedJson } from '../json/boundedJson';
import { bytesOf, isContainer, isJsonObject, isJsonValue } from '../json/shapes';
import { findValue, parsePointerSteps } from '../json/jsonPointer';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { parseJson } from '../json/parseJson';
import { writeExactly } from '../json/writtenNumber';
import type { ToolResult } from '../types';
import { isTooLarge } from './callFile';
import { escapeValue, escapeVariables } from './callFileVariables';
import { callSections } from './parseCallFile';
import type { ExpectationFailure } from './expectations';

/** A result that becomes the new expectation. */
export interface AcceptedAnswer {
  /** The name of the call in the file. */
  readonly name: string;
  readonly result: ToolResult;
  /** Limits the change to these expectations. Absent for the whole answer. */
  readonly failures?: readonly ExpectationFailure[];
}

export interface WritingOptions {
  /** Member names and pointers whose values are not written. */
  readonly volatile: readonly string[];
  /**
   * Path of a separate file for an answer that is too long for the call file. Absent if there is
   * none.
   */
  readonly file?: string;
}

export type WrittenExpectation =
  | {
      readonly kind: 'written';
      /** Text of the call file. */
      readonly text: string;
      /** Content of another file; its path is relative to the call file. */
      readonly file?: { readonly path: string; readonly text: string };
    }
  /**
   * `gone`: the file no longer has the call. `nothing`: no expectation is about the result.
   * `tooLarge`: the result is too large to compare, or for the call file.
   */
  | { readonly kind: 'gone' | 'nothing' | 'tooLarge' };

/** Longer answers get a file of their own. */
const maxInlineChars = 600;
/** Longer values would hide the rest of the call file. */
const maxValueChars = 64 * 1024;

type ValueEdit = readonly [path: JSONPath, value: JsonValue | undefined];

/**
 * Changes a call file so that it expects the given result. Everything else stays unchanged,
 * including expectations that are not about the answer, such as its duration.
 */
export function writeExpectation(
  text: string,
  { name, result, failures }: AcceptedAnswer,
  options: WritingOptions,
): WrittenExpectation {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const section = callSections.find((each) => root && findNodeAtLocation(root, [each, name]));
  const isMany = root !== undefined && findNodeAtLocation(root, ['calls']) !== undefined;
  const path = isMany ? [section ?? 'calls', name] : [];
  const node = root && findNodeAtLocation(root, path);
  const call: unknown = node && getNodeValue(node);
  if (!isJsonObject(call)) return { kind: 'gone' };
  const expect = isJsonObject(call['expect']) ? call['expect'] : {};
  const place = [...path, 'expect'];
  const isAbout = (...codes: readonly ExpectationFailure['code'][]) =>
    failures === undefined || failures.some(({ code }) => codes.includes(code));
  const answer = isAbout('answer') ? answerOf(result, expect, options) : {};
  if (answer === undefined) return { kind: 'tooLarge' };
  const edits: ValueEdit[] = [
    ...(isAbout('isError', 'isNoError') ? flagEdit(place, expect, 'isError', result.isError) : []),
    ...(failures ?? []).flatMap(({ code }) => violationEdit(place, expect, code)),
    ...(failures ?? []).flatMap((failure) => valueEdit(place, failure, result)),
    ...(answer.value === undefined ? [] : answerEdits(place, expect, answer.value)),
  ];
  const changed = edits.reduce((now, [at, value]) => edited(now, at, value), text);
  if (changed === text && answer.file === undefined) return { kind: 'nothing' };
  if (isTooLarge(changed)) return { kind: 'tooLarge' };
  return {
    kind: 'written',
    text: changed,
    ...(answer.file === undefined ? {} : { file: answer.file }),
  };
}

interface WrittenAnswer {
  /** The new value in the call file. Absent to leave it unchanged. */
  readonly value?: JsonValue;
  readonly file?: { readonly path: string; readonly text: string };
}

function answerOf(
  result: ToolResult,
  expect: JsonObject,
  { volatile, file }: WritingOptions,
): WrittenAnswer | undefined {
  // Information about the server itself, such as its version, is not part of its answer.
  const text = comparableText(result, ['/_meta', ...volatile]);
  if (text.length > maxComparedChars) return undefined;
  const known = expect['answer'];
  if (typeof known === 'string') return { file: { path: known, text } };
  const value = parse(text);
  if (value === undefined) return undefined;
  if (file === undefined || text.length <= maxInlineChars) return { value: escapeVariables(value) };
  return { value: file, file: { path: file, text } };
}

function parse(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // The answer is nested too deeply, and the text only says so.
    return undefined;
  }
}

/** An answer cannot be expected together with an error. */
function answerEdits(place: JSONPath, expect: JsonObject, value: JsonValue): ValueEdit[] {
  const without: ValueEdit[] = 'error' in expect ? [[[...place, 'error'], undefined]] : [];
  return [...without, [[...place, 'answer'], value]];
}

type Flag = 'isError' | 'schemaViolations';

/** If absent, it means false. */
function flagEdit(place: JSONPath, expect: JsonObject, key: Flag, is: boolean): ValueEdit[] {
  if ((expect[key] === true) === is) return [];
  return [[[...place, key], is ? true : undefined]];
}

function violationEdit(
  place: JSONPath,
  expect: JsonObject,
  code: ExpectationFailure['code'],
): ValueEdit[] {
  const isBroken = code === 'outputSchema' || code === 'outputMissing';
  if (!isBroken && code !== 'noViolation') return [];
  return flagEdit(place, expect, 'schemaViolations', isBroken);
}

function valueEdit(
  place: JSONPath,
  { code, pointer }: ExpectationFailure,
  result: ToolResult,
): ValueEdit[] {
  const [, key = ''] = code === 'value' ? (parsePointerSteps(pointer) ?? []) : [];
  const steps = parsePointerSteps(key);
  if (key === '' || steps === undefined) return [];
  const found = findValue(result, steps);
  if (!found.isThere || !isJsonValue(found.value) || !canStandInFile(found.value)) return [];
  return [[[...place, 'values', key], escapeValue(found.value)]];
}

/** Excludes base64, and values that are too long for the call file. */
function canStandInFile(value: unknown): boolean {
  return !hasBytes(value) && boundedJson(value, maxValueChars).length <= maxValueChars;
}

/** Bytes cannot be written as JSON; the whole answer has their hash. */
function hasBytes(value: unknown): boolean {
  if (bytesOf(value) !== undefined) return true;
  return isContainer(value) && Object.values(value).some(hasBytes);
}

/** Indentation as in the text. */
export function formattingOf(text: string): { tabSize: number; insertSpaces: boolean } {
  return { tabSize: /^(?: {2})(?! )/m.test(text) ? 2 : 4, insertSpaces: !/^\t/m.test(text) };
}

/** Sets one value of a JSON text and leaves everything else unchanged; `undefined` removes it. */
export function edited(text: string, path: JSONPath, value: JsonValue | undefined): string {
  return writeExactly(() => changedText(text, modify(text, path, value, {})));
}

/**
 * Adds members to the object at `path`, which is created if necessary. All are added by one edit,
 * because each edit parses the whole text.
 */
export function withMembers(text: string, path: JSONPath, members: JsonObject): string {
  const [first, ...others] = Object.entries(members);
  if (first === undefined) return text;
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined || findNodeAtLocation(root, path) === undefined)
    return edited(text, path, members);
  return writeExactly(() => {
    const rest = others.map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
    const edits = modify(text, [...path, first[0]], first[1], {});
    return changedText(
      text,
      edits.map((edit) => ({ ...edit, content: edit.content + rest.join('') })),
    );
  });
}

/** Applies one edit of `modify` and formats it, like its `formattingOptions`, which take far longer. */
function changedText(text: string, edits: readonly Edit[]): string {
  const [edit] = edits;
  if (edit === undefined) return text;
  const changed = withEdits(text, [edit]);
  let begin = edit.offset;
  let end = begin + edit.content.length;
  if (edit.length === 0 || edit.content === '') {
    // Whole lines, because a member was added to one or removed from it.
    while (begin > 0 && !isLineEnd(changed[begin - 1])) begin -= 1;
    while (end < changed.length && !isLineEnd(changed[end])) end += 1;
  }
  return formatted(changed, { offset: begin, length: end - begin }, formattingOf(text));
}

function isLineEnd(char: string | undefined): boolean {
  return char === '\n' || char === '\r';
}

/** Formats a range of a JSON text, or all of it. */
export function formatted(
  text: string,
  range: Range | undefined,
  options: FormattingOptions,
): string {
  return withEdits(text, format(text, range, { ...options, keepLines: false }));
}

/** Takes linear time, unlike `applyEdits`, which copies the whole text for every edit. */
function withEdits(text: string, edits: readonly Edit[]): string {
  const pieces = [];
  let end = 0;
  for (const { offset, length, content } of edits) {
    pieces.push(text.slice(end, offset), content);
    end = offset + length;
  }
  return [...pieces, text.slice(end)].join('');
}
