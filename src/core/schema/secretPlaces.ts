import { isObject, type UnknownObject, isContainer, isJsonArray } from '../json/shapes';
import type { JsonValue } from '../json/jsonValue';
import { itemSchemas, arrayItems, memberSchemas, objectValues, localTarget } from './subschemas';

/** Keys and indexes from the root to a value. */
export type Place = readonly (string | number)[];

/**
 * Limits the schemas that are looked at, also in vain, for all values together. Beyond it, every value
 * counts as secret.
 */
const maxVisits = 600_000;
const maxDepth = 512;
/** Larger schemas are walked again for each value, as far as they apply. */
const maxKnownParts = 20_000;

/**
 * Caches whether a schema marks anything as a secret: schemas never change, and every call asks.
 */
const harmless = new WeakMap<UnknownObject, boolean>();

/** True if the schema itself marks its value as a secret. */
export function isSecretSchema(schema: UnknownObject): boolean {
  return schema['format'] === 'password' || schema['writeOnly'] === true;
}

/**
 * Finds the values that the schema marks as secret, by `format: "password"` or `writeOnly: true`:
 * at any depth, in any part of the schema that may apply, also behind local references. If the
 * schema cannot be followed, the value counts as secret. No place lies within another.
 */
export function secretPlaces(schema: unknown, value: JsonValue): readonly Place[] {
  if (isObject(schema) && isHarmless(schema) && isWithin(value, maxDepth)) return [];
  const search = new Search(schema);
  search.look(value, [schema], []);
  return search.found;
}

function isHarmless(schema: UnknownObject): boolean {
  let known = harmless.get(schema);
  if (known === undefined) harmless.set(schema, (known = holdsNoSecret(schema)));
  return known;
}

/** True if the value is nested at most `depth` levels deep. */
function isWithin(value: JsonValue, depth: number): boolean {
  if (!isContainer(value)) return depth >= 0;
  return depth >= 0 && Object.values(value).every((member) => isWithin(member, depth - 1));
}

/** True if no keyword in it marks a secret or refers to another schema. */
function holdsNoSecret(schema: UnknownObject): boolean {
  const open: unknown[] = [schema];
  for (let parts = 0; open.length > 0; parts += 1) {
    if (parts + open.length > maxKnownParts) return false;
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (isObject(next)) {
      const refers = referenceKeywords.some((keyword) => next[keyword] !== undefined);
      if (refers || isSecretSchema(next)) return false;
    }
    for (const part of Object.values(next)) open.push(part);
  }
  return true;
}

class Search {
  readonly found: Place[] = [];
  readonly #root: unknown;
  #visits = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** @param schemas Those that may apply to `value`. */
  look(value: JsonValue, schemas: readonly unknown[], place: Place): void {
    const applicable = this.#applicable(schemas);
    if (applicable === 'secret' || place.length > maxDepth) {
      this.found.push(place);
    } else if (isJsonArray(value)) {
      for (const [index, item] of value.entries()) {
        const own = this.#admit(applicable.length) ? itemSchemas(applicable, index) : [];
        this.look(item, own, [...place, index]);
      }
    } else if (isContainer(value)) {
      for (const [key, member] of Object.entries(value)) {
        const own = this.#admit(applicable.length) ? memberSchemas(applicable, key) : [];
        this.look(member, own, [...place, key]);
      }
    }
  }

  /**
   * Expands the schemas with all that they refer to and combine. Returns `secret` if one of them
   * marks the value as secret.
   */
  #applicable(schemas: readonly unknown[]): readonly UnknownObject[] | 'secret' {
    const found = new Set<UnknownObject>();
    const open: unknown[] = [];
    // A spread of a long list would exhaust the stack.
    const add = (parts: readonly unknown[]): void => {
      if (this.#admit(parts.length)) for (const part of parts) open.push(part);
    };
    add(schemas);
    while (this.#visits <= maxVisits) {
      if (open.length === 0) return [...found];
      const schema = open.pop();
      if (!isObject(schema) || found.has(schema)) continue;
      if (isSecretSchema(schema)) return 'secret';
      found.add(schema);
      for (const keyword of referenceKeywords) {
        const reference = schema[keyword];
        if (reference === undefined) continue;
        const target = this.#resolve(reference);
        // The target is unknown because nothing is fetched.
        if (target === undefined) return 'secret';
        add([target]);
      }
      for (const keyword of combiningKeywords) add(arrayItems(schema[keyword]));
      for (const keyword of nestingKeywords) open.push(schema[keyword]);
      for (const keyword of dependentKeywords) add(objectValues(schema[keyword]));
    }
    return 'secret';
  }

  /** Counts these visits. Returns false if they are too many. */
  #admit(visits: number): boolean {
    this.#visits += visits;
    return this.#visits <= maxVisits;
  }

  /** Resolves a local reference: a JSON pointer or an anchor. */
  #resolve(reference: unknown): unknown {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
    const isPointer = reference === '#' || reference.startsWith('#/');
    if (!isPointer) return this.#anchored(reference.slice(1));
    return isObject(this.#root) ? localTarget(reference, this.#root) : undefined;
  }

  #anchored(name: string): unknown {
    const open: unknown[] = [this.#root];
    while (open.length > 0) {
      if (!this.#admit(1)) return undefined;
      const next = open.pop();
      if (typeof next !== 'object' || next === null) continue;
      if (isObject(next) && anchorKeywords.some((keyword) => next[keyword] === name)) return next;
      for (const part of Object.values(next)) open.push(part);
    }
    return undefined;
  }
}

const referenceKeywords = ['$ref', '$dynamicRef', '$recursiveRef'];
const anchorKeywords = ['$anchor', '$dynamicAnchor'];
const combiningKeywords = ['allOf', 'anyOf', 'oneOf'];
const nestingKeywords = ['if', 'then', 'else', 'not'];
const dependentKeywords = ['dependentSchemas', 'dependencies'];
