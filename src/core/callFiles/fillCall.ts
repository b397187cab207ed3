import { findValue } from '../json/jsonPointer';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { isJsonValue } from '../json/shapes';
import { withWrittenBytes } from '../json/writtenBytes';
import type { ToolResult } from '../types';
import type { CallFile, FileCall } from './callFile';
import { fillIn, variablesIn, type KnownVariable, type Variable } from './callFileVariables';
import { fileValuesOf, type FileValueKind, type IsOtherServer } from './fileValues';
import type { GeneratedValues } from './generatedValues';

/** Arguments to be sent, or why they cannot be made and where; nothing at all: the person left. */
export type FilledArguments =
  | {
      readonly kind: 'filled';
      readonly value: JsonObject | undefined;
      /** Values in it that the file does not hold. */
      readonly fileValues: readonly FileValueKind[];
      /** Of such variables, and of passwords that were typed. */
      readonly secrets: readonly string[];
    }
  | { readonly kind: 'problem'; readonly pointer: string; readonly sentence: string }
  | { readonly kind: 'cancelled' };

/** What a variable stands for, or a sentence that says why it stands for nothing. */
export type FoundValue = { readonly value: JsonValue } | { readonly sentence: string } | undefined;

/**
 * The arguments of a call with the values of its variables, each of which is asked for once, in the
 * order of the text; `generated` holds those that the run has made. Without `isOtherServer` every
 * answer counts as one of another server. Rejects only where `find` does.
 */
export async function fillCall(
  { inputs }: CallFile,
  { name, arguments: given }: FileCall,
  generated: GeneratedValues,
  find: (variable: KnownVariable) => FoundValue | Promise<FoundValue>,
  isOtherServer: IsOtherServer = () => true,
): Promise<FilledArguments> {
  if (given === undefined) {
    return { kind: 'filled', value: undefined, fileValues: [], secrets: [] };
  }
  const variables = variablesIn(given);
  const values = new Map<string, JsonValue>();
  for (const { pointer, variable } of variables) {
    if (values.has(variable.text)) continue;
    const found =
      variable.kind === 'generated'
        ? { value: generated.valueOf(name, variable.text, variable.generator) }
        : await find(variable);
    if (found === undefined) return { kind: 'cancelled' };
    if ('sentence' in found) return { kind: 'problem', pointer, sentence: found.sentence };
    values.set(variable.text, found.value);
  }
  return {
    kind: 'filled',
    value: fillIn(given, ({ text }) => values.get(text) ?? null),
    fileValues: fileValuesOf({ inputs }, { arguments: given }, isOtherServer),
    secrets: variables
      .filter(({ variable }) => isSecret(variable, inputs))
      .flatMap(({ variable: { text } }) => values.get(text) ?? [])
      .filter((value) => typeof value === 'string'),
  };
}

/** What `${calls.…}` takes from the result that it names; `undefined` where nothing stands there. */
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
