import { isContainer } from '../json/shapes';
import { hasWrittenNumbers, isWhole, WrittenNumber } from '../json/writtenNumber';

/** The largest number with a fraction that JavaScript can represent. */
const largestFraction = 2 ** 52 - 0.5;

/**
 * Converts `value` for a validator, or a schema for its compiler: numbers that JavaScript would
 * print differently become the nearest JavaScript number, which stays an integer if the original is
 * one. Returns the same object if it has no such numbers.
 * @throws {RangeError} if it is nested too deeply for the stack
 */
export function withNearestNumbers(value: unknown): unknown {
  return holdsWritten(value) ? withNearest(value) : value;
}

/** Not recursive, because a value without such numbers may have any depth. */
function holdsWritten(root: unknown): boolean {
  if (!hasWrittenNumbers()) return false;
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (value instanceof WrittenNumber) return true;
    if (!isContainer(value)) continue;
    for (const name in value) {
      const member: unknown = Reflect.get(value, name);
      if (typeof member === 'object') open.push(member);
    }
  }
  return false;
}

function withNearest(value: unknown): unknown {
  if (value instanceof WrittenNumber) return nearest(value);
  if (!isContainer(value)) return value;
  let copy: unknown[] | Record<string, unknown> | undefined;
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    const member: unknown = Reflect.get(value, name);
    if (typeof member !== 'object' || member === null) continue;
    const judged = withNearest(member);
    if (judged === member) continue;
    copy ??= Array.isArray(value) ? [...(value as unknown[])] : { ...value };
    Object.defineProperty(copy, name, { value: judged });
  }
  return copy ?? value;
}

function nearest(written: WrittenNumber): number {
  const value = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, written.valueOf()));
  if (!Number.isInteger(value) || isWhole(written)) return value;
  const sign = written.text.startsWith('-') ? -1 : 1;
  if (value === 0) return sign * Number.MIN_VALUE;
  return Math.abs(value) < largestFraction ? value * (1 - 2 ** -52) : sign * largestFraction;
}
