import { findValue } from '../json/jsonPointer';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { isJsonValue } from '../json/shapes';
import { withWrittenBytes } from '../json/writtenBytes';
import type { ToolResult } from '../types';
import type { CallFile, Expectation, FileCall, FileCallTarget, QuestionAnswer } from './callFile';
import { fillIn, type KnownVariable, type ValueOf, type Variable } from './callFileVariables';
import { fillAnswers, fillExpectation, fillTarget, variablesOfCall } from './callVariables';
import { fileValuesOf, type FileValueKind, type IsOtherServer } from './fileValues';
import type { GeneratedValues } from './generatedValues';

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
export type FindValue = (
  variable: KnownVariable,
  isSent: boolean,
) => FoundValue | Promise<FoundValue>;

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
  for (const { pointer, variable, isSent } of variables) {
    if (values.has(variable.text)) continue;
    const found =
      variable.kind === 'generated'
        ? { value: generated.valueOf(call.name, variable.text, variable.generator) }
        : await find(variable, isSent);
    if (found === undefined) return { kind: 'cancelled' };
    if ('sentence' in found) return { kind: 'problem', pointer, sentence: found.sentence };
    values.set(variable.text, found.value);
  }
  const { arguments: given, answers, expect } = call;
  const valueOf: ValueOf = ({ text }) => values.get(text) ?? null;
  return {
    kind: 'filled',
    target: fillTarget(call.target, valueOf),
    value: given === undefined ? undefined : fillIn(given, valueOf),
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
