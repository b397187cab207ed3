import { readArgumentsText, type TextPlace } from '../arguments/argumentsJson';
import { isJsonObject } from '../json/shapes';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import {
  type CallFile,
  type CallFileProblem,
  type CallFileProblemCode,
  type FilePhase,
  type FileCall,
  hasLongName,
  isTooLarge,
  PatternBudget,
  parseInputs,
  type ReportProblem,
  parseAnswers,
  parseTarget,
  targetKeys,
} from './callFile';
import { nearestName } from '../nearestName';
import { fillableParts } from './callVariables';
import { parseExpectation } from './parseExpectation';
import { toPointerStep } from '../json/jsonPointer';
import { parseTemplate, stringsIn } from './callFileVariables';

export const maxCalls = 1_000;
export const maxProblems = 100;

export interface ReadCallFile {
  /** Absent if there are problems, because a file is not run in part. */
  readonly file?: CallFile;
  readonly problems: readonly CallFileProblem[];
  /** Returns the range of a value, or of the place where it would be. */
  readonly placeOf: (pointer: string, keyword?: string) => TextPlace;
}

/** Sections of files with many calls, in execution order. Names are unique across the file. */
export const callSections = ['before', 'calls', 'after'] as const;
export const callKeys = [
  'server',
  ...targetKeys,
  'arguments',
  'send',
  'answers',
  'timeout',
  'expect',
];
/** The same bounds as in the settings. */
export const timeoutBoundsMs = { minimum: 1_000, maximum: 86_400_000 };

/**
 * Reads a call file: JSON with comments and trailing commas, with either one call or many under
 * `calls`. At most 10 Mi characters, 50,000 tokens, 5,000 variables, 50,000 characters of patterns
 * and 1,000 calls. Never throws.
 * @param earlier Calls of earlier files that run together with this one. Variables may refer to
 * those of the same or an earlier phase.
 */
export function readCallFile(text: string, earlier: readonly EarlierCall[] = []): ReadCallFile {
  if (isTooLarge(text)) return tooLarge;
  const { value, problems, placeOf: placeOfViolation } = readArgumentsText(text);
  const placeOf = (pointer: string, keyword = '') =>
    placeOfViolation({ pointer, keyword, message: '' });
  if (value === undefined) return { problems, placeOf };
  try {
    if (hasLongName(value)) return tooLarge;
    const parser = new Parser(placeOf, earlier);
    const file = parser.file(value);
    const { problems: found } = parser;
    return found.length > 0 ? { problems: found, placeOf } : { file, problems: [], placeOf };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { problems: [{ code: 'tooDeep', ...placeOf('') }], placeOf };
  }
}

const top = { offset: 0, length: 0 };
const tooLarge: ReadCallFile = {
  problems: [{ code: 'tooLarge', ...top }],
  placeOf: () => top,
};

type EarlierCall = Pick<FileCall, 'name' | 'phase'>;

interface PlacedCall extends EarlierCall {
  readonly pointer: string;
  readonly call: JsonValue | undefined;
  readonly offset: number;
}

/** Returns the position of a phase in the execution order. */
export function rankOfPhase(phase: FilePhase | undefined): number {
  return callSections.indexOf(phase ?? 'calls');
}

class Parser {
  readonly problems: CallFileProblem[] = [];
  readonly #placeOf: ReadCallFile['placeOf'];

  readonly #earlier: ReadonlyMap<string, EarlierCall>;
  readonly #patterns = new PatternBudget();
  /** Pointers to known keys that a misspelt key probably means; they are not reported as missing. */
  readonly #misspelt = new Set<string>();

  constructor(placeOf: ReadCallFile['placeOf'], earlier: readonly EarlierCall[]) {
    this.#placeOf = placeOf;
    this.#earlier = new Map(earlier.map((call) => [call.name, call]));
  }

  readonly #report: ReportProblem = (code, pointer, detail, known = []) => {
    if (this.problems.length >= maxProblems) return;
    if (code === 'missingKey' && this.#misspelt.has(`${pointer}/${detail}`)) return;
    const place = this.#placeOf(pointer, aboutNames.has(code) ? 'propertyNames' : '');
    const nearest = detail === undefined ? undefined : nearestName(detail, known);
    if (nearest !== undefined) {
      this.#misspelt.add(`${pointer.slice(0, pointer.lastIndexOf('/'))}/${nearest}`);
    }
    this.problems.push({
      code,
      ...place,
      ...(detail === undefined ? {} : { detail }),
      ...(nearest === undefined ? {} : { nearest }),
    });
  };

