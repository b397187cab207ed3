import { RawJson } from './rawJson';
import { bytesOf, isContainer } from './shapes';

/** This many characters of a string or name are as much work as one more value. */
const charsOfOneValue = 32;

/**
 * Counts the values in `value`, with long strings and names as several. Visits about `limit` values
 * at most.
 */
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
      // Each item counts at least one, so the limit is already exceeded.
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

/**
 * Estimates the memory that a value takes, as if each counted value took as much as its equivalent
 * in characters.
 */
export function bytesInMemory(value: unknown): number {
  return Math.ceil(weightUpTo(Number.POSITIVE_INFINITY, value) * charsOfOneValue);
}
