import { isJsonObject } from '../json/shapes';
import type { JsonValue } from '../json/jsonValue';
import type { CallFileProblemCode, Expectation, ExpectedValue, CallFileInput } from './callFile';
import { parseSteps, toStep } from '../json/jsonPointer';

/** Notes that the file cannot be run, and because of what. */
export type Report = (code: CallFileProblemCode, pointer: string, detail?: string) => void;

const noInputs: ReadonlyMap<string, CallFileInput> = new Map();

/** `inputs` of a call file. */
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
      for (const key of Object.keys(others)) report('unknownKey', pointer + toStep(key), key);
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

/** `expect` of a call; nothing that is expected means only that the tool reports no error. */
export function parseExpectation(
  value: JsonValue | undefined,
  pointer: string,
  report: Report,
): Expectation {
  if (value === undefined) return { values: [] };
  if (!isJsonObject(value)) {
    report('notAnObjectHere', pointer, 'expect');
    return { values: [] };
  }
  const { isError, schema, values, ...others } = value;
  for (const key of Object.keys(others)) report('unknownKey', pointer + toStep(key), key);
  if (isError !== undefined && typeof isError !== 'boolean') {
    report('notABoolean', `${pointer}/isError`, 'isError');
  }
  const isSchema = isJsonObject(schema) || typeof schema === 'boolean';
  if (schema !== undefined && !isSchema) report('notASchema', `${pointer}/schema`, 'schema');
  return {
    ...(typeof isError === 'boolean' ? { isError } : {}),
    ...(isSchema ? { schema } : {}),
    values: parseValues(values, `${pointer}/values`, report),
  };
}

/** What a result is, for the pointers of `values`. */
const resultKeys = ['content', 'structuredContent', 'isError'];

function parseValues(
  value: JsonValue | undefined,
  place: string,
  report: Report,
): readonly ExpectedValue[] {
  if (value === undefined) return [];
  if (!isJsonObject(value)) {
    report('notAnObjectHere', place, 'values');
    return [];
  }
  return Object.entries(value).flatMap(([pointer, expected]) => {
    const steps = parseSteps(pointer);
    const [first] = steps ?? [];
    if (steps === undefined || first === undefined || !resultKeys.includes(first)) {
      report('badPointer', place + toStep(pointer), pointer);
      return [];
    }
    return [{ pointer, steps, value: expected }];
  });
}
