import { PatternTime } from '../bounds/patternTime';
import { WorkTurns } from '../bounds/workTurns';
import { beginningOf } from '../content/textData';
import { assertNever } from '../errors';
import { findValue, toStep } from '../json/jsonPointer';
import { isContainer } from '../json/leaves';
import { RawJson, whyUnchecked } from '../json/rawJson';
import type { JsonObject } from '../json/jsonValue';
import { parseJson } from '../json/parseJson';
import { isJsonObject } from '../json/shapes';
import { isNumber } from '../json/writtenNumber';
import type { SchemaValidator } from '../schema/schema';
import type { SchemaViolation, ToolAnnotations, ToolResult } from '../types';
import { differenceFromAnswer } from './answerDifference';
import { FileReference, type Expectation, type ExpectedPlace } from './callFile';
import { contains, isSame, jsonText } from './expectedValues';
import { errorFailures, outputFailures, slowFailures } from './outcomeFailures';

/** Something that was expected and is not so. */
export interface Failure {
  readonly code:
    /** `detail` is the beginning of the text that came with the error. */
    | 'isError'
    | 'isNoError'
    /** The answer breaks the tool's own `outputSchema`; `detail` says where and how. */
    | 'outputSchema'
    /** The tool has an `outputSchema`, and no structured content came. */
    | 'outputMissing'
    /** The answer was expected to break the tool's own `outputSchema`. */
    | 'noViolation'
    /** An answer came in place of an error of the protocol. */
    | 'noProtocolError'
    /** Another error of the protocol came. */
    | 'protocolError'
    | 'protocolErrorPattern'
    /** The call has no answer to a question of the server (`actual`: its text). */
    | 'unanswered'
    /** The question is a page for a browser, which no call opens. */
    | 'browserQuestion'
    /** The server asked while it had several calls, so that nobody knows for which one. */
    | 'crossedQuestion'
    /** The answer of the call is not what the server asks for; `detail` says where and how. */
    | 'answerMisfit'
    | 'schema'
    | 'schemaUnusable'
    | 'noStructuredContent'
    | 'value'
    | 'missing'
    | 'contains'
    | 'matches'
    /** The pattern was stopped, so that nobody knows. */
    | 'patternStopped'
    | 'count'
    /** What stands there has nothing to be counted. */
    | 'uncountable'
    /** It took longer; `expected` and `actual` are milliseconds. */
    | 'slow'
    /** The server declares another hint, or none (no `actual`); `detail` is which. */
    | 'annotation'
    /** `expected` and `actual` are both answers in whole, line by line. */
    | 'answer'
    /** The file that holds what is expected cannot be used: `detail` is its path. */
    | FileFailureCode;
  /** Which line of `expect` says so, as a pointer into it. */
  readonly pointer: string;
  /** What was expected, mostly JSON. */
  readonly expected?: string;
  /** What is there, mostly JSON of a server: untrusted. */
  readonly actual?: string;
  /** For schemas, what they say. */
  readonly detail?: string;
}

/** Why the text of a file that a call file names is not there. */
export type FileTextProblem = 'fileMissing' | 'fileOutside' | 'fileTooLarge' | 'fileUnreadable';
type FileFailureCode = FileTextProblem | 'fileNotJson';

export type FileText = { readonly text: string } | { readonly code: FileTextProblem };

/** What came of a call. */
export interface Answer {
  readonly result: ToolResult;
  /** Of the tool, as the server declares them now. */
  readonly annotations: ToolAnnotations;
  readonly durationMs: number;
  /**
   * Where `structuredContent` breaks the tool's own `outputSchema`; empty: none came.
   * Absent: nothing is broken.
   */
  readonly violations?: readonly SchemaViolation[];
}

export interface JudgingTools {
  readonly validator: Pick<SchemaValidator, 'validate'>;
  /** A file by its path from the call file, which bounds what it reads. Never rejects. */
  readonly readText: (path: string) => Promise<FileText>;
  /** What is known to be secret, left out of values before they are cut. */
  readonly redact?: (text: string) => string;
}

/** For all patterns of an expectation together. */
const patternsMs = 500;
/** More of a text is not looked at by a pattern. */
const maxMatchedChars = 1024 * 1024;
/** Of places that are not as expected; nobody reads more, and the call has failed. */
const maxToldPlaces = 20;

