import { isObject } from '../json/shapes';
import type { JsonObject } from '../json/jsonValue';

/**
 * Limits the schemas that the language service applies to one value. Real unions need some dozens.
 */
const maxAtOnce = 1_000;

/**
 * True if one value would be checked against more than 1,000 schemas, or endlessly because they
 * refer to each other. The language service cannot be interrupted, and all JSON documents share it.
 */
export function isTooEntangled(guide: JsonObject, definitions: JsonObject): boolean {
  const costs = new Map<string, number>();
  const costOf = (ref: string): number => {
    const known = costs.get(ref);
    if (known !== undefined) return known;
    // Marks the definition as being visited: reaching it again means that there is a cycle.
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
