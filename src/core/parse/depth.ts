import { isContainer } from '../json/leaves';

/**
 * True if a JSON value has more than `levels` levels of objects and arrays, including itself. A
 * depth of some thousands overflows the stack when the value is copied, compared or written.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (!isContainer(value)) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(levels - 1, item)) return true;
    return false;
  }
  // Does not create a list of the members, which would be one more object.
  for (const name in value) if (isDeeperThan(levels - 1, Reflect.get(value, name))) return true;
  return false;
}
