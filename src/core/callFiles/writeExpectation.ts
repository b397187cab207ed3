import { applyEdits, getNodeValue, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import type { JSONPath } from 'jsonc-parser';
import { comparableText } from '../content/comparableResult';
import { boundedJson } from '../json/boundedJson';
import { bytesOf, isContainer } from '../json/leaves';
import { findValue, parseSteps } from '../json/jsonPointer';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { isJsonObject, isJsonValue } from '../json/shapes';
import { parseJson } from '../json/parseJson';
import { writeExactly } from '../json/writtenNumber';
import type { ToolResult } from '../types';
import { escapeValue, escapeVariables } from './callFileVariables';
import { callSections } from './parseCallFile';
import type { Failure } from './expectations';

/** What a call brought, to be expected of it from now on. */
export interface AcceptedAnswer {
  /** The call, as in the file. */
  readonly name: string;
  readonly result: ToolResult;
  /** Only what these are about; absent: the whole answer. */
  readonly failures?: readonly Failure[];
}

export interface WritingOptions {
  /** Names of members, and pointers, whose values are not written. */
  readonly volatile: readonly string[];
  /** Path of the file for an answer that is too long for the call file; absent: it has none. */
  readonly file?: string;
}

export type WrittenExpectation =
  | {
      readonly kind: 'written';
      /** Of the call file. */
      readonly text: string;
      /** What another file has to hold; its path is from the call file. */
      readonly file?: { readonly path: string; readonly text: string };
    }
  /**
   * `gone`: the file has no such call. `nothing`: nothing of it is about what came. `tooLarge`: nobody
   * could compare it.
   */
  | { readonly kind: 'gone' | 'nothing' | 'tooLarge' };

/** Longer answers have a file of their own. */
const maxInlineChars = 600;
const maxAnswerChars = 4 * 1024 * 1024;

type Edit = readonly [path: JSONPath, value: JsonValue | undefined];

/**
 * The text of a call file in which what came is what is expected. Everything else of the file stays
 * as it is written, and so do expectations that are not about the answer, such as its time.
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
  const isAbout = (...codes: readonly Failure['code'][]) =>
    failures === undefined || failures.some(({ code }) => codes.includes(code));
  const answer = isAbout('answer') ? answerOf(result, expect, options) : {};
  if (answer === undefined) return { kind: 'tooLarge' };
  const edits: Edit[] = [
    ...(isAbout('isError', 'isNoError') ? flagEdit(place, expect, 'isError', result.isError) : []),
    ...(failures ?? []).flatMap(({ code }) => violationEdit(place, expect, code)),
    ...(failures ?? []).flatMap((failure) => valueEdit(place, failure, result)),
    ...(answer.value === undefined ? [] : [answerEdit(place, answer.value)]),
  ];
  const changed = edits.reduce((now, [at, value]) => edited(now, at, value), text);
  if (changed === text && answer.file === undefined) return { kind: 'nothing' };
  return {
    kind: 'written',
    text: changed,
    ...(answer.file === undefined ? {} : { file: answer.file }),
  };
}

interface WrittenAnswer {
  /** What stands in the call file; absent: what is there stays. */
  readonly value?: JsonValue;
  readonly file?: { readonly path: string; readonly text: string };
}

function answerOf(
  result: ToolResult,
  expect: JsonObject,
  { volatile, file }: WritingOptions,
): WrittenAnswer | undefined {
  // What a server says of itself, such as its version, is no part of what it answers.
  const text = comparableText(result, ['/_meta', ...volatile]);
  if (text.length > maxAnswerChars) return undefined;
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
    // Deeper than anybody could compare: it says so in place of the answer.
    return undefined;
  }
}

function answerEdit(place: JSONPath, value: JsonValue): Edit {
  return [[...place, 'answer'], value];
}

type Flag = 'isError' | 'schemaViolations';

/** Absent means false. */
function flagEdit(place: JSONPath, expect: JsonObject, key: Flag, is: boolean): Edit[] {
  if ((expect[key] === true) === is) return [];
  return [[[...place, key], is ? true : undefined]];
}

function violationEdit(place: JSONPath, expect: JsonObject, code: Failure['code']): Edit[] {
  const isBroken = code === 'outputSchema' || code === 'outputMissing';
  if (!isBroken && code !== 'noViolation') return [];
  return flagEdit(place, expect, 'schemaViolations', isBroken);
}

function valueEdit(place: JSONPath, { code, pointer }: Failure, result: ToolResult): Edit[] {
  const [, key = ''] = code === 'value' ? (parseSteps(pointer) ?? []) : [];
  const steps = parseSteps(key);
  if (key === '' || steps === undefined) return [];
  const found = findValue(result, steps);
  if (!found.isThere || !isJsonValue(found.value) || !canStandInFile(found.value)) return [];
  return [[[...place, 'values', key], escapeValue(found.value)]];
}

/** What is longer than a whole answer may be is looked at by nobody; nor is base64. */
function canStandInFile(value: unknown): boolean {
  return !hasBytes(value) && boundedJson(value, maxAnswerChars).length <= maxAnswerChars;
}

/** Bytes are no JSON; the whole answer has their hash. */
function hasBytes(value: unknown): boolean {
  if (bytesOf(value) !== undefined) return true;
  return isContainer(value) && Object.values(value).some(hasBytes);
}

function edited(text: string, path: JSONPath, value: JsonValue | undefined): string {
  const tabSize = /^(?: {2})(?! )/m.test(text) ? 2 : 4;
  const insertSpaces = !/^\t/m.test(text);
  const formattingOptions = { tabSize, insertSpaces };
  return writeExactly(() => applyEdits(text, modify(text, path, value, { formattingOptions })));
}
