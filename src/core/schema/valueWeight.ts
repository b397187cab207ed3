import { RawJson } from '../json/rawJson';
import { bytesOf, isContainer } from '../json/leaves';

/** Every so many characters of a text or name are as much work as a value more. */
const charsOfOneValue = 32;

/** How many values there are in `value`, counting long texts and names as several. Looks at about `limit`. */
export function weightUpTo(limit: number, value: unknown): number {
  const waiting = [value];
  let weight = 0;
  while (waiting.length > 0 && weight <= limit) {
    const next = waiting.pop();
    weight += 1;
    if (typeof next === 'string') {
      weight += next.length / charsOfOneValue;
    } else if (!isContainer(next)) {
      const length = next instanceof RawJson ? next.byteLength : bytesOf(next)?.length;
      weight += (length ?? 0) / charsOfOneValue;
    } else if (Array.isArray(next)) {
      // Each counts one at least, so more of them need not be looked at.
      if (next.length > limit) return next.length;
      for (const item of next) waiting.push(item);
    } else {
      for (const name in next) {
        weight += 1 + name.length / charsOfOneValue;
        if (weight > limit) return weight;
        waiting.push(Reflect.get(next, name));
      }
    }
  }
  return weight;
}

/** Roughly what a value takes in memory: a value is about as much as the characters that weigh the same. */
export function bytesInMemory(value: unknown): number {
  return Math.ceil(weightUpTo(Number.POSITIVE_INFINITY, value) * charsOfOneValue);
}
