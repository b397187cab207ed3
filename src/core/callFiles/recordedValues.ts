import { randomUUID } from 'node:crypto';
import { isJsonObject, isObject, isSameJson } from '../json/shapes';
import type { JsonValue, JsonObject } from '../json/jsonValue';
import { isNumber } from '../json/writtenNumber';
import type { Recording } from '../recording/readRecording';
import { type FileCallTarget, isTooLarge } from './callFile';
import {
  isNumeric,
  patternOf,
  type GeneratingRequest,
  type RecalledValues,
  type ValueGenerator,
  type ValueSource,
} from './callFileVariables';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { readArgumentsText } from '../arguments/argumentsJson';
import { callSections, maxCalls } from './parseCallFile';
import { edited, formatted, formattingOf, withMembers } from './writeExpectation';

interface SentRequest {
  readonly at: number | undefined;
  readonly name: unknown;
  readonly value: unknown;
}

/** Bounds the search among requests of the same tool. */
const maxTried = 10_000;
/** Bounds the backtracking of a pattern, because numbers have no fixed length. */
const maxNumbers = 3;
const noArguments = {};
/** Stands for a server without a name. */
const anyServer = null;
const special = /[\\^$.*+?()[\]{}|]/g;

/**
 * Finds the values that were generated for recorded calls, by comparing what a call sends with
 * what was sent. Works for recordings of any program, and does not depend on names of files or
 * calls.
 */
export class RecordedValues implements ValueSource {
  /** Requests that no call got values from, in their order. */
  readonly #free = new Map<string, Set<SentRequest>>();
  readonly #taken = new Map<string, SentRequest[]>();
  /** Markers stand for generated values; a file cannot contain them. */
  readonly #mark = randomUUID();

  /** @param serverOf Returns the server that answers for one of the recording, if any. */
  add(
    { messages, startedAt, isOfAnyServer = false }: Recording,
    serverOf: (recorded: string) => string | undefined,
  ): void {
    for (const { at, server: recorded, to, message } of messages) {
      const server = isOfAnyServer ? anyServer : serverOf(recorded);
      if (to !== 'server' || server === undefined) continue;
      const sent = sentRequest(message, startedAt === undefined ? undefined : startedAt + at);
      if (sent === undefined) continue;
      const key = keyOf(server, sent.kind, sent.name);
      this.#free.set(key, (this.#free.get(key) ?? new Set()).add(sent));
    }
  }

