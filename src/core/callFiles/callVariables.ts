import { toStep } from '../json/jsonPointer';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import type {
  Expectation,
  ExpectedPlace,
  FileCall,
  FileCallTarget,
  QuestionAnswer,
} from './callFile';
import { FileReference } from './callFile';
import {
  fillIn,
  fillValue,
  inText,
  variablesIn,
  type PlacedVariable,
  type ValueOf,
} from './callFileVariables';

/** What of a call may hold variables. */
export type FillableCall = Pick<FileCall, 'target' | 'arguments' | 'answers'> & {
  readonly expect?: Pick<Expectation, 'places' | 'error' | 'answer'>;
};

/** A variable of a call; its pointer begins below the call. */
export interface CallVariable extends PlacedVariable {
  /** Its value goes to the server, as an argument or an answer to a question. */
  readonly isSent: boolean;
}

/** The variables of a call, in the order in which they are asked for. */
export function variablesOfCall(call: FillableCall): readonly CallVariable[] {
  return fillableParts(call).flatMap(({ pointer, value, isSent }) =>
    variablesIn(value).map((found) => ({
      variable: found.variable,
      pointer: pointer + found.pointer,
      isSent,
    })),
  );
}

interface FillablePart {
  readonly pointer: string;
  readonly value: JsonValue;
  readonly isSent: boolean;
}

/** Everything in which variables count, by its pointer below the call. */
export function fillableParts(call: FillableCall): readonly FillablePart[] {
  const { target, arguments: given, answers = [], expect } = call;
  const sent: { readonly pointer: string; readonly value: JsonValue }[] = [
    ...(target.kind === 'resource' ? [{ pointer: '/resource', value: target.name }] : []),
    ...(given === undefined ? [] : [{ pointer: '/arguments', value: given }]),
    ...answers.flatMap(({ content }, index) =>
      content === undefined ? [] : [{ pointer: `/answers/${index}/content`, value: content }],
    ),
  ];
  const { places = [], error, answer } = expect ?? {};
  const expected: { readonly pointer: string; readonly value: JsonValue }[] = [
    ...places.flatMap((place) =>
      isValuePlace(place)
        ? [{ pointer: `/expect/${place.kind}${toStep(place.pointer)}`, value: place.value }]
        : [],
    ),
    ...(error?.message === undefined
      ? []
      : [{ pointer: '/expect/error/message', value: error.message }]),
    ...(isInline(answer) ? [{ pointer: '/expect/answer', value: answer }] : []),
  ];
  return [
    ...sent.map((part) => ({ ...part, isSent: true })),
    ...expected.map((part) => ({ ...part, isSent: false })),
  ];
}

/** A resource with the values of the variables in its URI. */
export function fillTarget(target: FileCallTarget, valueOf: ValueOf): FileCallTarget {
  if (target.kind !== 'resource') return target;
  return { ...target, name: inText(fillValue(target.name, valueOf)) };
}

/** The answers to questions, with the values of their variables. */
export function fillAnswers(
  answers: readonly QuestionAnswer[],
  valueOf: ValueOf,
): readonly QuestionAnswer[] {
  return answers.map(({ content, ...answer }) =>
    content === undefined ? answer : { ...answer, content: fillIn(content, valueOf) },
  );
}

/** What is expected, with the values of its variables. */
export function fillExpectation(expect: Expectation, valueOf: ValueOf): Expectation {
  const { places, error, answer } = expect;
  const message = error?.message;
  const filled = message === undefined ? undefined : fillValue(message, valueOf);
  return {
    ...expect,
    places: places.map((place) =>
      isValuePlace(place) ? { ...place, value: fillValue(place.value, valueOf) } : place,
    ),
    ...(filled === undefined ? {} : { error: { ...error, message: inText(filled) } }),
    ...(isInline(answer) ? { answer: fillIn(answer, valueOf) } : {}),
  };
}

function isValuePlace(
  place: ExpectedPlace,
): place is Extract<ExpectedPlace, { readonly value: JsonValue }> {
  return place.kind === 'values' || place.kind === 'contains';
}

function isInline(answer: Expectation['answer']): answer is JsonObject {
  return answer !== undefined && !(answer instanceof FileReference);
}
