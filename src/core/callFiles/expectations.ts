import { PatternTime } from '../bounds/patterns';
import { WorkTurns } from '../bounds/workTurns';
import { beginningOf } from '../content/textKind';
import { assertNever, type McpError } from '../errors';
import { findValue, toPointerStep } from '../json/jsonPointer';
import { isContainer, isJsonObject } from '../json/shapes';
import { RawJson, uncheckedReason } from '../json/rawJson';
import type { JsonObject } from '../json/jsonValue';
import { parseJson } from '../json/parseJson';
import { isNumber } from '../json/writtenNumber';
import type { SchemaValidator } from '../schema/schema';
import type { SchemaViolation, ToolAnnotations, ToolResult } from '../types';
import { FileReference, type Expectation, type ExpectedPlace } from './callFile';
import { containsValue, equalsValue, jsonText, differenceFromAnswer } from './expectedValues';

/** An expectation that was not met. */
export interface ExpectationFailure {
  readonly code:
    /** The tool reported an error; `detail` is the beginning of its text. */
    | 'isError'
    | 'isNoError'
    /** The answer violates the tool's own `outputSchema`; `detail` says where and how. */
    | 'outputSchema'
    /** The tool has an `outputSchema`, but the answer has no structured content. */
    | 'outputMissing'
    /** The answer should have violated the tool's own `outputSchema`. */
    | 'noViolation'
    /** An answer came instead of a protocol error. */
    | 'noProtocolError'
    /** A different protocol error came. */
    | 'protocolError'
    | 'protocolErrorPattern'
    /** The call has no answer to a question of the server, whose text is `actual`. */
    | 'unanswered'
    /** The question is a page to open in a browser, which call files do not do. */
    | 'browserQuestion'
    /** The server asked while it had several calls, so the question cannot be assigned to one. */
    | 'crossedQuestion'
    /** The answer in the call file does not fit the question; `detail` says where and how. */
    | 'answerMisfit'
    | 'schema'
    | 'schemaUnusable'
    | 'noStructuredContent'
    | 'value'
    | 'missing'
    | 'contains'
    | 'matches'
    /** The pattern exceeded its time limit, so the result is unknown. */
    | 'patternStopped'
    | 'count'
    /** The value has no items or members to count. */
    | 'uncountable'
    /** The call took too long; `expected` and `actual` are in milliseconds. */
    | 'slow'
    /** The server declares a different hint, or none (no `actual`); `detail` names the hint. */
    | 'annotation'
    /** `expected` and `actual` are both complete answers, line by line. */
    | 'answer'
    /** The file with the expected value cannot be used; `detail` is its path. */
    | FileFailureCode;
  /** JSON pointer into `expect` to the line that was not met. */
  readonly pointer: string;
  /** The expected value, usually as JSON. */
  readonly expected?: string;
  /** The actual value, usually as JSON. Untrusted: from the server. */
  readonly actual?: string;
  /** For schemas, the violation. */
  readonly detail?: string;
}

/** Why a file that a call file names could not be read. */
export type FileTextProblem = 'fileMissing' | 'fileOutside' | 'fileTooLarge' | 'fileUnreadable';
type FileFailureCode = FileTextProblem | 'fileNotJson';

export type FileText = { readonly text: string } | { readonly code: FileTextProblem };

/** The answer to a call. */
export interface Answer {
  readonly result: ToolResult;
  /** The tool's current annotations. */
  readonly annotations: ToolAnnotations;
  readonly durationMs: number;
  /**
   * Violations of the tool's own `outputSchema`. Empty if structured content is
   * missing, absent if there is no violation.
   */
  readonly violations?: readonly SchemaViolation[];
}

export interface ExpectationContext {
  readonly validator: Pick<SchemaValidator, 'validate'>;
  /** Reads a file, bounded in size, by its path from the call file. Never rejects. */
  readonly readText: (path: string) => Promise<FileText>;
  /** Removes known secrets. Applied to values before they are cut. */
  readonly redact?: (text: string) => string;
}

const unchanged = (text: string): string => text;

/** Limits all patterns of an expectation together. */
const patternsMs = 500;
/** A pattern is matched against the beginning of a longer text. */
const maxMatchedChars = 1024 * 1024;
/** Limits the reported places; the call has failed anyway. */
const maxToldPlaces = 20;

