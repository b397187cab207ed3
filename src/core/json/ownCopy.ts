import { isContainer } from './leaves';
import { heldNumber, isAnyWritten, WrittenNumber } from './writtenNumber';

/**
 * A copy of JSON data, bytes included, for one caller alone: numbers of JavaScript, but for those
 * that it cannot hold. @throws {RangeError} for what is nested beyond the stack
 */
export function ownCopy<T>(value: T): T {
  const original = { value };
  const copy = structuredClone(original);
  if (isAnyWritten()) putNumbers(original, copy);
  return copy.value;
}

/** A clone has plain objects in their places. */
function putNumbers(original: object, copy: object): void {
  for (const name in original) {
    const member: unknown = Reflect.get(original, name);
    if (member instanceof WrittenNumber) {
      Object.defineProperty(copy, name, { value: heldNumber(member) });
    } else if (isContainer(member)) {
      const copied: unknown = Reflect.get(copy, name);
      if (isContainer(copied)) putNumbers(member, copied);
    }
  }
}