  take(
    generators: ReadonlyMap<string, ValueGenerator>,
    requestOf: (values: ReadonlyMap<string, JsonValue>) => GeneratingRequest,
  ): RecalledValues | undefined {
    const names = [...generators.keys()];
    const markers = new Map(names.map((name, index) => [name, `${this.#mark}:${index};`]));
    const { server, target, value } = requestOf(markers);
    const compare = (sent: SentRequest): RecalledValues | undefined => {
      const found = new Comparison([...generators], this.#mark);
      const isSame = found.compare([target.name, value ?? noArguments], [sent.name, sent.value]);
      return isSame ? { values: found.values, at: sent.at } : undefined;
    };
    for (const each of [server, anyServer]) {
      const found = this.#takeFrom(keyOf(each, target.kind, target.name), compare);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #takeFrom(
    key: string,
    compare: (sent: SentRequest) => RecalledValues | undefined,
  ): RecalledValues | undefined {
    const [free, taken = []] = [
      this.#free.get(key) ?? new Set<SentRequest>(),
      this.#taken.get(key),
    ];
    let tried = 0;
    for (const sent of free) {
      const found = compare(sent);
      if (found !== undefined) {
        free.delete(sent);
        taken.push(sent);
        this.#taken.set(key, taken);
        return found;
      }
      if (++tried === maxTried) break;
    }
    for (const sent of taken.slice(-maxTried).toReversed()) {
      const found = compare(sent);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** URIs can contain generated values, names cannot. */
function keyOf(
  server: string | typeof anyServer,
  kind: FileCallTarget['kind'],
  name: unknown,
): string {
  return JSON.stringify([server, kind, kind === 'resource' ? '' : name]);
}

/** Reads a request; later rounds of a call have the arguments of its first. */
function sentRequest(message: object | undefined, at: number | undefined) {
  if (!isObject(message) || !isObject(message['params'])) return undefined;
  const { method, params } = message;
  const { name, uri, arguments: value = noArguments, inputResponses } = params;
  if (method === 'resources/read') return { kind: 'resource', at, name: uri, value } as const;
  if (inputResponses !== undefined) return undefined;
  if (method === 'tools/call') return { kind: 'tool', at, name, value } as const;
  return method === 'prompts/get' ? ({ kind: 'prompt', at, name, value } as const) : undefined;
}

/** One comparison with a recorded request, which collects the values at the markers. */
class Comparison {
  readonly values = new Map<string, JsonValue>();
  readonly #generators: readonly (readonly [string, ValueGenerator])[];
  readonly #marker: RegExp;

  constructor(generators: readonly (readonly [string, ValueGenerator])[], mark: string) {
    this.#generators = generators;
    this.#marker = new RegExp(`${mark}:(\\d+);`);
  }

  /** Call files and recordings bound the depth of their values. */
  compare(wanted: JsonValue, recorded: unknown): boolean {
    if (typeof wanted === 'string') return this.#compareText(wanted, recorded);
    if (Array.isArray(wanted)) {
      if (!Array.isArray(recorded) || wanted.length !== recorded.length) return false;
      return wanted.every((item: JsonValue, index) => this.compare(item, recorded[index]));
    }
    if (!isJsonObject(wanted)) return isSameJson(wanted, recorded);
    const members = Object.entries(wanted);
    if (!isObject(recorded) || Object.keys(recorded).length !== members.length) return false;
    return members.every(
      ([name, item]) => Object.hasOwn(recorded, name) && this.compare(item, recorded[name]),
    );
  }

  #compareText(wanted: string, recorded: unknown): boolean {
    const pieces = wanted.split(this.#marker);
    if (pieces.length === 1) return wanted === recorded;
    const generators = pieces.map((piece, index) =>
      index % 2 === 0 ? undefined : this.#generators[Number(piece)],
    );
    const used = generators.filter((each) => each !== undefined);
    const isWhole = pieces.length === 3 && pieces[0] === '' && pieces[2] === '';
    const isText = !isWhole || !used.some(([, generator]) => isNumeric(generator));
    if (isText ? typeof recorded !== 'string' : !isNumber(recorded)) return false;
    if (used.filter(([, generator]) => isNumeric(generator)).length > maxNumbers) return false;
    const patterns = pieces.map((piece, index) => {
      const [, generator] = generators[index] ?? [];
      return generator === undefined
        ? piece.replaceAll(special, String.raw`\$&`)
        : `(${patternOf(generator)})`;
    });
    const found = new RegExp(`^${patterns.join('')}$`).exec(String(recorded));
    return used.every(([name, generator], index) => {
      const value = found?.[index + 1];
      if (value === undefined) return false;
      return this.#keep(name, isNumeric(generator) ? Number(value) : value);
    });
  }

  /** Returns false if the variable has another value elsewhere. */
  #keep(name: string, value: JsonValue): boolean {
    const known = this.values.get(name) ?? value;
    this.values.set(name, known);
    return known === value;
  }
}

/** A call to append to a call file. */
export interface AddedCall {
  /** Has to be unused in the file; see {@link namesOf}. */
  readonly name: string;
  readonly call: JsonObject;
  /** Inputs that the call uses and the file does not have yet. */
  readonly inputs?: JsonObject;
}

/** The names that a call file uses. */
export interface UsedNames {
  readonly calls: ReadonlySet<string>;
  readonly inputs: ReadonlySet<string>;
}

/** Text of a call file without calls. */
export const noCalls = '{\n  "calls": {}\n}\n';

/** Returns `undefined` for a text that no call can be added to, such as malformed JSON. */
export function namesOf(text: string): UsedNames | undefined {
  const file = text.trim() === '' ? {} : fileOf(text);
  if (file === undefined) return undefined;
  const sections = callSections.map((section) => file[section]).filter(isJsonObject);
  const calls = new Set(sections.flatMap((section) => Object.keys(section)));
  const only = file['tool'] ?? file['resource'] ?? file['prompt'];
  if (!isJsonObject(file['calls']) && typeof only === 'string') calls.add(only);
  return {
    calls,
    inputs: new Set(isJsonObject(file['inputs']) ? Object.keys(file['inputs']) : []),
  };
}

/**
 * Appends calls to the text of a call file and keeps its comments. The only call of a file without
 * names gets the name of its tool. Returns `undefined` for a text that no call can be
 * added to.
 */
export function addCalls(text: string, added: readonly AddedCall[]): string | undefined {
  const used = namesOf(text);
  if (used === undefined || used.calls.size + added.length > maxCalls) return undefined;
  const many = text.trim() === '' ? noCalls : withNames(text, [...used.calls][0]);
  const calls = Object.fromEntries(added.map(({ name, call }) => [name, call]));
  const inputs = Object.fromEntries(added.flatMap((each) => Object.entries(each.inputs ?? {})));
  const changed = withMembers(withMembers(many, ['calls'], calls), ['inputs'], inputs);
  return isTooLarge(changed) ? undefined : changed;
}

/** Moves the only call of a file into `calls`, with its comments. */
function withNames(text: string, name: string | undefined): string {
  const file = fileOf(text) ?? {};
  if (Object.hasOwn(file, 'calls')) return text;
  if (name === undefined) return edited(text, ['calls'], {});
  const { inputs } = file;
  const call = inputs === undefined ? text : withoutInputs(text);
  const { offset = 0, length = 0 } = parseTree(call, [], { allowTrailingComma: true }) ?? {};
  const end = offset + length;
  const members = `{"calls":{${JSON.stringify(name)}:${call.slice(offset, end)}}}`;
  const many = call.slice(0, offset) + members + call.slice(end);
  const whole = inputs === undefined ? many : edited(many, ['inputs'], inputs);
  return formatted(whole, undefined, formattingOf(text));
}

/** Unlike an edit of jsonc-parser, keeps the comments around the member. */
function withoutInputs(text: string): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const { offset = 0, length = 0 } = (root && findNodeAtLocation(root, ['inputs']))?.parent ?? {};
  const before = text.slice(0, offset);
  const after = text.slice(offset + length);
  const next = after.replace(/^\s*,/, '');
  return next === after ? before.replace(/,\s*$/, '') + after : before + next;
}

function fileOf(text: string): JsonObject | undefined {
  if (isTooLarge(text)) return undefined;
  const { value } = readArgumentsText(text);
  if (value === undefined) return undefined;
  return Object.hasOwn(value, 'calls') && !isJsonObject(value['calls']) ? undefined : value;
}
