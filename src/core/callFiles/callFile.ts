import { type TextPlace, hasTooManyTokens } from '../arguments/argumentsJson';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { type PointerSteps, toPointerStep } from '../json/jsonPointer';
import type { ToolAnnotations } from '../types';
import { isContainer, isJsonObject, isJsonArray } from '../json/shapes';
import { parsePattern } from '../bounds/patterns';

export type FilePhase = 'before' | 'after';

/** The target of a call: a tool to run, or a resource (by URI) or prompt to read. */
export type FileCallTarget =
  | ToolTarget
  | { readonly kind: 'resource' | 'prompt'; readonly name: string };

interface ToolTarget {
  readonly kind: 'tool';
  readonly name: string;
}

/** One call of a call file, before its variables are filled in. */
export interface FileCall {
  /** The key in `calls`, or `''` for the only call of a file without one. */
  readonly name: string;
  /**
   * `before` prepares the other calls, `after` cleans up even if they fail. Absent for ordinary
   * calls.
   */
  readonly phase?: FilePhase;
  /** JSON pointer to the call in the file. */
  readonly pointer: string;
  readonly server: string;
  readonly target: FileCallTarget;
  /** If absent, it is absent on the wire too. */
  readonly arguments?: JsonObject;
  /** True to send the arguments without validating them. */
  readonly isSentAsIs?: true;
  /** Answers to questions of the server during the call. Absent if the user answers them. */
  readonly answers?: readonly QuestionAnswer[];
  /** Defaults to the configured time limit. */
  readonly timeoutMs?: number;
  readonly expect: Expectation;
}

/** A call of a tool, which is subject to the gate. */
export interface ToolFileCall extends FileCall {
  readonly target: ToolTarget;
}

export function isToolCall(call: FileCall): call is ToolFileCall {
  return call.target.kind === 'tool';
}

/** The displayed name of a call: its own, or else that of its target. */
export function calledName({ name, target }: Pick<FileCall, 'name' | 'target'>): string {
  return name === '' ? target.name : name;
}

/** An answer to one question of the server. */
export interface QuestionAnswer {
  /** Matches the text of the question. Absent for whichever question comes next. */
  readonly question?: RegExp;
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The values for the form of the question. */
  readonly content?: JsonObject;
}

/** The expected result of a call. */
export interface Expectation {
  /** True if the tool has to report an error. Defaults to false. */
  readonly isError?: boolean;
  /** True if the answer has to violate the tool's `outputSchema`. Defaults to false. */
  readonly schemaViolations?: boolean;
  /** The protocol error that has to come instead of an answer. */
  readonly error?: ExpectedError;
  /** JSON schema for `structuredContent`, or the file that contains it. */
  readonly schema?: JsonObject | boolean | FileReference;
  /** Expected values at places of `{content, structuredContent, isError}`. */
  readonly places: readonly ExpectedPlace[];
  /** Limit for the duration of the call, in milliseconds. */
  readonly underMs?: number;
  /** Hints that the server has to declare for the tool. */
  readonly annotations?: ToolAnnotations;
  /** The whole answer in the format of `comparableText`, or the file that contains it. */
  readonly answer?: JsonObject | FileReference;
  /** Member names and JSON pointers whose values in `answer` are not compared. */
  readonly ignored: readonly string[];
}

/** The expected JSON-RPC error. Without members, any error is accepted. */
export interface ExpectedError {
  readonly code?: number;
  /** The complete message. */
  readonly message?: string;
  /** Has to match somewhere in the message. */
  readonly pattern?: RegExp;
}

