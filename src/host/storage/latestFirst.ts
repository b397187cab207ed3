/**
 * Sorts by time, latest first. `items` have to be in the order in which they were stored: of two
 * with the same time, the one stored later counts as later.
 */
export function latestFirst<T>(items: readonly T[], timeOf: (item: T) => number): T[] {
  return items.toReversed().toSorted((one, other) => timeOf(other) - timeOf(one));
}

/**
 * Returns two of `items`, the older one first, by the same rule. An item that is not among `items`
 * counts as stored later.
 */
export function olderFirst<T>(
  items: readonly T[],
  timeOf: (item: T) => number,
  one: T,
  other: T,
): readonly [T, T] {
  const placeOf = (item: T): number => {
    const place = items.indexOf(item);
    return place === -1 ? items.length : place;
  };
  const difference = timeOf(one) - timeOf(other) || placeOf(one) - placeOf(other);
  return difference <= 0 ? [one, other] : [other, one];
}
