/**
 * Sorts by time, the latest first. `items` have to be in the order in which they were kept: of two with
 * the same time, the one that was kept later is the later one.
 */
export function latestFirst<T>(items: readonly T[], timeOf: (item: T) => number): T[] {
  return items.toReversed().toSorted((one, other) => timeOf(other) - timeOf(one));
}

/** Two of `items`, the older one first, by the same rule. What is not among `items` is kept later. */
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
