import { toPointerStep } from '../json/jsonPointer';
import {
  isJsonValue,
  isObject,
  type UnknownObject,
  isJsonObject,
  isJsonArray,
} from '../json/shapes';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { itemSchemas, arrayItems, memberSchemas, localTarget } from './subschemas';
import { isSecretSchema } from './secretPlaces';

/** A missing property and the default that its schema gives. */
export interface ServerDefault {
  /** JSON pointer to the property. */
  readonly pointer: string;
  /** Untrusted: from the server. */
  readonly value: JsonValue;
  /** True if its schema marks it as a secret, which must not be displayed. */
  readonly isSecret?: true;
}

export interface Filled {
  /** Shares its unchanged parts with the input. */
  readonly value: JsonValue;
  readonly defaults: readonly ServerDefault[];
}

/** Limits the visited schemas, names and members; takes about 100 ms. */
const maxLooks = 200_000;
/** A default may contain the object that it belongs to. */
const maxDepth = 200;

/**
 * Copies `value` and adds the defaults of missing properties (the required ones, or all) at any
 * depth, behind local references, and in the first alternative of a union that fits. Returns
 * `undefined` if that takes more than 200,000 steps or 200 levels. Never throws.
 */
export function fillDefaults(
  schema: JsonObject,
  value: JsonValue,
  which: 'required' | 'all',
): Filled | undefined {
  const filling = new Filling(schema, which);
  try {
    const filled = filling.fill(value, [schema], '', 0);
    return { value: filled, defaults: filling.defaults };
  } catch (error) {
    if (error instanceof TooMuch) return undefined;
    throw error;
  }
}

/** Thrown and caught in this file only. */
class TooMuch extends Error {}

class Filling {
  readonly defaults: ServerDefault[] = [];
  readonly #root: JsonObject;
  readonly #which: 'required' | 'all';
  #looks = 0;

  constructor(root: JsonObject, which: 'required' | 'all') {
    this.#root = root;
    this.#which = which;
  }

