import { runWithin } from './runWithin';

/** A sensible pattern takes microseconds. */
const patternMs = 50;
/** A pattern that was stopped before it had half of its time of the processor is looked for again. */
const maxTries = 3;
/** Of the time that passes without the processor, this part counts: even then it ends. */
const idleShare = 1 / 4;
/** Steps of a pattern without choices; this many take no millisecond. */
const maxUnwatchedSteps = 100_000;

/**
 * Runs regular expressions that a file, a setting or a server gave, all of them together in bounded
 * time: nobody can tell by looking at a pattern how long it takes, and it holds up everything. The
 * time is that of the processor as far as it can be told: on a machine with too much to do, a
 * sensible pattern is decided as on any other.
 */
export class PatternTime {
  #leftMs: number;
  readonly #undecided = new Set<RegExp>();

  /** @param totalMs of the processor, for all patterns together, of which each gets 50 ms at most */
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
    const found = this.#search(pattern, text);
    if (found === undefined) this.#undecided.add(pattern);
    return found;
  }

  #search(pattern: RegExp, text: string): boolean | undefined {
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const limitMs = Math.ceil(Math.min(patternMs, this.#leftMs));
      if (limitMs < 1) return undefined;
      const startedAt = performance.now();
      const before = process.cpuUsage();
      const found = runWithin(limitMs, () => pattern.test(text));
      const passedMs = performance.now() - startedAt;
      const { user, system } = process.cpuUsage(before);
      // Other threads of the process count, too: rather too much than too little.
      const usedMs = Math.min(passedMs, (user + system) / 1_000);
      this.#leftMs -= Math.max(usedMs, passedMs * idleShare);
      if (found !== undefined) return found.value;
      if (usedMs > limitMs / 2) return undefined;
    }
    return undefined;
  }
}

/** Without groups and repetition it is held against each place of the text once. */
function isShort({ source }: RegExp, text: string): boolean {
  return !/[*+?{(]/.test(source) && source.length * (text.length + 1) <= maxUnwatchedSteps;
}