  file(value: JsonObject): CallFile {
    const isMany = Object.hasOwn(value, 'calls');
    const known = isMany ? ['inputs', ...callSections] : ['inputs', ...callKeys];
    for (const key of Object.keys(value)) {
      if (known.includes(key)) continue;
      const isMixed = isMany && callKeys.includes(key);
      if (isMixed) this.#report('mixed', toPointerStep(key), key);
      else this.#report('unknownKey', toPointerStep(key), key, known);
    }
    return {
      inputs: parseInputs(value['inputs'], this.#report),
      calls: isMany
        ? this.#calls(value)
        : [this.#call({ name: '', pointer: '' }, value, new Map())],
    };
  }

  #calls(file: JsonObject): readonly FileCall[] {
    const placed = callSections.flatMap((section) => this.#section(file, section));
    if (placed.length > maxCalls) {
      this.#report('tooManyCalls', '/calls');
      return [];
    }
    const order = new Map(placed.map(({ name }, index) => [name, index] as const).toReversed());
    return placed.flatMap(({ name, pointer, call, phase }, index) => {
      const ofPhase = phase === undefined ? {} : { phase };
      if ((order.get(name) ?? index) < index) this.#report('duplicateName', pointer, name);
      if (!isJsonObject(call)) {
        this.#report('notAnObjectHere', pointer, name);
        return [];
      }
      for (const key of Object.keys(call)) {
        if (callKeys.includes(key)) continue;
        this.#report('unknownKey', pointer + toPointerStep(key), key, callKeys);
      }
      const read = this.#call({ name, pointer, ...ofPhase }, call, order, index);
      return [{ ...read, ...ofPhase }];
    });
  }

  #section(file: JsonObject, section: (typeof callSections)[number]): readonly PlacedCall[] {
    const calls = Object.hasOwn(file, section) ? file[section] : undefined;
    if (calls === undefined && section !== 'calls') return [];
    if (!isJsonObject(calls)) {
      this.#report('notAnObjectHere', `/${section}`, section);
      return [];
    }
    const names = Object.keys(calls);
    if (names.length === 0 && section === 'calls') this.#report('empty', '/calls');
    // With too many calls, their places are not needed.
    if (names.length > maxCalls) {
      return names.map((name) => ({ name, pointer: '', call: undefined, offset: 0 }));
    }
    const phase = section === 'calls' ? {} : { phase: section };
    // JavaScript objects put numeric names first, so the order comes from the file.
    return names
      .map((name) => {
        const pointer = `/${section}${toPointerStep(name)}`;
        const { offset } = this.#placeOf(pointer);
        return { name, pointer, call: calls[name], offset, ...phase };
      })
      .toSorted((one, other) => one.offset - other.offset);
  }

  #call(
    { name, pointer, phase }: Pick<PlacedCall, 'name' | 'pointer' | 'phase'>,
    value: JsonObject,
    order: ReadonlyMap<string, number>,
    index = 0,
  ): FileCall {
    const { arguments: given, expect } = value;
    const isObject = isJsonObject(given);
    if (given !== undefined && !isObject)
      this.#report('notAnObjectHere', `${pointer}/arguments`, 'arguments');
    const call = {
      name,
      pointer,
      server: this.#text(value, pointer, 'server'),
      target: parseTarget(value, pointer, this.#report),
      ...this.#send(value['send'], pointer),
      ...this.#timeout(value['timeout'], pointer),
      ...parseAnswers(value['answers'], `${pointer}/answers`, this.#report, this.#patterns),
      expect: parseExpectation(expect, `${pointer}/expect`, this.#report, this.#patterns),
      ...(isObject ? { arguments: given } : {}),
    };
    for (const part of fillableParts(call)) {
      this.#variables(part.value, pointer + part.pointer, (other) => {
        const earlier = this.#earlier.get(other);
        if (earlier !== undefined) return rankOfPhase(earlier.phase) <= rankOfPhase(phase);
        const named = order.get(other);
        return named === undefined ? undefined : named < index;
      });
    }
    return call;
  }

  #text(value: JsonObject, pointer: string, key: string): string {
    const text = Object.hasOwn(value, key) ? value[key] : undefined;
    if (text === undefined) this.#report('missingKey', pointer, key);
    else if (typeof text !== 'string') this.#report('notAText', pointer + toPointerStep(key), key);
    return typeof text === 'string' ? text : '';
  }

  #send(value: JsonValue | undefined, pointer: string): Pick<FileCall, 'isSentAsIs'> {
    if (value === 'asIs') return { isSentAsIs: true };
    if (value !== undefined) this.#report('badSend', `${pointer}/send`);
    return {};
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

  /** @param isBefore returns true if a call runs before this one, `undefined` if there is none */
  #variables(
    given: JsonValue,
    place: string,
    isBefore: (call: string) => boolean | undefined,
  ): void {
    for (const [pointer, text] of stringsIn(given)) {
      if (this.problems.length >= maxProblems) return;
      const { pieces, problems } = parseTemplate(text);
      for (const { code, detail } of problems) this.#report(code, place + pointer, detail);
      for (const piece of pieces) {
        if (typeof piece === 'string' || piece.kind !== 'call') continue;
        const isEarlier = isBefore(piece.name);
        if (isEarlier === undefined) this.#report('unknownCall', place + pointer, piece.name);
        else if (!isEarlier) this.#report('laterCall', place + pointer, piece.name);
      }
    }
  }
}

const aboutNames: ReadonlySet<CallFileProblemCode> = new Set([
  'unknownKey',
  'notWithError',
  'severalTargets',
  'onlyForTools',
  'mixed',
  'badPointer',
  'empty',
  'duplicateName',
]);
