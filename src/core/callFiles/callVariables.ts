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

/** The members of a call that may contain variables. */
export type FillableCall = Pick<FileCall, 'target' | 'arguments' | 'answers'> & {
  readonly expect?: Pick<Expectation, 'places' | 'error' | 'answer'>;
};

/** A variable of a call, with a pointer relative to the call. */
export interface CallVariable extends PlacedVariable {
  /** True if its value is sent to the server, as an argument or in an answer to a question. */
  readonly isSent: boolean;
}

/** Returns the variables of a call in the order in which the user is asked for them. */
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

/** Returns everything that may contain variables, by pointer relative to the call. */
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

/** Fills in the variables of a resource URI. */
export function fillTarget(target: FileCallTarget, valueOf: ValueOf): FileCallTarget {
  if (target.kind !== 'resource') return target;
  return { ...target, name: inText(fillValue(target.name, valueOf)) };
}

/** Fills in the variables of the answers to questions. */
export function fillAnswers(
  answers: readonly QuestionAnswer[],
  valueOf: ValueOf,
): readonly QuestionAnswer[] {
  return answers.map(({ content, ...answer }) =>
    content === undefined ? answer : { ...answer, content: fillIn(content, valueOf) },
  );
}

/** Fills in the variables of an expectation. */
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
