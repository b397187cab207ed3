import { toPointerStep } from '../json/jsonPointer';
import type { JsonObject } from '../json/jsonValue';
import { isObject, type UnknownObject } from '../json/shapes';
import { nearestName } from '../nearestName';
import { localTarget } from '../schema/subschemas';
import { fitsFormat } from './textFormats';

/** A probable mistake in valid arguments. They can be sent anyway. */
export type ArgumentHint = { readonly pointer: string } & (
  | { readonly kind: 'format'; readonly format: string; readonly text: string }
  | { readonly kind: 'name'; readonly name: string; readonly nearest: string }
);

const maxValues = 1_000;
const maxHints = 20;
const maxReferences = 10;
/** Comparing names takes time: so many of the arguments are each compared with so many of a schema. */
const maxComparedNames = 50;
const maxKnownNames = 100;
/** With these, other names than those of `properties` are meant to be there. */
const openingKeywords = [
  'additionalProperties',
  'patternProperties',
  'unevaluatedProperties',
  'propertyNames',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
  '$dynamicRef',
];

/**
 * Finds texts that do not have the format of their schema, which is only an annotation in JSON
 * Schema, and names that are near to one of the schema that is not there. Follows `properties`,
 * `items` and references, for at most 1,000 values. Returns at most 20 hints. Never throws.
 */
export function findArgumentHints(schema: JsonObject, value: JsonObject): readonly ArgumentHint[] {
  return new HintSearch(schema).find(value);
}

interface Place {
  readonly schema: unknown;
  readonly value: unknown;
  readonly pointer: string;
}

class HintSearch {
  readonly #root: JsonObject;
  readonly #places: Place[] = [];
  readonly #hints: ArgumentHint[] = [];
  #compared = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  find(value: JsonObject): readonly ArgumentHint[] {
    this.#add(this.#root, value, '');
    // Places are added while they are looked at.
    for (const place of this.#places) this.#look(place);
    return this.#hints;
  }

  #add(schema: unknown, value: unknown, pointer: string): void {
    if (this.#places.length < maxValues) this.#places.push({ schema, value, pointer });
  }

  #hint(hint: ArgumentHint): void {
    if (this.#hints.length < maxHints) this.#hints.push(hint);
  }

  #look({ schema, value, pointer }: Place): void {
    const found = this.#resolved(schema);
    if (found === undefined) return;
    const { format, items } = found;
    if (typeof value === 'string' && typeof format === 'string') {
      if (!fitsFormat(format, value)) this.#hint({ kind: 'format', pointer, format, text: value });
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.slice(0, maxValues).entries()) {
        this.#add(items, item, `${pointer}/${index}`);
      }
    } else if (isObject(value)) this.#lookAtMembers(found, value, pointer);
  }

  #lookAtMembers(schema: UnknownObject, value: UnknownObject, pointer: string): void {
    const properties = isObject(schema.properties) ? schema.properties : {};
    const isOpen = openingKeywords.some((keyword) => schema[keyword] !== undefined);
    const names = Object.keys(value).slice(0, maxValues);
    const missing = Object.keys(properties)
      .slice(0, maxKnownNames)
      .filter((name) => !Object.hasOwn(value, name));
    for (const name of names) {
      const place = pointer + toPointerStep(name);
      if (Object.hasOwn(properties, name)) this.#add(properties[name], value[name], place);
      else if (!isOpen) this.#compare(name, missing, place);
    }
  }

  #compare(name: string, missing: readonly string[], pointer: string): void {
    this.#compared += 1;
    if (this.#compared > maxComparedNames) return;
    const nearest = nearestName(name, missing);
    if (nearest !== undefined) this.#hint({ kind: 'name', pointer, name, nearest });
  }

  #resolved(schema: unknown): UnknownObject | undefined {
    let found = schema;
    for (let count = 0; count < maxReferences && isObject(found); count += 1) {
      if (found.$ref === undefined) return found;
      found = localTarget(found.$ref, this.#root);
    }
    return undefined;
  }
}
