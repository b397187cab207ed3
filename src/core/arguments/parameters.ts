import { isObject } from '../json/shapes';
import type { JsonObject } from '../json/jsonValue';
import { localTarget } from '../schema/localRefs';

/** One property of a tool's arguments, for people to read. Its texts are the server's: untrusted. */
export interface Parameter {
  readonly name: string;
  /** In short, in the words of JSON Schema: `string`, `array of number`, `"a" | "b"`. */
  readonly type: string;
  readonly isRequired: boolean;
  /** As JSON. */
  readonly default?: string;
  readonly description?: string;
}

/** More than anybody reads. */
const maxParameters = 200;
const maxChoices = 8;
const maxTypeChars = 80;
const maxDepth = 4;

/** The properties that `schema` names, the required ones first; each group in the schema's order. */
export function parametersOf(schema: JsonObject): readonly Parameter[] {
  const { properties } = schema;
  if (!isObject(properties)) return [];
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const names = new Set(required.slice(0, maxParameters * 10));
  const all = Object.keys(properties).slice(0, maxParameters * 10);
  const ordered = [
    ...all.filter((name) => names.has(name)),
    ...all.filter((name) => !names.has(name)),
  ];
  return ordered.slice(0, maxParameters).map((name) => {
    const own = resolved(Reflect.get(properties, name), schema);
    const { description, default: standard } = isObject(own) ? own : {};
    return {
      name,
      type: typeOf(own, schema, 0).slice(0, maxTypeChars),
      isRequired: names.has(name),
      ...(standard === undefined ? {} : { default: textOf(standard) }),
      ...(typeof description === 'string' ? { description } : {}),
    };
  });
}

/** How many properties the schema names, also those that {@link parametersOf} leaves out. */
export function parameterCount({ properties }: JsonObject): number {
  return isObject(properties) ? Object.keys(properties).length : 0;
}

function resolved(schema: unknown, root: JsonObject): unknown {
  if (!isObject(schema) || schema['$ref'] === undefined) return schema;
  const target = localTarget(schema['$ref'], root);
  // What stands beside a reference is nearer.
  return isObject(target) ? { ...target, ...schema } : schema;
}

function typeOf(given: unknown, root: JsonObject, depth: number): string {
  const schema = resolved(given, root);
  if (!isObject(schema) || depth > maxDepth) return 'any';
  const { type, items } = schema;
  const choices = 'const' in schema ? [schema['const']] : schema['enum'];
  if (Array.isArray(choices)) {
    return oneOf(choices.slice(0, maxChoices + 1).map(textOf));
  }
  if (type === 'array' && items !== undefined) return `array of ${typeOf(items, root, depth + 1)}`;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return oneOf(type.filter((each) => typeof each === 'string'));
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (!Array.isArray(branches)) return 'any';
  return oneOf(branches.slice(0, maxChoices + 1).map((each) => typeOf(each, root, depth + 1)));
}

/** `…` for what is nested too deeply to be written. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '…';
  }
}

function oneOf(types: readonly string[]): string {
  const shown = [...new Set(types)].slice(0, maxChoices);
  return [...shown, ...(types.length > maxChoices ? ['…'] : [])].join(' | ');
}
