import { runWithTimeLimit } from './runWithTimeLimit';
import { isCostlyPattern } from './patternCost';

/** Ordinary patterns take microseconds. */
const patternMs = 50;
/** A pattern that was stopped before it got half of its processor time is tried again. */
const maxTries = 3;
/** This share of the time without the processor counts too, so that the limit is always reached. */
const idleShare = 1 / 4;
/** Steps of a pattern without alternatives; this many take less than a millisecond. */
const maxUnwatchedSteps = 100_000;

/**
 * Runs regular expressions of files, settings and servers, with a time limit for all of them
 * together: the duration of a pattern cannot be known in advance, and it blocks the thread. The
 * limit is processor time as far as that is known, so that a busy machine does not stop ordinary
 * patterns.
 */
export class PatternTime {
  #leftMs: number;
  readonly #undecided = new Set<RegExp>();

  /** @param totalMs Processor time for all patterns together; each gets at most 50 ms. */
  constructor(totalMs: number) {
    this.#leftMs = totalMs;
  }

  /** The patterns that were stopped at least once, or never started. */
  get undecided(): ReadonlySet<RegExp> {
    return this.#undecided;
  }

  /** True if the pattern matches in the text; `undefined` if it was stopped. */
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
      const found = runWithTimeLimit(limitMs, () => pattern.test(text));
      const passedMs = performance.now() - startedAt;
      const { user, system } = process.cpuUsage(before);
      // Includes other threads of the process, so it may be too high.
      const usedMs = Math.min(passedMs, (user + system) / 1_000);
      this.#leftMs -= Math.max(usedMs, passedMs * idleShare);
      if (found !== undefined) return found.value;
      if (usedMs > limitMs / 2) return undefined;
    }
    return undefined;
  }
}

/** Without groups and repetition, a pattern is tried once at each position. */
function isShort({ source }: RegExp, text: string): boolean {
  return !/[*+?{(]/.test(source) && source.length * (text.length + 1) <= maxUnwatchedSteps;
}

/** Longer patterns cannot be checked by reading. */
const maxPatternChars = 1_000;

/**
 * Parses a user's regular expression like VS Code does in JSON schemas: as a Unicode pattern if
 * possible. Returns `undefined` if it is invalid, has more than 1,000 characters, or takes long to
 * compile. `PatternTime` limits how long it runs.
 */
export function parsePattern(source: string): RegExp | undefined {
  if (source.length > maxPatternChars) return undefined;
  const pattern = unicodePattern(source);
  return pattern === undefined || isCostlyPattern(source) ? undefined : pattern;
}

function unicodePattern(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Some patterns are valid only without Unicode mode.
    }
  }
  return undefined;
}
