import { isContainer } from './shapes';
import { toExactNumber, hasWrittenNumbers, WrittenNumber } from './writtenNumber';

/**
 * Returns a copy of JSON data, bytes included, for one caller. Its numbers are JavaScript numbers,
 * except those that JavaScript cannot hold. @throws {RangeError} for data nested deeper than the
 * stack allows
 */
export function ownCopy<T>(value: T): T {
  const original = { value };
  const copy = structuredClone(original);
  if (hasWrittenNumbers()) putNumbers(original, copy);
  return copy.value;
}

/** Restores numbers as written, which structuredClone() turned into plain objects. */
function putNumbers(original: object, copy: object): void {
  for (const name in original) {
    const member: unknown = Reflect.get(original, name);
    if (member instanceof WrittenNumber) {
      Object.defineProperty(copy, name, { value: toExactNumber(member) });
    } else if (isContainer(member)) {
      const copied: unknown = Reflect.get(copy, name);
      if (isContainer(copied)) putNumbers(member, copied);
    }
  }
}
