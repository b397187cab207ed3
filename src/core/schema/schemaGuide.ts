import type { JsonObject, JsonValue } from '../json/jsonValue';
import { isJsonObject } from '../json/shapes';
import { hasHiddenCharacters, visibleText, withoutLinks } from '../visibleText';
import { isTooEntangled } from './guideCost';
import { localTarget } from './localRefs';
import { proposalsOf } from './schemaProposals';
import { type GuideOf, unionGuides } from './schemaUnions';

/** Larger guides would slow down the language service, which all JSON documents share. */
const maxSchemas = 20_000;
const maxDepth = 100;
const maxTitleChars = 100;
const maxDescriptionChars = 1_000;
const maxNameChars = 200;

/** The state of making one guide, and how many subschemas it may still add. */
interface Making {
  readonly root: JsonObject;
  /** The index in `definitions` of each schema that is referred to. */
  readonly places: Map<JsonObject, number>;
  readonly waiting: JsonObject[];
  schemasLeft: number;
}

/** Thrown and caught in this file only. */
class TooLarge extends Error {}

/**
 * Converts a schema into one that helps the user type arguments with VS Code's JSON language
 * service (names, values, descriptions) and never reports a problem. Problems come from {@link
 * SchemaValidator} alone, which knows the dialect and has time limits.
 *
 * The result is built from a few known keywords, so keywords that only VS Code knows
 * (`markdownDescription`, `defaultSnippets`, …) do not get through from a server. It has no
 * patterns, which could run away, no hidden characters, and only references within the schema,
 * which are never fetched. Names and values with hidden characters are not proposed.
 * Returns `undefined` for more than 20,000 subschemas or 100 levels, and for endless recursion.
 * Never throws.
 */
export function toSchemaGuide(schema: JsonObject): JsonObject | undefined {
  const making: Making = { root: schema, places: new Map(), waiting: [], schemasLeft: maxSchemas };
  try {
    const root = guideOf(schema, making, 0);
    const definitions: Record<string, JsonObject> = {};
    for (let index = 0; index < making.waiting.length; index += 1) {
      definitions[String(index)] = guideOf(making.waiting[index], making, 0);
    }
    const guide = { ...root, definitions, allowTrailingCommas: true };
    return isTooEntangled(guide, definitions) ? undefined : guide;
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

function guideOf(schema: JsonValue | undefined, making: Making, depth: number): JsonObject {
  if (!isJsonObject(schema)) return {};
  if (depth > maxDepth || making.schemasLeft <= 0) throw new TooLarge();
  making.schemasLeft -= 1;
  const nested: GuideOf = (one, nestedDepth) => guideOf(one, making, nestedDepth);
  const words = wordsOf(schema);
  const all = [
    ...referredGuides(schema, making),
    ...unionGuides(schema, making.root, nested, depth + 1),
  ];
  return {
    ...words,
    ...proposalsOf(schema),
    ...propertyGuides(schema, nested, depth + 1),
    ...itemGuides(schema, nested, depth + 1),
    ...(all.length === 0 ? {} : { allOf: all }),
  };
}

function wordsOf({ title, description, deprecated }: JsonObject): JsonObject {
  return {
    ...(typeof title === 'string' ? { title: plain(title, maxTitleChars) } : {}),
    ...(typeof description === 'string'
      ? { description: plain(description.trim(), maxDescriptionChars) }
      : {}),
    ...(deprecated === true ? { deprecated } : {}),
  };
}

function plain(text: string, maxChars: number): string {
  return withoutLinks(visibleText(text, maxChars, { newlines: 'keep' }));
}

function propertyGuides(schema: JsonObject, guide: GuideOf, depth: number): JsonObject {
  const { properties, additionalProperties, patternProperties, propertyNames } = schema;
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const others = isJsonObject(additionalProperties)
    ? guide(additionalProperties, depth)
    : undefined;
  const named = isJsonObject(properties) ? Object.entries(properties) : [];
  const guides = named
    .filter(([name]) => isProposableName(name))
    .map(([name, property]): [string, JsonObject] => {
      // Sorts required properties first, then alphabetically.
      const suggestSortText = `${required.has(name) ? '0' : '1'}${name}`;
      return [name, { ...guide(property, depth), suggestSortText }];
    });
  const names = isJsonObject(propertyNames) ? propertyNames['enum'] : undefined;
  const listed = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  const free = listed
    .filter((name) => isProposableName(name) && !named.some(([known]) => known === name))
    .map((name): [string, JsonObject] => [name, others ?? anything]);
  const all = [...guides, ...free];
  const patterns = isJsonObject(patternProperties) ? Object.values(patternProperties) : [];
  // Without its pattern this applies to all names, which is close enough for a guide.
  const rest = others ?? (patterns.length === 1 ? guide(patterns[0], depth) : undefined);
  return {
    ...(all.length === 0 ? {} : { properties: Object.fromEntries(all) }),
    ...(rest === undefined ? {} : { additionalProperties: rest }),
  };
}

/** Proposes nothing. Because of `oneOf` the service still inserts the colon after the name. */
const anything: JsonObject = { oneOf: [{}] };

/**
 * True if a name has no hidden characters and is short enough to propose. `$schema` and its values
 * are never proposed, because the service would fetch what a document names there.
 */
export function isProposableName(name: string): boolean {
  if (name === '$schema') return false;
  if (name.length > maxNameChars) return false;
  return /^[\x20-\x7e]*$/.test(name) || !hasHiddenCharacters(name, maxNameChars);
}

function itemGuides(schema: JsonObject, guide: GuideOf, depth: number): JsonObject {
  const { items, prefixItems, additionalItems } = schema;
  const first = Array.isArray(prefixItems) ? prefixItems : items;
  if (Array.isArray(first)) {
    const rest = Array.isArray(prefixItems) ? items : additionalItems;
    return {
      items: first.map((one) => guide(one, depth)),
      ...(isJsonObject(rest) ? { additionalItems: guide(rest, depth) } : {}),
    };
  }
  return isJsonObject(items) ? { items: guide(items, depth) } : {};
}

/** Puts each schema that is referred to into `definitions` once, so that it may contain itself. */
function referredGuides(schema: JsonObject, making: Making): readonly JsonObject[] {
  const target = localTarget(schema['$ref'], making.root);
  if (!isJsonObject(target)) return [];
  let place = making.places.get(target);
  if (place === undefined) {
    place = making.waiting.push(target) - 1;
    making.places.set(target, place);
  }
  return [{ $ref: `#/definitions/${place}` }];
}
