import { isObject } from '../json/shapes';
import type { JsonObject } from '../json/jsonValue';

/** What the language service applies to one value at once; real unions have some dozens. */
const maxAtOnce = 1_000;

/**
 * Whether one value would be looked at through more than 1,000 schemas, or without end, because they
 * refer to each other: nothing stops the language service then, which all JSON documents share.
 */
export function isTooEntangled(guide: JsonObject, definitions: JsonObject): boolean {
  const costs = new Map<string, number>();
  const costOf = (ref: string): number => {
    const known = costs.get(ref);
    if (known !== undefined) return known;
    // Whoever comes back here before it is known goes round in a circle.
    costs.set(ref, Infinity);
    const cost = costAtOnce(definitions[ref.slice('#/definitions/'.length)]);
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