/** A relative path from the call file, with `/` as separator. */
export class FileReference {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

/** An expected value at one place of a result. */
export type ExpectedPlace = {
  /** The pointer as written in the file. */
  readonly pointer: string;
  readonly steps: PointerSteps;
} & (
  | { readonly kind: 'values'; readonly value: JsonValue }
  /** Part of a string, an item of an array, or some members of an object. */
  | { readonly kind: 'contains'; readonly value: JsonValue }
  | { readonly kind: 'matches'; readonly pattern: RegExp }
  /** The number of items of an array, or of members of an object. */
  | { readonly kind: 'count'; readonly least: number; readonly most: number }
);

/** An input that the user is asked for. */
export interface CallFileInput {
  readonly description?: string;
  /** True if the value is masked, and kept in secret storage. */
  readonly isPassword: boolean;
}

export interface CallFile {
  readonly inputs: ReadonlyMap<string, CallFileInput>;
  /** In execution order: `before`, `calls`, `after`, each in the order of the file. */
  readonly calls: readonly FileCall[];
}

export type CallFileProblemCode =
  | 'syntax'
  | 'notAnObject'
  | 'duplicateName'
  | 'tooDeep'
  | 'tooLarge'
  | 'tooManyCalls'
  | 'empty'
  | 'unknownKey'
  | 'missingKey'
  | 'mixed'
  | 'notAnObjectHere'
  | 'notAText'
  | 'notABoolean'
  | 'notASchema'
  | 'badTimeout'
  | 'badPointer'
  | 'badPattern'
  | 'badCount'
  | 'badErrorCode'
  | 'badSend'
  /** A call names more than one of tool, resource and prompt. */
  | 'severalTargets'
  /** The key does not apply to resources and prompts. */
  | 'onlyForTools'
  | 'notAnswers'
  | 'tooManyAnswers'
  | 'badAction'
  /** The key needs an answer, but an error is expected. */
  | 'notWithError'
  | 'badDuration'
  | 'badFile'
  | 'notAnAnswer'
  | 'notAList'
  | 'openVariable'
  | 'unknownVariable'
  | 'badVariable'
  | 'badGenerated'
  | 'unknownCall'
  | 'laterCall';

/** A problem in the file, with its place. A file with problems is not run. */
export interface CallFileProblem extends TextPlace {
  readonly code: CallFileProblemCode;
  /** The name, key or variable that the problem is about, from the file. */
  readonly detail?: string;
  /** The key that was probably meant. */
  readonly nearest?: string;
}

/** Far more than a hand-written file has. */
const maxChars = 10 * 1024 * 1024;
/** The file is read after each pause in typing; this many tokens take about 80 ms. */
const maxTokens = 50_000;
/** Each variable is parsed, and ten million characters can hold a million of them. */
const maxVariables = 5_000;
/**
 * Limits all patterns of a file together. Estimating the cost of a pattern takes about a
 * microsecond per character.
 */
const maxPatternChars = 50_000;
/** Limits member names and pointers, whose processing takes time. */
const maxNameChars = 4_000;

/** True if a text exceeds the limits of a call file. Counts before anything is parsed. */
export function isTooLarge(text: string): boolean {
  return text.length > maxChars || hasTooManyTokens(text, maxTokens) || hasTooManyVariables(text);
}

function hasTooManyVariables(text: string): boolean {
  let count = 0;
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', at + 2)) {
    count += 1;
    if (count > maxVariables) return true;
  }
  return false;
}

/** True if a member anywhere in `value` has an overlong name. */
export function hasLongName(value: JsonValue): boolean {
  if (!isContainer(value)) return false;
  return Object.entries(value).some(
    ([name, child]) => name.length > maxNameChars || hasLongName(child),
  );
}

/** The remaining size for the patterns of one file. */
export class PatternBudget {
  #left = maxPatternChars;

  /** Parses a pattern. Reports one that is invalid, or exceeds the budget. */
  read(source: JsonValue, pointer: string, report: ReportProblem): RegExp | undefined {
    const text = typeof source === 'string' ? source : undefined;
    this.#left -= text?.length ?? 0;
    const pattern = text === undefined || this.#left < 0 ? undefined : parsePattern(text);
    if (pattern === undefined) report('badPattern', pointer, text ?? '');
    return pattern;
  }
}

/** Reports a problem because of which the file cannot be run. */
export type ReportProblem = (
  code: CallFileProblemCode,
  pointer: string,
  detail?: string,
  /** Names among which the intended one may be. */
  known?: readonly string[],
) => void;

const inputKeys = ['description', 'password'];
const noInputs: ReadonlyMap<string, CallFileInput> = new Map();

/** Parses `inputs` of a call file. */
export function parseInputs(
  value: JsonValue | undefined,
  report: ReportProblem,
): ReadonlyMap<string, CallFileInput> {
  if (value === undefined) return noInputs;
  if (!isJsonObject(value)) {
    report('notAnObjectHere', '/inputs', 'inputs');
    return noInputs;
  }
  return new Map(
    Object.entries(value).flatMap(([name, input]): [string, CallFileInput][] => {
      const pointer = `/inputs${toPointerStep(name)}`;
      if (!isJsonObject(input)) {
        report('notAnObjectHere', pointer, name);
        return [];
      }
      const { description, password, ...others } = input;
      for (const key of Object.keys(others))
        report('unknownKey', pointer + toPointerStep(key), key, inputKeys);
      if (description !== undefined && typeof description !== 'string') {
        report('notAText', `${pointer}/description`, 'description');
      }
      if (password !== undefined && typeof password !== 'boolean') {
        report('notABoolean', `${pointer}/password`, 'password');
      }
      const isText = typeof description === 'string';
      return [[name, { isPassword: password === true, ...(isText ? { description } : {}) }]];
    }),
  );
}

