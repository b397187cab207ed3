import { isObject } from '../../core/json/shapes';
import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { hiddenPlaces } from '../../core/visibleText';

/** Deeper parts are left out. The gate validates arguments against the full schema. */
const maxLevels = 50;

/** Returns `text` without all invisible characters, except line breaks and tabs. */
export function removeInvisible(text: string): string {
  let shown = '';
  let from = 0;
  for (const { offset, length } of hiddenPlaces(text, Infinity)) {
    shown += text.slice(from, offset);
    from = offset + length;
  }
  return shown + text.slice(from);
}

/** Kind of the value below a schema keyword. */
type Below = 'schema' | 'schemasByName' | 'data';

const below: ReadonlyMap<string, Below> = new Map([
  ...keywords(
    'schema',
    'items prefixItems additionalItems unevaluatedItems contains additionalProperties',
    'unevaluatedProperties propertyNames not if then else allOf anyOf oneOf contentSchema',
  ),
  ...keywords(
    'schemasByName',
    'properties patternProperties $defs definitions dependentSchemas dependencies',
  ),
  // Changing these values would change what the schema accepts or what the server receives.
  ...keywords(
    'data',
    'const enum default type required dependentRequired pattern format contentEncoding',
    'contentMediaType $id $schema $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef',
  ),
]);

function keywords(
  place: Below,
  ...words: readonly string[]
): readonly (readonly [string, Below])[] {
  return words.flatMap((each) => each.split(' ')).map((word) => [word, place] as const);
}

export interface CleanedSchema {
  readonly schema: JsonObject;
  /** True if invisible characters were removed. */
  readonly isCleaned: boolean;
}

/**
 * Returns the schema with all descriptive texts and unknown keywords cleaned. Names and validating
 * values stay unchanged.
 */
export function cleanedSchema(schema: JsonObject): CleanedSchema {
  const cleaner = new SchemaCleaner();
  const cleaned = cleaner.schema(schema, 0);
  return { schema: isObject(cleaned) ? { ...cleaned } : {}, isCleaned: cleaner.isCleaned };
}

class SchemaCleaner {
  isCleaned = false;

  /** Returns `undefined` if the value is nested too deeply. */
  schema(value: JsonValue, level: number): JsonValue | undefined {
    return this.#each(value, level, (key, each) => {
      const place = below.get(key);
      if (place === 'data') return [key, each];
      if (place === 'schema') return [key, this.schema(each, level + 1)];
      if (place === 'schemasByName') return [key, this.#schemasByName(each, level + 1)];
      return [this.#text(key), this.#words(each, level + 1)];
    });
  }

  #schemasByName(value: JsonValue, level: number): JsonValue | undefined {
    if (!isObject(value)) return this.schema(value, level);
    return this.#each(value, level, (name, each) => [
      name,
      // Some values of `dependencies` are lists of names.
      Array.isArray(each) ? each : this.schema(each, level + 1),
    ]);
  }

  #words(value: JsonValue, level: number): JsonValue | undefined {
    return this.#each(value, level, (key, each) => [this.#text(key), this.#words(each, level + 1)]);
  }

  #each(
    value: JsonValue,
    level: number,
    member: (key: string, each: JsonValue) => readonly [string, JsonValue | undefined],
  ): JsonValue | undefined {
    if (typeof value === 'string') return this.#text(value);
    if (value === null || typeof value !== 'object') return value;
    if (level > maxLevels) return undefined;
    if (Array.isArray(value)) {
      const all = value.map((each) => this.#each(each, level + 1, member));
      return all.filter((each) => each !== undefined);
    }
    const members = Object.entries(value).map(([key, each]: [string, JsonValue]) =>
      member(key, each),
    );
    return Object.fromEntries(
      members.filter((each): each is [string, JsonValue] => each[1] !== undefined),
    );
  }

  #text(text: string): string {
    const cleaned = removeInvisible(text);
    if (cleaned !== text) this.isCleaned = true;
    return cleaned;
  }
}
