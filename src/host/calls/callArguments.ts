import { McpError } from '../../core/errors';
import { toPointerStep } from '../../core/json/jsonPointer';
import type { SchemaViolation } from '../../core/types';
import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { isObject, type UnknownObject } from '../../core/json/shapes';
import {
  numberOfCaller,
  stringifyExactly,
  type WrittenNumber,
} from '../../core/json/writtenNumber';

/** Deeper nesting is a mistake or an attack. Later recursive checks rely on this limit. */
const maxDepth = 256;
/** Objects with shared parts can expand to any size, so their values are counted. */
const maxValues = 1_000_000;
/** Characters of JSON, enough for a base64 file of 24 MiB. */
const maxJsonLength = 32 * 1024 * 1024;

export interface FrozenArguments {
  /** Deeply frozen, and independent of the given object. Undefined stays absent. */
  readonly value: JsonObject | undefined;
  /** The same as compact JSON; `{}` if undefined. */
  readonly json: string;
}

/** Arguments that cannot be sent unchanged, with the places of the problems. */
export class UnsendableArguments extends McpError {
  constructor(
    readonly violations: readonly SchemaViolation[],
    facts: { readonly detail?: string; readonly limit?: number } = {},
  ) {
    super('invalidArguments', facts);
  }
}

/**
 * Returns a copy that nothing can change between the question and the call. Accepts plain
 * JSON data only: values that `JSON.stringify` would drop or convert are refused, except for
 * properties with the value `undefined`, which are omitted.
 * @throws {UnsendableArguments}
 */
export function freezeArguments(given: unknown): FrozenArguments {
  if (given === undefined) return { value: undefined, json: '{}' };
  try {
    const value = new Copy().object(given, '', 0);
    const json = stringifyExactly(value);
    if (json.length > maxJsonLength) throw tooMuch('', 'too large', maxJsonLength);
    return { value, json };
  } catch (error) {
    if (error instanceof UnsendableArguments) throw error;
    // A getter or a proxy threw, or the text exceeds the maximum length of a string.
    throw unsendable('', error instanceof Error ? error.message : 'cannot be read');
  }
}

class Copy {
  #values = 0;
  #textLength = 0;

  object(given: unknown, pointer: string, depth: number): JsonObject {
    if (!isPlainObject(given)) throw unsendable(pointer, 'must be a JSON object');
    const members: [string, JsonValue][] = [];
    for (const key of Object.keys(given)) {
      const value = given[key];
      if (value === undefined) continue;
      members.push([key, this.#value(value, pointer + toPointerStep(key), depth + 1)]);
    }
    // Defines own properties, so a key `__proto__` is data like any other.
    return Object.freeze(Object.fromEntries(members));
  }

  #array(given: readonly unknown[], pointer: string, depth: number): readonly JsonValue[] {
    const items: JsonValue[] = [];
    for (let index = 0; index < given.length; index++) {
      items.push(this.#value(given[index], `${pointer}/${index}`, depth + 1));
    }
    return Object.freeze(items);
  }

  /** Counted first, because the same text can occur in many places. */
  #text(given: string): string {
    this.#textLength += given.length;
    if (this.#textLength > maxJsonLength) throw tooMuch('', 'too large', maxJsonLength);
    return given;
  }

  #number(given: number | WrittenNumber): number | WrittenNumber {
    this.#text(String(given));
    return given;
  }

  #value(given: unknown, pointer: string, depth: number): JsonValue {
    if (depth > maxDepth) throw tooMuch(pointer, 'too deeply nested', maxDepth);
    if (++this.#values > maxValues) throw tooMuch(pointer, 'too many values', maxValues);
    if (typeof given === 'string') return this.#text(given);
    if (given === null || typeof given === 'boolean') return given;
    if (typeof given === 'number') {
      if (Number.isFinite(given)) return given;
      throw unsendable(pointer, `${given} is no JSON number`);
    }
    if (Array.isArray(given)) return this.#array(given, pointer, depth);
    if (isPlainObject(given)) return this.object(given, pointer, depth);
    const number = numberOfCaller(given);
    if (number !== undefined) return this.#number(number);
    throw unsendable(pointer, `${nameOf(given)} is no JSON value`);
  }
}

/** Returns true for an object without a class. */
function isPlainObject(value: unknown): value is UnknownObject {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm (a test runner, a worker) have another Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? value.constructor.name : typeof value;
}

function unsendable(pointer: string, message: string): UnsendableArguments {
  return new UnsendableArguments([{ pointer, message, keyword: 'json' }], { detail: message });
}

function tooMuch(pointer: string, message: string, limit: number): UnsendableArguments {
  return new UnsendableArguments([{ pointer, message, keyword: 'json' }], {
    detail: message,
    limit,
  });
}
