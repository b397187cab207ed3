import { isObject, type UnknownObject } from '../json/shapes';

/** Everything that may speak about the member of that name; which of them does is not worked out. */
export function memberSchemas(schemas: readonly UnknownObject[], key: string): readonly unknown[] {
  return schemas.flatMap((schema) => {
    const { properties } = schema;
    const own = isObject(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [];
    return [
      ...own,
      ...membersOf(schema['patternProperties']),
      // Only what is not listed falls under this one.
      ...(own.length > 0 ? [] : [schema['additionalProperties'], schema['unevaluatedProperties']]),
    ];
  });
}

/** The same for the item at that index. */
export function itemSchemas(schemas: readonly UnknownObject[], index: number): readonly unknown[] {
  return schemas.flatMap((schema) => {
    const { items, prefixItems } = schema;
    return [
      listOf(prefixItems)[index],
      // Older drafts: a list for the first items, and another keyword for the rest.
      ...(Array.isArray(items) ? [items[index]] : [items]),
      schema['additionalItems'],
      schema['unevaluatedItems'],
      schema['contains'],
    ];
  });
}

/** The items of a list; nothing of anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The values of an object; nothing of anything else. */
export function membersOf(value: unknown): readonly unknown[] {
  return isObject(value) ? Object.values(value) : [];
}
