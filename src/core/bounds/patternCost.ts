/** So many take the engine some ten milliseconds; patterns in use have a third at most. */
const maxPaths = 3_000_000;
const maxDepth = 100;
/** The engine looks so many characters ahead. */
const ahead = 4;

/** In how many ways a part of a pattern takes 0, 1, 2, 3, and 4 or more characters. */
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
 * Whether compiling a regular expression takes the engine of V8 longer than some milliseconds. From
 * each choice in a pattern it walks every path through the next four characters, and there is no
 * interrupting it: `a?a?…aaaa` with a hundred of each takes it longer than anybody waits. For
 * patterns that `RegExp` has accepted; of those it reads no more than their structure.
 */
export function isCostlyPattern(source: string): boolean {
  const root = new PatternReader(source).read();
  return root === undefined || pathsOf(root, nothing) > maxPaths;
}

/** How many paths are walked from the choices in `part`, which `rest` follows. */
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
  // A path that is long enough already is not walked on.
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

  /** `undefined` for what is nested too deep, or not understood. */
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
      // A boundary takes none, a back reference any number.
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

  /** The engine writes out the first three of what repeats. */
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
    const isShort = Number(least) === 0 && more === 0;
    if (isShort) return [skipped];
    return [...Array<Part>(min).fill(part), ...Array<Part>(more).fill(optional)];
  }
}
