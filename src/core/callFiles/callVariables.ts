import { toPointerStep, findValue } from '../json/jsonPointer';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import type {
  Expectation,
  ExpectedPlace,
  FileCall,
  FileCallTarget,
  QuestionAnswer,
  CallFile,
} from './callFile';
import { FileReference } from './callFile';
import {
  fillVariables,
  fillVariablesOfValue,
  toInsertedText,
  findVariables,
  type PlacedVariable,
  type ResolveVariable,
  type Variable,
  type KnownVariable,
  type GeneratingRequest,
  type GeneratedValues,
  type ValueGenerator,
} from './callFileVariables';
import { assertNever } from '../errors';
import { isJsonValue } from '../json/shapes';
import { withWrittenBytes } from '../json/writtenBytes';
import type { ToolResult } from '../types';

/** The members of a call that may contain variables. */
type FillableCall = Pick<FileCall, 'target' | 'arguments' | 'answers'> & {
  readonly expect?: Pick<Expectation, 'places' | 'error' | 'answer'>;
};

/** A variable of a call, with a pointer relative to the call. */
export interface CallVariable extends PlacedVariable {
  /** True if its value is sent to the server, as an argument or in an answer to a question. */
  readonly isSent: boolean;
}

/** Returns the variables of a call in the order in which the user is asked for them. */
export function variablesOfCall(call: FillableCall): readonly CallVariable[] {
  return fillableParts(call).flatMap(({ pointer: base, value, isSent }) => {
    const found = findVariables(value);
    return found.map(({ variable, pointer }) => ({ variable, pointer: base + pointer, isSent }));
  });
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
        ? [{ pointer: `/expect/${place.kind}${toPointerStep(place.pointer)}`, value: place.value }]
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
function fillTarget(target: FileCallTarget, valueOf: ResolveVariable): FileCallTarget {
  if (target.kind !== 'resource') return target;
  return { ...target, name: toInsertedText(fillVariablesOfValue(target.name, valueOf)) };
}

/** Fills in the variables of the answers to questions. */
function fillAnswers(
  answers: readonly QuestionAnswer[],
  valueOf: ResolveVariable,
): readonly QuestionAnswer[] {
  return answers.map(({ content, ...answer }) =>
    content === undefined ? answer : { ...answer, content: fillVariables(content, valueOf) },
  );
}

/** Fills in the variables of an expectation. */
function fillExpectation(expect: Expectation, valueOf: ResolveVariable): Expectation {
  const { places, error, answer } = expect;
  const message = error?.message;
  const filled = message === undefined ? undefined : fillVariablesOfValue(message, valueOf);
  return {
    ...expect,
    places: places.map((place) =>
      isValuePlace(place) ? { ...place, value: fillVariablesOfValue(place.value, valueOf) } : place,
    ),
    ...(filled === undefined ? {} : { error: { ...error, message: toInsertedText(filled) } }),
    ...(isInline(answer) ? { answer: fillVariables(answer, valueOf) } : {}),
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

/**
 * Kinds of values that a call file can put into arguments without containing them. The author of
 * the file chose which server gets them, so rules do not cover them. `password` is an input from
 * secret storage, `answer` comes from another server, and `toQuestions` means that the file itself
 * answers questions of the server.
 */
export const fileValueKinds = [
  'env',
  'input',
  'password',
  'var',
  'workspaceFolder',
  'file',
  'selectedText',
  'answer',
  'toQuestions',
] as const;
export type FileValueKind = (typeof fileValueKinds)[number];

/** Returns true if the answer that a variable refers to came from another server. */
export type IsOtherServer = (variable: Extract<Variable, { kind: 'call' }>) => boolean;

/**
 * Returns the distinct kinds of values that `call` uses, in document order.
 * @param isGiven True for variables that the user listed for call files, which are excluded.
 */
export function fileValuesOf(
  { inputs }: Pick<CallFile, 'inputs'>,
  call: FillableCall,
  isOtherServer: IsOtherServer,
  isGiven: (variable: Variable) => boolean = () => false,
): readonly FileValueKind[] {
  const kinds = variablesOfCall(call)
    .filter(({ variable, isSent }) => isSent && !isGiven(variable))
    .map(({ variable }) => kindOf(variable, inputs, isOtherServer));
  const { answers = [] } = call;
  const own = answers.length === 0 ? [] : (['toQuestions'] as const);
  return [...new Set([...kinds, ...own])].filter((kind) => kind !== undefined);
}

/**
 * True if such a call always asks. For a call with a secret, a stored permission would be a hash
 * from which a short secret can be guessed; answers to questions are not part of the arguments.
 */
export function alwaysAsk(kinds: readonly FileValueKind[]): boolean {
  return kinds.some((kind) => kind === 'env' || kind === 'password' || kind === 'toQuestions');
}

function kindOf(
  variable: Variable,
  inputs: CallFile['inputs'],
  isOtherServer: IsOtherServer,
): FileValueKind | undefined {
  switch (variable.kind) {
    case 'env':
    case 'var':
    case 'workspaceFolder':
    case 'file':
    case 'selectedText':
      return variable.kind;
    case 'input':
      return inputs.get(variable.name)?.isPassword === true ? 'password' : 'input';
    case 'call':
      return isOtherServer(variable) ? 'answer' : undefined;
    case 'generated':
      return undefined;
    default:
      return assertNever(variable);
  }
}

/** A call with its values, or a problem and its place. `cancelled` if the user cancelled. */
export type FilledCall =
  | {
      readonly kind: 'filled';
      readonly target: FileCallTarget;
      /** The arguments. */
      readonly value: JsonObject | undefined;
      readonly answers?: readonly QuestionAnswer[];
      readonly expect: Expectation;
      /** Kinds of values that are sent and are not in the file. */
      readonly fileValues: readonly FileValueKind[];
      /** Values of such variables, and of entered passwords. */
      readonly secrets: readonly string[];
    }
  /** The pointer is relative to the call. */
  | { readonly kind: 'problem'; readonly pointer: string; readonly sentence: string }
  | { readonly kind: 'cancelled' };

/** The value of a variable, or a sentence that says why it has none. */
export type FoundValue = { readonly value: JsonValue } | { readonly sentence: string } | undefined;

/** @param isSent True if the value is sent to the server, and not only expected in its answer. */
type FindValue = (variable: KnownVariable, isSent: boolean) => FoundValue | Promise<FoundValue>;

/**
 * Fills in the variables of a call. Asks for each variable once, for those that are sent first.
 * Rejects only if `find` does.
 * @param generated The generated values of the run.
 * @param isOtherServer If absent, every answer counts as one of another server.
 */
export async function fillCall(
  { inputs }: CallFile,
  call: FileCall,
  generated: GeneratedValues,
  find: FindValue,
  isOtherServer: IsOtherServer = () => true,
): Promise<FilledCall> {
  const variables = variablesOfCall(call);
  const values = new Map<string, JsonValue>();
  const generators = new Map<string, ValueGenerator>();
  for (const { pointer, variable, isSent } of variables) {
    if (variable.kind === 'generated') generators.set(variable.text, variable.generator);
    if (variable.kind === 'generated' || values.has(variable.text)) continue;
    const found = await find(variable, isSent);
    if (found === undefined) return { kind: 'cancelled' };
    if ('sentence' in found) return { kind: 'problem', pointer, sentence: found.sentence };
    values.set(variable.text, found.value);
  }
  const { arguments: given, answers, expect, server } = call;
  const requestOf = (others: ReadonlyMap<string, JsonValue>): GeneratingRequest => {
    const resolve: ResolveVariable = ({ text }) => others.get(text) ?? values.get(text) ?? null;
    const value = given === undefined ? undefined : fillVariables(given, resolve);
    return { server, target: fillTarget(call.target, resolve), value };
  };
  const ofRun = generated.valuesOf(call.name, generators, requestOf);
  const { target, value: filled } = requestOf(ofRun);
  const valueOf: ResolveVariable = ({ text }) => ofRun.get(text) ?? values.get(text) ?? null;
  return {
    kind: 'filled',
    target,
    value: filled,
    ...(answers === undefined ? {} : { answers: fillAnswers(answers, valueOf) }),
    expect: fillExpectation(expect, valueOf),
    fileValues: fileValuesOf({ inputs }, call, isOtherServer),
    secrets: variables
      .filter(({ variable }) => isSecret(variable, inputs))
      .flatMap(({ variable: { text } }) => values.get(text) ?? [])
      .filter((value) => typeof value === 'string'),
  };
}

/**
 * Returns the value that `${calls.…}` refers to in a result, or `undefined` if it does not exist.
 */
export function valueOfCall(
  { part, steps }: Extract<Variable, { kind: 'call' }>,
  result: ToolResult,
): JsonValue | undefined {
  const found = findValue(result[part], steps);
  const value = found.isThere ? withWrittenBytes(found.value, steps.at(-1)) : undefined;
  return isJsonValue(value) ? value : undefined;
}

function isSecret(variable: Variable, inputs: CallFile['inputs']): boolean {
  if (variable.kind === 'env') return true;
  return variable.kind === 'input' && inputs.get(variable.name)?.isPassword === true;
}