/** Returns all expectations that an answer does not meet. Empty if the call passed. */
export async function checkExpectation(
  expectation: Expectation,
  answer: Answer,
  tools: ExpectationContext,
): Promise<readonly ExpectationFailure[]> {
  const { places } = expectation;
  const { result } = answer;
  if (expectation.error !== undefined) return [{ code: 'noProtocolError', pointer: '/error' }];
  const failures: ExpectationFailure[] = [...errorFailures(expectation, result, tools.redact)];
  failures.push(...outputFailures(expectation, answer.violations, tools.redact));
  failures.push(...(await schemaFailures(expectation, result, tools)));
  const { content, structuredContent } = result;
  const whole = {
    content,
    isError: result.isError,
    ...(structuredContent === undefined ? {} : { structuredContent }),
  };
  failures.push(...(await allPlaceFailures(places, whole, tools)));
  failures.push(...slowFailures(expectation, answer));
  failures.push(...annotationFailures(expectation, answer));
  return [...failures, ...(await answerFailures(expectation, result, tools))];
}

async function schemaFailures(
  { schema: given }: Expectation,
  { structuredContent }: ToolResult,
  { validator, readText, redact = unchanged }: ExpectationContext,
): Promise<readonly ExpectationFailure[]> {
  const pointer = '/schema';
  if (given === undefined) return [];
  if (structuredContent === undefined) return [{ code: 'noStructuredContent', pointer }];
  if (structuredContent instanceof RawJson) {
    return [{ code: 'schemaUnusable', pointer, detail: uncheckedReason(structuredContent) }];
  }
  const read = given instanceof FileReference ? await readJson(given, readText) : { value: given };
  if ('code' in read) return [{ ...read, pointer }];
  const schema = read.value;
  if (!isJsonObject(schema) && typeof schema !== 'boolean') {
    return [{ code: 'fileNotJson', pointer, detail: detailOf(given) }];
  }
  const verdict = validator.validate(schema, structuredContent);
  if (verdict.kind === 'valid') return [];
  if (verdict.kind === 'unusable') {
    return [{ code: 'schemaUnusable', pointer, detail: verdict.reason.detail }];
  }
  const [first] = verdict.violations;
  return [{ code: 'schema', pointer, detail: redact(first?.message ?? '') }];
}

/** Yields to other work between places, because there may be thousands, each in a large answer. */
async function allPlaceFailures(
  places: readonly ExpectedPlace[],
  whole: object,
  tools: ExpectationContext,
): Promise<readonly ExpectationFailure[]> {
  const patterns = new PatternTime(patternsMs);
  const turns = new WorkTurns();
  const failures: ExpectationFailure[] = [];
  for (const place of places) {
    const failure = placeFailure(place, whole, patterns, tools);
    if (failure !== undefined) failures.push(failure);
    if (failures.length === maxToldPlaces) break;
    if (turns.isOver) await turns.giveWay();
  }
  return failures;
}

function placeFailure(
  place: ExpectedPlace,
  whole: object,
  patterns: PatternTime,
  { redact }: ExpectationContext,
): ExpectationFailure | undefined {
  const found = findValue(whole, place.steps);
  const pointer = `/${place.kind}${toPointerStep(place.pointer)}`;
  if (!found.isThere) return { code: 'missing', pointer, expected: expectedText(place, redact) };
  const { value } = found;
  const code = whyUnmet(place, value, patterns);
  if (code === undefined) return undefined;
  // Formatted only now: most places are as expected, and a value may be a whole answer.
  const expected = expectedText(place, redact);
  const actual = code === 'count' ? String(countOf(value)) : jsonText(value, redact);
  return { code, pointer, expected, actual };
}

function whyUnmet(
  place: ExpectedPlace,
  value: unknown,
  patterns: PatternTime,
): ExpectationFailure['code'] | undefined {
  switch (place.kind) {
    case 'values':
      return equalsValue(value, place.value) ? undefined : 'value';
    case 'contains':
      return containsValue(value, place.value) ? undefined : 'contains';
    case 'count': {
      const count = countOf(value);
      if (count === undefined) return 'uncountable';
      return count >= place.least && count <= place.most ? undefined : 'count';
    }
    case 'matches': {
      const text = matchedText(value);
      const verdict = text !== undefined && patterns.test(place.pattern, text);
      if (verdict === undefined) return 'patternStopped';
      return verdict ? undefined : 'matches';
    }
    default:
      return assertNever(place);
  }
}

function expectedText(place: ExpectedPlace, redact: ExpectationContext['redact']): string {
  if (place.kind === 'matches') return place.pattern.source;
  if (place.kind !== 'count') return jsonText(place.value, redact);
  const { least, most } = place;
  if (least === most) return String(least);
  return most === Number.MAX_SAFE_INTEGER ? `≥ ${least}` : `${least}–${most}`;
}

function countOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  return isContainer(value) ? Object.keys(value).length : undefined;
}

function matchedText(value: unknown): string | undefined {
  if (typeof value === 'string' || value instanceof Uint8Array) {
    return beginningOf(value, maxMatchedChars);
  }
  return isNumber(value) || typeof value === 'boolean' ? String(value) : undefined;
}

