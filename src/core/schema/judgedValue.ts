import { isContainer } from '../json/leaves';
import { isAnyWritten, isWhole, WrittenNumber } from '../json/writtenNumber';

/** The largest number of JavaScript that has a fraction. */
const largestFraction = 2 ** 52 - 0.5;

/**
 * `value` as a validator takes it: the nearest number of JavaScript in the place of each that it
 * would write in other words, whole where the number is. The same object where it holds none.
 * @throws {RangeError} for what is nested beyond the stack
 */
export function judgedValue(value: unknown): unknown {
  return holdsWritten(value) ? withNearest(value) : value;
}

/** Without recursion: a value without such numbers may be of any depth. */
function holdsWritten(root: unknown): boolean {
  if (!isAnyWritten()) return false;
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
