import { isJsonObject } from '../json/shapes';
import type { JsonValue } from '../json/jsonValue';
import type { CallFileProblemCode, CallFileInput } from './callFile';
import { toStep } from '../json/jsonPointer';

/** Reports a problem because of which the file cannot be run. */
export type Report = (
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
  report: Report,
): ReadonlyMap<string, CallFileInput> {
  if (value === undefined) return noInputs;
  if (!isJsonObject(value)) {
    report('notAnObjectHere', '/inputs', 'inputs');
    return noInputs;
  }
  return new Map(
    Object.entries(value).flatMap(([name, input]): [string, CallFileInput][] => {
      const pointer = `/inputs${toStep(name)}`;
      if (!isJsonObject(input)) {
        report('notAnObjectHere', pointer, name);
        return [];
      }
      const { description, password, ...others } = input;
      for (const key of Object.keys(others))
        report('unknownKey', pointer + toStep(key), key, inputKeys);
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
