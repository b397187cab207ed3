import type { Stamp } from './recordFile';

/**
 * Numbers that grow with each record that is kept: microseconds since 1970, so that those of other windows
 * and of earlier sessions fit in.
 */
export class RecordOrder {
  #last = 0;

  next(): number {
    this.#last = Math.max(this.#last + 1, Date.now() * 1_000);
    return this.#last;
  }
}

/** For a record without such a number: when its file was written, by the clock of the file system. */
export function orderOfFile(stamp: Stamp): number {
  return Number(BigInt(stamp.split(' ')[1] ?? 0) / 1_000n);
}

/** What was kept first comes first; what has no place in the order comes before it. */
export function inOrder<T extends { readonly order?: number }>(
  found: ReadonlyMap<string, T>,
): Map<string, T> {
  const placeOf = ({ order = 0 }: T): number => order;
  return new Map([...found].toSorted(([, one], [, other]) => placeOf(one) - placeOf(other)));
}
