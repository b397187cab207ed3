import { readArgumentsText, type TextPlace } from '../arguments/argumentsJson';
import { hasTooManyTokens } from '../arguments/textSize';
import { isJsonObject } from '../json/shapes';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import type { CallFile, CallFileProblem, CallFileProblemCode, FileCall } from './callFile';
import { parseInputs, type Report } from './callFileParts';
import { parseExpectation } from './parseExpectation';
import { toStep } from '../json/jsonPointer';
import { parseTemplate, stringsIn } from './callFileVariables';

/** More than a person writes; what a machine writes is no call file. */
const maxCallFileChars = 10 * 1024 * 1024;
/** It is read whenever typing pauses; these take some 150 ms. */
const maxCallFileTokens = 100_000;
export const maxCalls = 1_000;
const maxProblems = 100;

export interface ReadCallFile {
  /** Absent as long as there are problems: a file that is half understood runs nothing. */
  readonly file?: CallFile;
  readonly problems: readonly CallFileProblem[];
  /** Where in the text something stands, or what it would stand in. */
  readonly placeOf: (pointer: string, keyword?: string) => TextPlace;
}

const callKeys = ['server', 'tool', 'arguments', 'timeout', 'expect'];
/** The same as the settings take. */
export const timeoutBoundsMs = { minimum: 1_000, maximum: 86_400_000 };

/**
 * Reads a call file: JSON with comments and trailing commas, either one call or many under `calls`;
 * at most 10 Mi characters, 100,000 tokens and 1,000 calls. Never throws.
 */
export function readCallFile(text: string): ReadCallFile {
  if (isTooLarge(text)) {
    const whole = { offset: 0, length: 0 };
    return { problems: [{ code: 'tooLarge', ...whole }], placeOf: () => whole };
  }
  const { value, problems, placeOf: placeOfViolation } = readArgumentsText(text);
  const placeOf = (pointer: string, keyword = '') =>
    placeOfViolation({ pointer, keyword, message: '' });
  if (value === undefined) return { problems, placeOf };
  try {
    const parser = new Parser(placeOf);
    const file = parser.file(value);
    const { problems: found } = parser;
    return found.length > 0 ? { problems: found, placeOf } : { file, problems: [], placeOf };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { problems: [{ code: 'tooDeep', ...placeOf('') }], placeOf };
  }
}

/** More than a call file may be. */
export function isTooLarge(text: string): boolean {
  return text.length > maxCallFileChars || hasTooManyTokens(text, maxCallFileTokens);
}

class Parser {
  readonly problems: CallFileProblem[] = [];
  readonly #placeOf: ReadCallFile['placeOf'];

  constructor(placeOf: ReadCallFile['placeOf']) {
    this.#placeOf = placeOf;
  }

  readonly #report: Report = (code, pointer, detail) => {
    if (this.problems.length >= maxProblems) return;
    const place = this.#placeOf(pointer, aboutNames.has(code) ? 'propertyNames' : '');
    this.problems.push({ code, ...place, ...(detail === undefined ? {} : { detail }) });
  };

  file(value: JsonObject): CallFile {
    const { inputs, calls } = value;
    const isMany = Object.hasOwn(value, 'calls');
    const known = isMany ? ['inputs', 'calls'] : ['inputs', ...callKeys];
    for (const key of Object.keys(value)) {
      if (known.includes(key)) continue;
      const isMixed = isMany && callKeys.includes(key);
      this.#report(isMixed ? 'mixed' : 'unknownKey', toStep(key), key);
    }
    return {
      inputs: parseInputs(inputs, this.#report),
      calls: isMany ? this.#calls(calls) : [this.#call('', '', value, [])],
    };
  }

  #calls(calls: JsonValue | undefined): readonly FileCall[] {
    if (!isJsonObject(calls)) {
      this.#report('notAnObjectHere', '/calls', 'calls');
      return [];
    }
    const names = Object.keys(calls);
    if (names.length === 0) this.#report('empty', '/calls');
    if (names.length > maxCalls) {
      this.#report('tooManyCalls', '/calls');
      return [];
    }
    // An object of JavaScript has names that are numbers first; the file has its own order.
    const placed = names
      .map((name) => ({ name, offset: this.#placeOf(`/calls${toStep(name)}`).offset }))
      .toSorted((one, other) => one.offset - other.offset);
    const order = placed.map(({ name }) => name);
    return order.flatMap((name, index) => {
      const pointer = `/calls${toStep(name)}`;
      const call = calls[name];
      if (!isJsonObject(call)) {
        this.#report('notAnObjectHere', pointer, name);
        return [];
      }
      for (const key of Object.keys(call)) {
        if (!callKeys.includes(key)) this.#report('unknownKey', pointer + toStep(key), key);
      }
      return [this.#call(name, pointer, call, order, index)];
    });
  }

  #call(
    name: string,
    pointer: string,
    value: JsonObject,
    names: readonly string[],
    index = 0,
  ): FileCall {
    const { arguments: given, expect } = value;
    const call = {
      name,
      pointer,
      server: this.#text(value, pointer, 'server'),
      tool: this.#text(value, pointer, 'tool'),
      ...this.#timeout(value['timeout'], pointer),
      expect: parseExpectation(expect, `${pointer}/expect`, this.#report),
    };
    if (given === undefined) return call;
    if (!isJsonObject(given)) {
      this.#report('notAnObjectHere', `${pointer}/arguments`, 'arguments');
      return call;
    }
    this.#variables(given, `${pointer}/arguments`, names, index);
    return { ...call, arguments: given };
  }

  #text(value: JsonObject, pointer: string, key: string): string {
    const text = Object.hasOwn(value, key) ? value[key] : undefined;
    if (text === undefined) this.#report('missingKey', pointer, key);
    else if (typeof text !== 'string') this.#report('notAText', pointer + toStep(key), key);
    return typeof text === 'string' ? text : '';
  }

  #timeout(value: JsonValue | undefined, pointer: string): Pick<FileCall, 'timeoutMs'> {
    if (value === undefined) return {};
    const { minimum, maximum } = timeoutBoundsMs;
    if (typeof value === 'number' && Number.isInteger(value)) {
      if (value >= minimum && value <= maximum) return { timeoutMs: value };
    }
    this.#report('badTimeout', `${pointer}/timeout`);
    return {};
  }

  #variables(given: JsonObject, place: string, names: readonly string[], index: number): void {
    for (const [pointer, text] of stringsIn(given)) {
      const { pieces, problems } = parseTemplate(text);
      for (const { code, detail } of problems) this.#report(code, place + pointer, detail);
      for (const piece of pieces) {
        if (typeof piece === 'string' || piece.kind !== 'call') continue;
        const named = names.indexOf(piece.name);
        if (named < 0) this.#report('unknownCall', place + pointer, piece.name);
        else if (named >= index) this.#report('laterCall', place + pointer, piece.name);
      }
    }
  }
}

const aboutNames: ReadonlySet<CallFileProblemCode> = new Set([
  'unknownKey',
  'mixed',
  'badPointer',
  'empty',
]);
