import { startProcessorClock } from './processorClock';
import { runWithTimeLimit } from './runWithTimeLimit';

/**
 * The engine takes about ten milliseconds for this many; patterns in use have a third of it at
 * most.
 */
const maxPaths = 3_000_000;
const maxDepth = 100;
/** The number of characters that the engine looks ahead. */
const ahead = 4;

/** The number of ways in which part of a pattern matches 0, 1, 2, 3, and 4 or more characters. */
type Ways = readonly number[];

interface Part {
  readonly kind: 'one' | 'sequence' | 'choice';
  readonly parts: readonly Part[];
  readonly ways: Ways;
}

const nothing: Ways = [1, 0, 0, 0, 0];
const character: Part = { kind: 'one', parts: [], ways: [0, 1, 0, 0, 0] };
const skipped: Part = { kind: 'one', parts: [], ways: nothing };

/**
 * True if V8 takes longer than some milliseconds to compile a regular expression. From each
 * alternative it follows every path through the next four characters, which cannot be interrupted:
 * `a?a?…aaaa` with a hundred of each practically never ends. Reads only the structure, so `RegExp`
 * has to have accepted the pattern.
 */
export function isCostlyPattern(source: string): boolean {
  const root = new PatternReader(source).read();
  return root === undefined || pathsOf(root, nothing) > maxPaths;
}

/** Counts the paths from the alternatives in `part`, followed by `rest`. */
function pathsOf(part: Part, rest: Ways): number {
  if (part.kind === 'one') return 0;
  if (part.kind === 'choice') {
    const own = total(joined(part.ways, rest));
    return part.parts.reduce((sum, each) => sum + pathsOf(each, rest), own);
  }
  let paths = 0;
  let after = rest;
  for (const each of part.parts.toReversed()) {
    paths += pathsOf(each, after);
    after = joined(each.ways, after);
  }
  return paths;
}

function joined(first: Ways, then: Ways): Ways {
  const ways = [0, 0, 0, 0, first[ahead] ?? 0];
  // Paths of full length are not extended.
  for (let one = 0; one < ahead; one += 1) {
    for (let other = 0; other <= ahead; other += 1) {
      const chars = Math.min(ahead, one + other);
      ways[chars] = (ways[chars] ?? 0) + (first[one] ?? 0) * (then[other] ?? 0);
    }
  }
  return ways;
}

function total(ways: Ways): number {
  return ways.reduce((sum, each) => sum + each, 0);
}

function sequence(parts: readonly Part[]): Part {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const ways = parts.reduceRight((after, { ways: own }) => joined(own, after), nothing);
  return { kind: 'sequence', parts, ways };
}

function choice(parts: readonly Part[]): Part {
  const [only = skipped] = parts;
  if (parts.length <= 1) return only;
  const ways = nothing.map((_, chars) =>
    parts.reduce((sum, part) => sum + (part.ways[chars] ?? 0), 0),
  );
  return { kind: 'choice', parts, ways };
}

class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Returns `undefined` if the pattern is nested too deeply or not understood. */
  read(): Part | undefined {
    const root = this.#alternatives(0);
    return this.#at === this.#source.length ? root : undefined;
  }

  #alternatives(depth: number): Part | undefined {
    if (depth > maxDepth) return undefined;
    const alternatives: Part[] = [];
    let parts: Part[] = [];
    while (this.#at < this.#source.length && this.#source[this.#at] !== ')') {
      if (this.#source[this.#at] === '|') {
        this.#at += 1;
        alternatives.push(sequence(parts));
        parts = [];
        continue;
      }
      const part = this.#atom(depth);
      if (part === undefined) return undefined;
      parts.push(...this.#repeated(part));
    }
    return choice([...alternatives, sequence(parts)]);
  }

  #atom(depth: number): Part | undefined {
    const sign = this.#source[this.#at];
    if (sign === '(') {
      this.#at +=
        /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/.exec(
          this.#source.slice(this.#at, this.#at + 200),
        )?.[0].length ?? 1;
      const inside = this.#alternatives(depth + 1);
      if (this.#source[this.#at] !== ')') return undefined;
      this.#at += 1;
      return inside;
    }
    if (sign === '[') return this.#characterClass();
    if (sign === '\\') {
      const escaped =
        /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|k<[^>]*>|c[A-Za-z]|\d+|[^])/.exec(
          this.#source.slice(this.#at, this.#at + 200),
        );
      this.#at += escaped?.[0].length ?? 1;
      // A boundary matches no character, a back reference any number.
      return /^\\[bB]/.test(escaped?.[0] ?? '') ? skipped : character;
    }
    this.#at += 1;
    return sign === '^' || sign === '$' ? skipped : character;
  }

  #characterClass(): Part | undefined {
    let open = 0;
    for (; this.#at < this.#source.length; this.#at += 1) {
      const sign = this.#source[this.#at];
      if (sign === '\\') this.#at += 1;
      else if (sign === '[') open = 1;
      else if (sign === ']') {
        this.#at += 1;
        return open > 0 ? character : undefined;
      }
    }
    return undefined;
  }

  /** The engine expands the first three repetitions. */
  #repeated(part: Part): readonly Part[] {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(
      this.#source.slice(this.#at, this.#at + 40),
    );
    if (found === null) return [part];
    this.#at += found[0].length;
    const [text, least, comma, most] = found;
    const optional = choice([part, skipped]);
    if (least === undefined) return text.startsWith('+') ? [part, optional] : [optional];
    const min = Math.min(3, Number(least));
    const isMore = comma === ',' && (most === '' || Number(most) > Number(least));
    const more = !isMore ? 0 : most === '' ? 1 : Math.min(3, Number(most) - Number(least));
    if (Number(least) === 0 && more === 0) return [skipped];
    return [...Array<Part>(min).fill(part), ...Array<Part>(more).fill(optional)];
  }
}

/** Ordinary patterns take microseconds. */
const patternMs = 50;
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
    const limitMs = Math.ceil(Math.min(patternMs, this.#leftMs));
    if (limitMs < 1) return undefined;
    const usedMs = startProcessorClock();
    const found = runWithTimeLimit(limitMs, () => pattern.test(text));
    this.#leftMs -= usedMs();
    return found?.value;
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
