import { latestFirst } from '../storage/latestFirst';
import type { ReadHeader } from './segmentEnds';
import { segmentStart } from './segments';

/**
 * Windows that begin within this time may not see each other's segments. Clock corrections of some
 * seconds are included.
 */
const sameTimeMs = 60_000;

/** Headers by segment name; `undefined` if the first line is damaged. */
export type Headers = ReadonlyMap<string, ReadHeader | undefined>;

/**
 * Returns segments that were added later: a window names, directly or indirectly, every segment
 * that exists when it begins its own, so an older segment that it does not reach did not exist.
 * `vouched` is what removed segments named. A missing or damaged segment counts as naming
 * everything older than it, because what it named is unknown; it is a break itself.
 */
export function unnamedSegments(
  headers: Headers,
  vouched: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const segments = [...headers].flatMap(([name, read]) =>
    read === undefined ? [] : [{ name, at: read.at }],
  );
  const begun = latestFirst(segments, ({ at }) => at);
  const namesOf = (name: string): readonly string[] | undefined =>
    headers.get(name)?.header.known.map(({ segment }) => segment) ?? vouched.get(name);
  const unnamed: string[] = [];
  /** Newest first. Segments that were added later prove nothing about others. */
  const witnesses: { readonly name: string; readonly at: number }[] = [];
  let reached: Reached | undefined;
  for (const { name, at } of begun) {
    const witness = witnesses.findLast((each) => each.at > at + sameTimeMs)?.name;
    if (witness !== undefined && reached?.from !== witness) reached = reachedFrom(witness, namesOf);
    const isReached =
      witness === undefined ||
      reached === undefined ||
      reached.names.has(name) ||
      at < reached.unknownUntil;
    if (isReached) witnesses.push({ name, at });
    else unnamed.push(name);
  }
  return unnamed;
}

/** Returns segments that were written under another name, and so are copies. */
export function copiedSegments(headers: Headers): readonly string[] {
  const seen = new Set<string>();
  return [...headers].flatMap(([name, read]) => {
    if (read === undefined) return [];
    const { header, at, hash } = read;
    const isCopy = seen.has(hash) || segmentStart(name) !== at || (header.segment ?? name) !== name;
    seen.add(hash);
    return isCopy ? [name] : [];
  });
}

interface Reached {
  readonly from: string;
  readonly names: ReadonlySet<string>;
  /** Milliseconds since the epoch; older segments may or may not be reached. */
  readonly unknownUntil: number;
}

function reachedFrom(
  from: string,
  namesOf: (name: string) => readonly string[] | undefined,
): Reached {
  const names = new Set([from]);
  let unknownUntil = -Infinity;
  // A set also iterates elements that are added meanwhile.
  for (const name of names) {
    const named = namesOf(name);
    if (named === undefined) unknownUntil = Math.max(unknownUntil, segmentStart(name));
    for (const each of named ?? []) names.add(each);
  }
  return { from, names, unknownUntil };
}
