import { isJsonObject } from '../json/shapes';
import type { JsonValue, JsonObject } from '../json/jsonValue';
import type {
  CallFileProblemCode,
  CallFileInput,
  FileCall,
  QuestionAnswer,
  FileCallTarget,
} from './callFile';
import { toPointerStep } from '../json/jsonPointer';
import { parsePattern } from '../bounds/patternTime';
import type { PatternBudget } from './callFileLimits';

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
  if (!isList(value)) {
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
  const isRead = typeof question === 'string' && patterns.takes(question);
  const pattern = isRead ? parsePattern(question) : undefined;
  if (question !== undefined && pattern === undefined) {
    report('badPattern', `${place}/question`, typeof question === 'string' ? question : '');
  }
  return {
    action: action ?? 'cancel',
    ...(pattern === undefined ? {} : { question: pattern }),
    ...(isContent ? { content } : {}),
  };
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
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
