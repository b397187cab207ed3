import { parsePattern } from '../bounds/parsePattern';
import { toStep } from '../json/jsonPointer';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { isJsonObject } from '../json/shapes';
import type { FileCall, QuestionAnswer } from './callFile';
import type { PatternBudget } from './callFileLimits';
import type { Report } from './callFileParts';

/** Each question is compared with all of them. */
export const maxAnswers = 100;

/** Keys of an answer, in the order of completion. */
export const answerKeys = ['question', 'action', 'content'] as const;
export const answerActions = ['accept', 'decline', 'cancel'] as const;

/** Parses the `answers` of a call, which are given to questions of the server during the call. */
export function parseAnswers(
  value: JsonValue | undefined,
  pointer: string,
  report: Report,
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
  report: Report,
  patterns: PatternBudget,
): QuestionAnswer {
  const { question, action: given = 'accept', content, ...others } = answer;
  for (const key of Object.keys(others)) {
    report('unknownKey', place + toStep(key), key, answerKeys);
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
