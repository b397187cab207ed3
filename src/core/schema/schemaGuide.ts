import type { JsonObject, JsonValue } from '../json/jsonValue';
import { isJsonObject } from '../json/shapes';
import { hasHiddenCharacters, visibleText, withoutLinks } from '../visibleText';
import { isTooEntangled } from './guideCost';
import { localTarget } from './localRefs';
import { proposalsOf } from './schemaProposals';
import { type GuideOf, unionGuides } from './schemaUnions';

/** Larger ones would make the language service, which all JSON documents share, slow. */
const maxSchemas = 20_000;
const maxDepth = 100;
const maxTitleChars = 100;
const maxDescriptionChars = 1_000;
const maxNameChars = 200;

/** What a guide is made from, and how much of it there may still be. */
interface Making {
  readonly root: JsonObject;
  /** Where each schema that is referred to stands in `definitions`. */
  readonly places: Map<JsonObject, number>;
  readonly waiting: JsonObject[];
  schemasLeft: number;
}

/** Thrown and caught here only. */
class TooLarge extends Error {}

/**
 * A schema that guides whoever types arguments by VS Code's JSON language service (names, values,
 * descriptions) and finds nothing wrong with anything: what is wrong is judged by
 * {@link SchemaValidator} alone, which knows the dialect of the schema, in bounded time. Made anew of
 * a few known keywords, so nothing that means something to VS Code only (`markdownDescription`,
 * `defaultSnippets`, …) gets through from a server; no patterns, which could run away; texts
 * without hidden characters; references within the schema only, never fetched. Names and
 * values with hidden characters are not proposed. `undefined` for a schema of more than 20,000
 * subschemas or 100 levels, and for one that refers to itself without end. Never throws.
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
      // What is required comes first, then the alphabet.
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
  // Without its pattern it is right for most names only, which is enough for a guide.
  const rest = others ?? (patterns.length === 1 ? guide(patterns[0], depth) : undefined);
  return {
    ...(all.length === 0 ? {} : { properties: Object.fromEntries(all) }),
    ...(rest === undefined ? {} : { additionalProperties: rest }),
  };
}

/** Proposes nothing; with `oneOf` the service types the colon after the name at least. */
const anything: JsonObject = { oneOf: [{}] };

/**
 * Whether a name hides nothing and is short enough to be proposed. `$schema` never is, and neither
 * are values of it: the service would fetch what a document names there.
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

/** Each schema that is referred to stands once in `definitions`, so one may contain itself. */
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
