import type { JsonObject, JsonValue } from '../json/jsonValue';
import { isJsonObject, isObject } from '../json/shapes';
import { hasHiddenCharacters, visibleText, breakLinks } from '../visibleText';
import { proposalsOf } from './schemaProposals';
import { localTarget } from './subschemas';
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
  return breakLinks(visibleText(text, maxChars, { newlines: 'keep' }));
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
  const known = new Set(named.map(([name]) => name));
  const free = listed
    .filter((name) => isProposableName(name) && !known.has(name))
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

/**
 * Limits the schemas that the language service applies to one value. Real unions need some dozens.
 */
const maxAtOnce = 1_000;

/**
 * True if one value would be checked against more than 1,000 schemas, or endlessly because they
 * refer to each other. The language service cannot be interrupted, and all JSON documents share it.
 */
function isTooEntangled(guide: JsonObject, definitions: JsonObject): boolean {
  const costs = new Map<string, number>();
  let depth = 0;
  const costOf = (ref: string): number => {
    const known = costs.get(ref);
    if (known !== undefined) return known;
    // Marks the definition as being visited: reaching it again means that there is a cycle.
    costs.set(ref, Infinity);
    if (depth === maxDepth) return Infinity;
    depth += 1;
    const cost = costAtOnce(definitions[ref.slice('#/definitions/'.length)]);
    depth -= 1;
    costs.set(ref, cost);
    return cost;
  };
  const costAtOnce = (schema: unknown): number => {
    if (!isObject(schema)) return 0;
    const { $ref: ref, allOf, else: otherwise } = schema;
    const parts: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
    const own = 1 + (typeof ref === 'string' ? costOf(ref) : 0) + costAtOnce(otherwise);
    return parts.reduce<number>((sum, part) => sum + costAtOnce(part), own);
  };
  const isTooMuch = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    (costAtOnce(value) > maxAtOnce || Object.values(value).some(isTooMuch));
  return isTooMuch(guide);
}

/** Returns the guide of a schema at this depth. */
type GuideOf = (schema: JsonValue | undefined, depth: number) => JsonObject;

/**
 * Combines the guides of all alternatives and parts of a schema. An alternative with a constant
 * property is dropped as soon as the property has the constant of another alternative.
 */
function unionGuides(
  schema: JsonObject,
  root: JsonObject,
  guide: GuideOf,
  depth: number,
): readonly JsonObject[] {
  const parts = [listOf(schema['allOf']), [schema['then'], schema['else']]].flat();
  const dependent = schema['dependentSchemas'];
  if (isJsonObject(dependent)) parts.push(...Object.values(dependent));
  return [
    ...parts.filter(isJsonObject).map((part) => guide(part, depth)),
    ...alternativeGuides(listOf(schema['anyOf']), root, guide, depth),
    ...alternativeGuides(listOf(schema['oneOf']), root, guide, depth),
  ];
}

/** Each alternative lists the constants of all others. */
const maxToldApart = 200;

function alternativeGuides(
  alternatives: readonly JsonValue[],
  root: JsonObject,
  guide: GuideOf,
  depth: number,
): readonly JsonObject[] {
  const isTold = alternatives.length <= maxToldApart;
  const constants = isTold ? alternatives.map((one) => constantsOf(one, root)) : [];
  return alternatives.map((alternative, index) => {
    const own = guide(alternative, depth);
    const others = constants.filter((_, other) => other !== index);
    const [silent] = [...(constants[index] ?? new Map<string, JsonValue>())].flatMap(
      ([name, value]) => {
        const theirs = others.flatMap((other) => other.get(name) ?? []);
        return theirs.length === 0 || theirs.includes(value) ? [] : [{ name, theirs }];
      },
    );
    if (silent === undefined) return own;
    const { name, theirs } = silent;
    const isOther = { required: [name], properties: { [name]: { enum: theirs } } };
    return { if: isOther, else: own };
  });
}

/** Returns the properties of an alternative that allow exactly one string. */
function constantsOf(alternative: JsonValue, root: JsonObject): ReadonlyMap<string, JsonValue> {
  const constants = new Map<string, JsonValue>();
  if (!isJsonObject(alternative)) return constants;
  const referred = localTarget(alternative['$ref'], root);
  const { properties } = isJsonObject(referred) ? referred : alternative;
  if (!isJsonObject(properties)) return constants;
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
    const { const: only, enum: listed } = property;
    const value = only ?? (Array.isArray(listed) && listed.length === 1 ? listed[0] : undefined);
    if (typeof value === 'string') constants.set(name, value);
  }
  return constants;
}

function listOf(
  value: JsonValue | undefined,
): readonly (JsonValue | undefined)[] & readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
