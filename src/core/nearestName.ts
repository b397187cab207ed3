/** Limits the names to compare; longer names are not compared. */
const maxNames = 10_000;
const maxChars = 64;

/**
 * Returns ` Did you mean "…"?`, with a leading space and the known name that was most likely meant,
 * or an empty string. A name is near if it has at most one change per three characters, ignoring
 * case.
 */
export function didYouMean(typed: string, known: readonly string[], prefix = ''): string {
  const name = nearestName(typed, known);
  return name === undefined ? '' : ` Did you mean "${prefix}${name}"?`;
}

/** Returns `undefined` if no name is near. */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1;
  if (typed.length > maxChars) return undefined;
  for (const name of known.slice(0, maxNames)) {
    if (name.length > maxChars) continue;
    const count = editCount(typed.toLowerCase(), name.toLowerCase());
    if (count >= least) continue;
    [nearest, least] = [name, count];
  }
  return nearest;
}

/** Shorter words have too many neighbors. */
const minNearChars = 4;

/**
 * Returns a function that says whether `typed` was probably meant to be a word or its beginning,
 * with at most one change per three characters. Both are in lower case.
 */
export function nearWordMatcher(typed: string): (word: string) => boolean {
  const { length } = typed;
  if (length < minNearChars || length > maxChars) return () => false;
  const most = Math.floor(length / 3);
  const known = new Map<string, boolean>();
  const isNear = (word: string): boolean =>
    [length - 1, length, length + 1].some((end) => editCount(typed, word.slice(0, end)) <= most);
  return (word) => {
    let near = known.get(word);
    if (near === undefined) {
      near = known.size < maxNames && word.length >= length - most && isNear(word);
      known.set(word, near);
    }
    return near;
  };
}

/** Counts characters that were added, removed, replaced, or swapped with their neighbor. */
function editCount(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const isSame = one[at - 1] === other[to - 1];
      const isSwapped =
        at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      next[to] = Math.min(
        (row[to] ?? 0) + 1,
        (next[to - 1] ?? 0) + 1,
        (row[to - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[to - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}

/** Returns `name`, or `name` with the first number that makes it unique. */
export function freeName(name: string, taken: Pick<ReadonlySet<string>, 'has'>): string {
  if (!taken.has(name)) return name;
  let count = 2;
  while (taken.has(`${name}-${count}`)) count += 1;
  return `${name}-${count}`;
}
