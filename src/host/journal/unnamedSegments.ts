import { latestFirst } from '../storage/latestFirst';
import type { ReadHeader } from './segmentEnds';
import { segmentStart } from './segments';

/**
 * Windows that begin at the same time do not see each other's segments. Clocks are set right by
 * seconds, too.
 */
const sameTimeMs = 60_000;

/** Headers by the names of their segments; `undefined` where the first line is damaged. */
export type Headers = ReadonlyMap<string, ReadHeader | undefined>;

/**
 * Segments that were added later: a window names, directly or by those that it names, every segment
 * that is there when it begins its own, so an older one that it does not reach was not there.
 * `vouched` is what removed segments named. What a missing or damaged segment named is unknown, so
 * it counts for everything that is older than it; that segment is a break itself.
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
  /** Newest first; those that were added later say nothing about others. */
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

/** Segments that were written under another name, so that what stands there is a copy. */
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
  /** Epoch ms: of what is older it is not known whether it is reached. */
  readonly unknownUntil: number;
}

function reachedFrom(
  from: string,
  namesOf: (name: string) => readonly string[] | undefined,
): Reached {
  const names = new Set([from]);
  let unknownUntil = -Infinity;
  // A set gives what is added while it is walked, too.
  for (const name of names) {
    const named = namesOf(name);
    if (named === undefined) unknownUntil = Math.max(unknownUntil, segmentStart(name));
    for (const each of named ?? []) names.add(each);
  }
  return { from, names, unknownUntil };
}
