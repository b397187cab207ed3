import assert from 'node:assert/strict';

/** What `read` returns for each of the list is exactly what is expected, in this order. */
export function assertEach<T>(
  list: readonly T[],
  read: (item: T, index: number) => unknown,
  expected: readonly unknown[],
): void {
  assert.deepEqual(list.map(read), expected);
}

/** No item of the list has the property; those that have it are in the error. */
export function assertNone<T>(list: readonly T[], has: (item: T) => unknown): void {
  assert.deepEqual(list.filter(has), []);
}