/** Each question is compared with all of them. */
export const maxAnswers = 100;

/** Keys of an answer, in the order of completion. */
export const answerKeys = ['question', 'action', 'content'] as const;
export const answerActions = ['accept', 'decline', 'cancel'] as const;

/** Parses the `answers` of a call, which are given to questions of the server during the call. */
export function parseAnswers(
  value: JsonValue | undefined,
  pointer: string,
  report: ReportProblem,
  patterns: PatternBudget,
): Pick<FileCall, 'answers'> {
  if (value === undefined) return {};
  if (!isJsonArray(value)) {
    report('notAnswers', pointer);
    return {};
  }
  if (value.length > maxAnswers) {
    report('tooManyAnswers', pointer);
    return {};
  }
  const answers = value.flatMap((answer, index) => {
    const place = `${pointer}/${index}`;
    if (isJsonObject(answer)) return [parseAnswer(answer, place, report, patterns)];
    report('notAnswers', place);
    return [];
  });
  return { answers };
}

function parseAnswer(
  answer: JsonObject,
  place: string,
  report: ReportProblem,
  patterns: PatternBudget,
): QuestionAnswer {
  const { question, action: given = 'accept', content, ...others } = answer;
  for (const key of Object.keys(others)) {
    report('unknownKey', place + toPointerStep(key), key, answerKeys);
  }
  const action = answerActions.find((known) => known === given);
  if (action === undefined) report('badAction', `${place}/action`);
  const isContent = isJsonObject(content);
  if (content !== undefined && !isContent) {
    report('notAnObjectHere', `${place}/content`, 'content');
  } else if (isContent && action !== 'accept') report('unknownKey', `${place}/content`, 'content');
  const pattern =
    question === undefined ? undefined : patterns.read(question, `${place}/question`, report);
  return {
    action: action ?? 'cancel',
    ...(pattern === undefined ? {} : { question: pattern }),
    ...(isContent ? { content } : {}),
  };
}

/** The kinds of targets; a call names exactly one. */
export const targetKeys = ['tool', 'resource', 'prompt'] as const;

/** Keys of a call and of its `expect` that apply to tools only. */
const keysOfTools = ['send', 'answers'];
const expectedOfTools = ['isError', 'schemaViolations', 'schema', 'annotations'];

/** Parses the target of a call and reports keys that do not apply to it. */
export function parseTarget(
  call: JsonObject,
  pointer: string,
  report: ReportProblem,
): FileCallTarget {
  const [kind = 'tool', ...others] = targetKeys.filter((key) => Object.hasOwn(call, key));
  for (const key of others) report('severalTargets', pointer + toPointerStep(key), key);
  const name = Object.hasOwn(call, kind) ? call[kind] : undefined;
  if (name === undefined) report('missingKey', pointer, kind);
  else if (typeof name !== 'string') report('notAText', pointer + toPointerStep(kind), kind);
  if (kind !== 'tool') reportOfTools(call, kind, pointer, report);
  return { kind, name: typeof name === 'string' ? name : '' };
}

function reportOfTools(
  call: JsonObject,
  kind: 'resource' | 'prompt',
  pointer: string,
  report: ReportProblem,
): void {
  const { expect, arguments: given } = call;
  const own = kind === 'resource' ? [...keysOfTools, 'arguments'] : keysOfTools;
  for (const key of own) {
    if (Object.hasOwn(call, key)) report('onlyForTools', pointer + toPointerStep(key), key);
  }
  for (const key of isJsonObject(expect) ? expectedOfTools : []) {
    const isThere = isJsonObject(expect) && Object.hasOwn(expect, key);
    if (isThere) report('onlyForTools', `${pointer}/expect${toPointerStep(key)}`, key);
  }
  if (kind === 'resource' || !isJsonObject(given)) return;
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string')
      report('notAText', `${pointer}/arguments${toPointerStep(name)}`, name);
  }
}