/** Everything that an answer does not bring of what was expected of it; empty means passed. */
export async function judge(
  expectation: Expectation,
  answer: Answer,
  tools: JudgingTools,
): Promise<readonly Failure[]> {
  const { places } = expectation;
  const { result } = answer;
  if (expectation.error !== undefined) return [{ code: 'noProtocolError', pointer: '/error' }];
  const failures: Failure[] = [...errorFailures(expectation, result, tools.redact)];
  failures.push(...outputFailures(expectation, answer.violations));
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
  { validator, readText }: JudgingTools,
): Promise<readonly Failure[]> {
  const pointer = '/schema';
  if (given === undefined) return [];
  if (structuredContent === undefined) return [{ code: 'noStructuredContent', pointer }];
  if (structuredContent instanceof RawJson) {
    return [{ code: 'schemaUnusable', pointer, detail: whyUnchecked(structuredContent) }];
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
  return [{ code: 'schema', pointer, detail: first?.message ?? '' }];
}

/** Others have their turn between two places: there may be thousands, each of a large answer. */
async function allPlaceFailures(
  places: readonly ExpectedPlace[],
  whole: object,
  tools: JudgingTools,
): Promise<readonly Failure[]> {
  const patterns = new PatternTime(patternsMs);
  const turns = new WorkTurns();
  const failures: Failure[] = [];
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
  { redact }: JudgingTools,
): Failure | undefined {
  const found = findValue(whole, place.steps);
  const pointer = `/${place.kind}${toStep(place.pointer)}`;
  if (!found.isThere) return { code: 'missing', pointer, expected: expectedText(place, redact) };
  const { value } = found;
  const code = whyUnmet(place, value, patterns);
  if (code === undefined) return undefined;
  // Made only now: most places are as expected, and what stands there may be all of an answer.
  const expected = expectedText(place, redact);
  const actual = code === 'count' ? String(countOf(value)) : jsonText(value, redact);
  return { code, pointer, expected, actual };
}

function whyUnmet(
  place: ExpectedPlace,
  value: unknown,
  patterns: PatternTime,
): Failure['code'] | undefined {
  switch (place.kind) {
    case 'values':
      return isSame(value, place.value) ? undefined : 'value';
    case 'contains':
      return contains(value, place.value) ? undefined : 'contains';
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

function expectedText(place: ExpectedPlace, redact: JudgingTools['redact']): string {
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
): readonly Failure[] {
  const declared = new Map<string, unknown>(Object.entries(annotations));
  return Object.entries(expected).flatMap(([name, value]): Failure[] => {
    if (declared.get(name) === value) return [];
    const place = { pointer: `/annotations${toStep(name)}`, expected: jsonText(value) };
    const actual = declared.has(name) ? { actual: jsonText(declared.get(name)) } : {};
    return [{ code: 'annotation', ...place, ...actual, detail: name }];
  });
}

async function answerFailures(
  { answer, ignored }: Expectation,
  result: ToolResult,
  { readText }: JudgingTools,
): Promise<readonly Failure[]> {
  const pointer = '/answer';
  if (answer === undefined) return [];
  const read = answer instanceof FileReference ? await readText(answer.path) : { value: answer };
  if ('code' in read) return [{ code: read.code, pointer, detail: detailOf(answer) }];
  const difference = differenceFromAnswer(read, result, ignored);
  if (difference === undefined) return [];
  return difference === 'notJson'
    ? [{ code: 'fileNotJson', pointer, detail: detailOf(answer) }]
    : [{ code: 'answer', pointer, ...difference }];
}

async function readJson(
  { path }: FileReference,
  readText: JudgingTools['readText'],
): Promise<{ readonly value: unknown } | Pick<Failure, 'code' | 'detail'>> {
  const read = await readText(path);
  if ('code' in read) return { code: read.code, detail: path };
  try {
    return { value: parseJson(read.text) };
  } catch {
    // Whatever the parser says of it, it says of a text that nobody sees here.
    return { code: 'fileNotJson', detail: path };
  }
}

function detailOf(given: FileReference | JsonObject | boolean): string {
  return given instanceof FileReference ? given.path : '';
}
