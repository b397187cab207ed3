import { bytesOf, isContainer } from './leaves';
import { isObject, type UnknownObject } from './shapes';
import { isNumber, isSameNumber } from './writtenNumber';

/** Deeper values count as different, so that the comparison cannot exhaust the stack. */
const maxDepth = 500;

/**
 * True if two pieces of plain JSON data are equal, regardless of the order of keys. Several times
 * as fast as `isDeepStrictEqual`, which checks much that JSON cannot have.
 */
export function isSameJson(one: unknown, other: unknown, depth = 0): boolean {
  if (one === other) return true;
  if (depth > maxDepth) return false;
  if (!isContainer(one) || !isContainer(other)) return isSameLeaf(one, other);
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => isSameJson(item, other[index], depth + 1));
  }
  return isObject(one) && isObject(other) && hasSameMembers(one, other, depth);
}

function isSameLeaf(one: unknown, other: unknown): boolean {
  return isNumber(one) && isNumber(other) ? isSameNumber(one, other) : hasSameBytes(one, other);
}

function hasSameBytes(one: unknown, other: unknown): boolean {
  const bytes = bytesOf(other);
  return bytes !== undefined && bytesOf(one)?.equals(bytes) === true;
}

function hasSameMembers(one: UnknownObject, other: UnknownObject, depth: number): boolean {
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(other, key) || !isSameJson(one[key], other[key], depth + 1)) return false;
  }
  return true;
}
