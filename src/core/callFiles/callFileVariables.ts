import type { JsonObject, JsonValue } from '../json/jsonValue';
import { stringifyExactly } from '../json/writtenNumber';
import { isContainer } from '../json/leaves';
import { isJsonObject } from '../json/shapes';
import { parsePointerSteps, toPointerStep, type PointerSteps } from '../json/jsonPointer';
import { parseGenerator, type ValueGenerator } from './generatedValues';

/** The content of `${…}` in a string of a call's arguments. */
export type Variable =
  | { readonly kind: 'env' | 'input' | 'var'; readonly name: string; readonly text: string }
  | { readonly kind: 'workspaceFolder' | 'file' | 'selectedText'; readonly text: string }
  | { readonly kind: 'generated'; readonly generator: ValueGenerator; readonly text: string }
  | {
      readonly kind: 'call';
      /** The call whose result it is taken from. */
      readonly name: string;
      readonly part: 'content' | 'structuredContent';
      readonly steps: PointerSteps;
      readonly text: string;
    };

/** A variable whose value is not generated. */
export type KnownVariable = Exclude<Variable, { readonly kind: 'generated' }>;

/** Why a text that begins like a variable is not a valid one. */
export interface CallFileVariableProblem {
  readonly code: 'openVariable' | 'unknownVariable' | 'badVariable' | 'badGenerated';
  /** The text in the file. */
  readonly detail: string;
}

/** A string split into literal text and variables. */
export interface Template {
  readonly pieces: readonly (string | Variable)[];
  readonly problems: readonly CallFileVariableProblem[];
}

/** A variable and its place. */
export interface PlacedVariable {
  readonly pointer: string;
  readonly variable: Variable;
}

const begin = '${';
const escapedBegin = '$${';

/**
 * Splits a string of a call file. `$${` is a literal `${`. An invalid variable is a problem,
 * because sending it as literal text would not be what was meant.
 */
export function parseTemplate(text: string): Template {
  const pieces: (string | Variable)[] = [];
  const problems: CallFileVariableProblem[] = [];
  let literal = '';
  let offset = 0;
  for (;;) {
    const start = text.indexOf(begin, offset);
    if (start < 0) break;
    if (start > offset && text[start - 1] === '$') {
      literal += text.slice(offset, start - 1) + begin;
      offset = start - 1 + escapedBegin.length;
      continue;
    }
    literal += text.slice(offset, start);
    const end = text.indexOf('}', start);
    if (end < 0) {
      problems.push({ code: 'openVariable', detail: text.slice(start) });
      return { pieces, problems };
    }
    const parsed = parseVariable(text.slice(start, end + 1));
    if ('code' in parsed) problems.push(parsed);
    else {
      if (literal !== '') pieces.push(literal);
      literal = '';
      pieces.push(parsed);
    }
    offset = end + 1;
  }
  literal += text.slice(offset);
  if (literal !== '') pieces.push(literal);
  return { pieces, problems };
}

function parseVariable(text: string): Variable | CallFileVariableProblem {
  const inner = text.slice(begin.length, -1);
  if (inner === 'workspaceFolder' || inner === 'file' || inner === 'selectedText') {
    return { kind: inner, text };
  }
  const [, kind, name = ''] = /^(env|input|var):(.*)$/s.exec(inner) ?? [];
  if (kind === 'env' || kind === 'input' || kind === 'var') {
    return name === '' ? { code: 'badVariable', detail: text } : { kind, name, text };
  }
  const generator = parseGenerator(inner);
  if (generator === 'bad') return { code: 'badGenerated', detail: text };
  if (generator !== undefined) return { kind: 'generated', generator, text };
  if (!inner.startsWith('calls.')) return { code: 'unknownVariable', detail: text };
  const pattern = /^calls\.(.+?)\.(content|structuredContent)(?:\.(\/.*))?$/s;
  const [, call = '', part, pointer = ''] = pattern.exec(inner) ?? [];
  const steps = parsePointerSteps(pointer);
  if ((part !== 'content' && part !== 'structuredContent') || steps === undefined) {
    return { code: 'badVariable', detail: text };
  }
  return { kind: 'call', name: call, part, steps, text };
}

/** Iterates over all strings in `value` with their places. Member names are not included. */
export function* stringsIn(value: JsonValue, pointer = ''): Generator<[string, string]> {
  if (typeof value === 'string') yield [pointer, value];
  if (!isContainer(value)) return;
  for (const [name, child] of Object.entries(value)) {
    yield* stringsIn(child, pointer + toPointerStep(name));
  }
}

/** Returns the variables of a value, in document order. */
export function findVariables(value: JsonValue): readonly PlacedVariable[] {
  return [...stringsIn(value)].flatMap(([pointer, text]) =>
    parseTemplate(text).pieces.flatMap((variable) =>
      typeof variable === 'string' ? [] : [{ pointer, variable }],
    ),
  );
}

/**
 * Replaces every variable by the result of `valueOf`, and `$${` by `${`. A string that is a single
 * variable becomes the value itself, of any type; inside other text, a string is inserted as it is
 * and any other value as JSON. Inserted values are not searched for variables, because what a
 * server answered is data.
 */
export function fillVariables(value: JsonObject, valueOf: ResolveVariable): JsonObject {
  return fillMembers(value, valueOf);
}

export type ResolveVariable = (variable: Variable) => JsonValue;

/** Defines own properties, so that `__proto__` is an ordinary one. */
function fillMembers(value: JsonObject, valueOf: ResolveVariable): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, fillVariablesOfValue(child, valueOf)]),
  );
}

/** Does the same for any value. */
export function fillVariablesOfValue(value: JsonValue, valueOf: ResolveVariable): JsonValue {
  if (typeof value === 'string') return fillText(value, valueOf);
  if (isArray(value)) return value.map((child) => fillVariablesOfValue(child, valueOf));
  return isJsonObject(value) ? fillMembers(value, valueOf) : value;
}

function fillText(text: string, valueOf: ResolveVariable): JsonValue {
  const { pieces } = parseTemplate(text);
  const [first] = pieces;
  if (pieces.length === 1 && typeof first === 'object') return valueOf(first);
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : toInsertedText(valueOf(piece))))
    .join('');
}

/** Escapes `value` so that a call file with it sends it unchanged. */
export function escapeVariables(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, escapeValue(child)]),
  );
}

/** Does the same for any value. */
export function escapeValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replaceAll(begin, () => escapedBegin);
  if (isArray(value)) return value.map(escapeValue);
  return isJsonObject(value) ? escapeVariables(value) : value;
}

/** Formats a value for insertion into other text. */
export function toInsertedText(value: JsonValue): string {
  return typeof value === 'string' ? value : stringifyExactly(value);
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
