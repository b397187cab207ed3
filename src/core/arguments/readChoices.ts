import { isJsonObject } from '../json/shapes';
import { isExactNumber, type Scalar } from './inputField';
import type { JsonObject, JsonValue } from '../json/jsonValue';

export interface Choices {
  readonly choices: readonly Scalar[];
  /** One for each choice that has one, empty for those that have none; untrusted. */
  readonly titles?: readonly string[];
  /** The schema without the keyword that lists them. */
  readonly rest: JsonObject;
}

/** A list longer than that is read by nobody. */
const maxChoices = 1_000;

/**
 * The values that the schema lists, in its four spellings: `const`, `enum` (with `enumNames`), a
 * union of constants, and a type that has few values. `undefined` where it lists none, `unfit`
 * where it lists what cannot be picked: nothing, objects, numbers that JavaScript does not hold.
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

/** The alternatives, where all of them are constants with nothing but words beside them. */
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
    // One that stands twice in `oneOf` is allowed by two alternatives, and so by none.
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

/** Whether `type` allows the value; no type allows all, and an unknown one none. */
function hasType(value: JsonValue, type: JsonValue | undefined): boolean {
  if (type === undefined) return true;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const own = value === null ? 'null' : typeof value;
  return types.includes(own) || (Number.isInteger(value) && types.includes('integer'));
}