function annotationFailures(
  { annotations: expected = {} }: Expectation,
  { annotations }: Answer,
): readonly ExpectationFailure[] {
  const declared = new Map<string, unknown>(Object.entries(annotations));
  return Object.entries(expected).flatMap(([name, value]): ExpectationFailure[] => {
    if (declared.get(name) === value) return [];
    const place = { pointer: `/annotations${toPointerStep(name)}`, expected: jsonText(value) };
    const actual = declared.has(name) ? { actual: jsonText(declared.get(name)) } : {};
    return [{ code: 'annotation', ...place, ...actual, detail: name }];
  });
}

async function answerFailures(
  { answer, ignored }: Expectation,
  result: ToolResult,
  { readText, redact = unchanged }: ExpectationContext,
): Promise<readonly ExpectationFailure[]> {
  const pointer = '/answer';
  if (answer === undefined) return [];
  const read = answer instanceof FileReference ? await readText(answer.path) : { value: answer };
  if ('code' in read) return [{ code: read.code, pointer, detail: detailOf(answer) }];
  const difference = differenceFromAnswer(read, result, ignored);
  if (difference === undefined) return [];
  if (difference === 'notJson') {
    return [{ code: 'fileNotJson', pointer, detail: detailOf(answer) }];
  }
  const { expected, actual } = difference;
  return [{ code: 'answer', pointer, expected: redact(expected), actual: redact(actual) }];
}

async function readJson(
  { path }: FileReference,
  readText: ExpectationContext['readText'],
): Promise<{ readonly value: unknown } | Pick<ExpectationFailure, 'code' | 'detail'>> {
  const read = await readText(path);
  if ('code' in read) return { code: read.code, detail: path };
  try {
    return { value: parseJson(read.text) };
  } catch {
    // The parser's message is omitted, because it describes a text that is not displayed.
    return { code: 'fileNotJson', detail: path };
  }
}

function detailOf(given: FileReference | JsonObject | boolean): string {
  return given instanceof FileReference ? given.path : '';
}

const maxToldViolations = 5;
/** Limits the part of an error text that is shown. */
const maxErrorChars = 1_000;
/** Limits the part of an error text that is searched for secrets before it is cut. */
const maxRedactedChars = 64 * 1024;

/** Checks whether the tool reported an error as expected. */
function errorFailures(
  { isError = false }: Expectation,
  result: ToolResult,
  redact = unchanged,
): readonly ExpectationFailure[] {
  if (result.isError === isError) return [];
  const pointer = '/isError';
  if (isError) return [{ code: 'isNoError', pointer }];
  const texts = result.content.flatMap((block) =>
    block.type === 'text' ? [beginningOf(block.text, maxRedactedChars)] : [],
  );
  const said = redact(texts.join('\n').slice(0, maxRedactedChars)).slice(0, maxErrorChars).trim();
  return [{ code: 'isError', pointer, ...(said === '' ? {} : { detail: said }) }];
}

/** Checks the duration of the call. */
export function slowFailures(
  { underMs }: Expectation,
  { durationMs }: { readonly durationMs: number },
): readonly { code: 'slow'; pointer: string; expected: string; actual: string }[] {
  if (underMs === undefined || durationMs < underMs) return [];
  const [expected, actual] = [String(underMs), String(durationMs)];
  return [{ code: 'slow', pointer: '/under', expected, actual }];
}

/**
 * Checks the answer against the tool's `outputSchema`.
 * @param violations Empty if structured content is missing, absent if there is no violation.
 */
function outputFailures(
  { schemaViolations = false }: Expectation,
  violations: readonly SchemaViolation[] | undefined,
  redact = unchanged,
): readonly ExpectationFailure[] {
  const pointer = '/schemaViolations';
  if (violations === undefined) return schemaViolations ? [{ code: 'noViolation', pointer }] : [];
  if (schemaViolations) return [];
  if (violations.length === 0) return [{ code: 'outputMissing', pointer }];
  const told = violations.slice(0, maxToldViolations);
  const detail = told.map(({ pointer: at, message }) => `${at} ${message}`.trim()).join('; ');
  return [{ code: 'outputSchema', pointer, detail: redact(detail) }];
}

/** A JSON-RPC error that came instead of an answer. */
export interface ProtocolError {
  /** Absent if the server sent no number. */
  readonly code?: number;
  /** Untrusted: text of the server. */
  readonly message: string;
}

/**
 * Returns the error as the server sent it, or `undefined` if the call failed for another reason.
 */
export function protocolErrorOf({ code, facts }: McpError): ProtocolError | undefined {
  if (code !== 'serverError') return undefined;
  const { rpcCode, detail = '' } = facts;
  return { message: detail, ...(rpcCode === undefined ? {} : { code: rpcCode }) };
}