  fill(value: JsonValue, schemas: readonly unknown[], pointer: string, depth: number): JsonValue {
    if (!isJsonArray(value) && !isJsonObject(value)) return value;
    if (depth > maxDepth) throw new TooMuch();
    const parts = this.#parts(schemas, value);
    if (parts.length === 0) return value;
    this.#look(Object.keys(value).length);
    const below = (child: JsonValue, own: readonly unknown[], key: string | number): JsonValue => {
      // Each part was asked for the schemas of this member.
      this.#look(parts.length);
      return this.fill(child, own, pointer + toPointerStep(String(key)), depth + 1);
    };
    if (isJsonArray(value)) {
      return value.map((item, index) => below(item, itemSchemas(parts, index), index));
    }
    const added = this.#missing(value, parts).map(([name, own]): [string, JsonValue] => {
      const place = pointer + toPointerStep(name);
      const found = this.defaults.length;
      const filled = this.fill(own.value, memberSchemas(parts, name), place, depth + 1);
      // Defaults inside the added value belong to it and are not listed.
      this.defaults.length = found;
      this.defaults.push({
        pointer: place,
        value: filled,
        ...(own.isSecret ? { isSecret: true } : {}),
      });
      return [name, filled];
    });
    const members = Object.entries(value).map(([name, member]): [string, JsonValue] => {
      return [name, below(member, memberSchemas(parts, name), name)];
    });
    // Defines own properties, so that `__proto__` is an ordinary one.
    return Object.fromEntries([...members, ...added]);
  }

  /** Returns the missing properties with their defaults. */
  #missing(value: JsonObject, parts: readonly UnknownObject[]) {
    const names = this.#which === 'required' ? this.#needed(parts, value) : namesOf(parts);
    this.#look(names.length);
    return [...new Set(names)].flatMap((name) => {
      const found = Object.hasOwn(value, name) ? undefined : this.#defaultOf(parts, name);
      return found === undefined ? [] : [[name, found] as const];
    });
  }

  /** Returns the names that are required, also those required by the presence of other members. */
  #needed(parts: readonly UnknownObject[], value: JsonObject): readonly string[] {
    const lists = parts.flatMap(({ required, dependentRequired, dependencies }) => [
      required,
      ...triggered(dependentRequired, value),
      ...triggered(dependencies, value),
    ]);
    return lists.flatMap((list) => {
      const names = arrayItems(list);
      this.#look(names.length);
      return names.filter((name) => typeof name === 'string');
    });
  }

  #look(count: number): void {
    this.#looks += count;
    if (this.#looks > maxLooks) throw new TooMuch();
  }

  #defaultOf(parts: readonly UnknownObject[], name: string) {
    this.#look(parts.length);
    const own = this.#parts(propertySchemas(parts, name), undefined);
    const holder = own.find((schema) => Object.hasOwn(schema, 'default'));
    if (holder === undefined) return undefined;
    const value = holder['default'];
    // A default inside a secret is also secret, but this looks only at the property itself.
    return isJsonValue(value) ? { value, isSecret: own.some(isSecretSchema) } : undefined;
  }

  /**
   * Expands the schemas with all that they refer to and combine, as far as that applies to this
   * value.
   */
  #parts(schemas: readonly unknown[], value: JsonValue | undefined): readonly UnknownObject[] {
    const found = new Set<UnknownObject>();
    const open = [...schemas].toReversed();
    while (open.length > 0) {
      const schema = open.pop();
      if (!isObject(schema) || found.has(schema)) continue;
      this.#look(1);
      found.add(schema);
      const all = arrayItems(schema['allOf']);
      this.#look(all.length);
      const unions = value === undefined ? [] : [schema['anyOf'], schema['oneOf']].map(arrayItems);
      open.push(
        ...unions.map((branches) => branches.find((one) => this.#fits(one, value, found))),
        ...triggered(schema['dependentSchemas'], value),
        ...triggered(schema['dependencies'], value),
      );
      for (const part of all.toReversed()) open.push(part);
      open.push(localTarget(schema['$ref'], this.#root));
    }
    return [...found];
  }

  /**
   * A quick check of whether an alternative may apply to the value. Only the validator decides it.
   */
  #fits(
    branch: unknown,
    value: JsonValue | undefined,
    around: ReadonlySet<UnknownObject>,
  ): boolean {
    // Does not look into unions within unions, so the first open alternative fits.
    const parts = this.#parts([branch], undefined);
    if (!parts.every(({ type }) => isOfType(value, type))) return false;
    if (!isObject(value)) return true;
    const all = [...around, ...parts];
    const isThere = (name: string) =>
      Object.hasOwn(value, name) || this.#defaultOf(all, name) !== undefined;
    return (
      this.#needed(parts, value).every(isThere) &&
      Object.entries(value).every(([name, member]) =>
        this.#parts(propertySchemas(parts, name), undefined).every((one) => isListed(member, one)),
      )
    );
  }
}

function propertySchemas(parts: readonly UnknownObject[], name: string): readonly unknown[] {
  return parts.flatMap(({ properties }) =>
    isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
  );
}

function namesOf(parts: readonly UnknownObject[]): readonly string[] {
  return parts.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []));
}

/** Returns the entries of the properties that are present. */
function triggered(byName: unknown, value: JsonValue | undefined): readonly unknown[] {
  if (!isObject(byName) || !isObject(value)) return [];
  return Object.keys(byName).flatMap((name) =>
    Object.hasOwn(value, name) ? [Reflect.get(byName, name)] : [],
  );
}

function isOfType(value: JsonValue | undefined, type: unknown): boolean {
  if (type === undefined) return true;
  const types = Array.isArray(type) ? type : [type];
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value === 'number') return types.includes('number') || types.includes('integer');
  return types.includes(typeof value);
}

function isListed(value: JsonValue, { const: only, enum: listed }: UnknownObject): boolean {
  if (typeof value === 'object' && value !== null) return true;
  return (
    (only === undefined || only === value) && (!Array.isArray(listed) || listed.includes(value))
  );
}
