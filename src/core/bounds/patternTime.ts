import { runWithin } from './runWithin';

/** A sensible pattern takes microseconds, also on a busy machine. */
const patternMs = 50;
/** Steps of a pattern without choices; this many take no millisecond. */
const maxUnwatchedSteps = 100_000;

/**
 * Runs regular expressions that a file, a setting or a server gave, all of them together in bounded
 * time: nobody can tell by looking at a pattern how long it takes, and it holds up everything.
 */
export class PatternTime {
  #leftMs: number;
  readonly #undecided = new Set<RegExp>();

  /** @param totalMs for all patterns together, of which each gets 50 ms at most */
  constructor(totalMs: number) {
    this.#leftMs = totalMs;
  }

  /** Those that were stopped at least once, or not even begun. */
  get undecided(): ReadonlySet<RegExp> {
    return this.#undecided;
  }

  /** Whether the pattern is found in the text; `undefined` when it was stopped. */
  test(pattern: RegExp, text: string): boolean | undefined {
    if (isShort(pattern, text)) return pattern.test(text);
    const startedAt = performance.now();
    const limitMs = Math.ceil(Math.min(patternMs, this.#leftMs));
    const found = limitMs < 1 ? undefined : runWithin(limitMs, () => pattern.test(text));
    this.#leftMs -= performance.now() - startedAt;
    if (found === undefined) this.#undecided.add(pattern);
    return found?.value;
  }
}

/** Without groups and repetition it is held against each place of the text once. */
function isShort({ source }: RegExp, text: string): boolean {
  return !/[*+?{(]/.test(source) && source.length * (text.length + 1) <= maxUnwatchedSteps;
}
