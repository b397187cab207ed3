import { isContainer } from '../json/leaves';

/**
 * Whether a value of JSON has more than `levels` levels of objects and arrays, itself included. What
 * is deeper than some thousand runs whoever copies, compares or writes it out of stack.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (!isContainer(value)) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(levels - 1, item)) return true;
    return false;
  }
  // Without a list of the members, which would be one more object.
  for (const name in value) if (isDeeperThan(levels - 1, Reflect.get(value, name))) return true;
  return false;
}
