import { isJsonObject } from '../json/shapes';
import { isExactNumber, type Scalar } from './inputField';
import type { JsonObject, JsonValue } from '../json/jsonValue';

export interface Choices {
  readonly choices: readonly Scalar[];
  /** Has an item for each choice, empty if the choice has no title. Untrusted. */
  readonly titles?: readonly string[];
  /** The schema without the keyword that lists the choices. */
  readonly rest: JsonObject;
}

/** Longer lists are not useful in a picker. */
const maxChoices = 1_000;

/**
 * Returns the values that a schema lists, in any of four forms: `const`, `enum` (with `enumNames`),
 * a union of constants, or a type with few values. Returns `undefined` if it lists none, and
 * `unfit` for lists that cannot be picked from: empty ones, objects, and numbers that JavaScript
 * cannot represent.
 */
export function readChoices(schema: JsonObject): Choices | 'unfit' | undefined {
  const { anyOf, oneOf, ...rest } = schema;
  const union = toTitled(anyOf === undefined ? oneOf : oneOf === undefined ? anyOf : undefined);
  if (union !== undefined) return toChoices(union, rest, 'once');
  const { const: only, enum: listed, enumNames, type } = schema;
  if (Object.hasOwn(schema, 'const') && Object.hasOwn(schema, 'enum')) return 'unfit';
  if (only !== undefined) return toChoices([{ value: only }], schema);
  if (listed !== undefined) {
    if (!Array.isArray(listed)) return 'unfit';
    const names = Array.isArray(enumNames) && enumNames.length === listed.length ? enumNames : [];
    return toChoices(
      listed.map((value, index) => ({ value, title: names[index] })),
      schema,
    );
  }
  if (type === 'boolean') return { choices: [true, false], rest: schema };
  return type === 'null' ? { choices: [null], rest: schema } : undefined;
}

interface Titled {
  readonly value: JsonValue;
  readonly title?: JsonValue | undefined;
}

const annotations = new Set('const title description type deprecated $comment'.split(' '));

/** Returns the alternatives if all of them are constants with annotations only. */
function toTitled(union: JsonValue | undefined): readonly Titled[] | undefined {
  if (!Array.isArray(union) || union.length === 0) return undefined;
  const titled = union.flatMap((one): Titled[] => {
    if (!isJsonObject(one) || Object.keys(one).some((key) => !annotations.has(key))) return [];
    const { const: value, title, type } = one;
    if (value === undefined) return type === 'null' ? [{ value: null, title }] : [];
    return hasType(value, type) ? [{ value, title }] : [];
  });
  return titled.length === union.length ? titled : undefined;
}

function toChoices(
  listed: readonly Titled[],
  rest: JsonObject,
  allowed: 'once' | 'repeatedly' = 'repeatedly',
): Choices | 'unfit' {
  const isListedTwice =
    allowed === 'once' && (Object.hasOwn(rest, 'enum') || Object.hasOwn(rest, 'const'));
  if (listed.length > maxChoices || isListedTwice) return 'unfit';
  const fitting = new Map<Scalar, string>();
  for (const { value, title } of listed) {
    if (!isPickable(value)) return 'unfit';
    if (!hasType(value, rest['type'])) continue;
    // A value that occurs twice in `oneOf` satisfies two alternatives, so it is invalid.
    if (fitting.has(value) && allowed === 'once') return 'unfit';
    fitting.set(value, typeof title === 'string' ? title : '');
  }
  if (fitting.size === 0) return 'unfit';
  const titles = [...fitting.values()];
  const choices = [...fitting.keys()];
  return titles.some((title) => title !== '') ? { choices, titles, rest } : { choices, rest };
}

function isPickable(value: JsonValue): value is Scalar {
  if (typeof value === 'number') return isExactNumber(value);
  return typeof value !== 'object' || value === null;
}

/**
 * True if `type` allows the value. Without a type all values are allowed; an unknown type allows
 * none.
 */
function hasType(value: JsonValue, type: JsonValue | undefined): boolean {
  if (type === undefined) return true;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const own = value === null ? 'null' : typeof value;
  return types.includes(own) || (Number.isInteger(value) && types.includes('integer'));
}
