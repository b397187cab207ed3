import {
  findStep,
  notFound,
  parsePointerSteps,
  type PointerResult,
} from '../../../core/json/jsonPointer';
import { isContainer } from '../../../core/json/shapes';

/** Names in use have fewer than 130 characters. */
export const maxGlobChars = 256;
/** R-308 limits names to 128 characters; no pattern is meant for longer ones. */
const maxNameChars = 1_024;

/**
 * A pattern for names: `*` matches any characters, `?` one character, and all others themselves.
 */
export interface Glob {
  readonly pattern: string;
}

/** Returns the pattern, or `undefined` if it is empty or longer than {@link maxGlobChars}. */
export function parseGlob(value: string): Glob | undefined {
  return value === '' || value.length > maxGlobChars ? undefined : { pattern: value };
}

/**
 * Returns true if the whole `name` matches. Takes time proportional to the product of both lengths
 * at most. `ignoresCase` is for the strict side: invisible characters are ignored too, and an
 * unreasonably long name matches.
 *
 * Picomatch is not used, because it is made for paths: its `*` skips `..` between slashes, its `?`
 * skips a slash, a leading `./` is dropped, parentheses group, and its regular expressions can take
 * exponential time. A server, which chooses the names of its tools, could thus evade a rule that
 * denies them.
 */
export function fitsGlob({ pattern }: Glob, name: string, ignoresCase: boolean): boolean {
  if (name.length > maxNameChars) return ignoresCase;
  return fits(pattern, name) || (ignoresCase && fits(folded(pattern), folded(name)));
}

/** Characters that users do not see, or that only change how others look. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Names that differ only in case or look the same to users must not evade a rule. */
function folded(text: string): string {
  return text
    .replaceAll(invisible, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
    .replaceAll(/[^\0-\x7f]/gu, foldedLetter);
}

/**
 * Letters that share a capital become one, such as `i` and `ı`. A letter with a longer capital
 * stays, because `?` stands for one character.
 */
function foldedLetter(letter: string): string {
  const other = letter.toUpperCase().toLowerCase();
  return unitsAt(other, 0) === other.length ? other : letter;
}

/** Matches greedily, and on a mismatch extends the last `*` by one character. */
function fits(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let starEnd = 0;
  for (let index = 0; index < name.length;) {
    const wanted = pattern[at];
    if (wanted === '*') {
      star = at++;
      starEnd = index;
    } else if (wanted === '?') {
      at++;
      index += unitsAt(name, index);
    } else if (wanted !== undefined && wanted === name[index]) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      starEnd += unitsAt(name, starEnd);
      index = starEnd;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

/** Returns the number of UTF-16 units of the character at `index`. */
function unitsAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

/**
 * Returns true if `wide` certainly matches every name that `narrow` matches. An absent glob matches
 * everything.
 */
export function isWiderGlob(wide: Glob | undefined, narrow: Glob | undefined): boolean {
  if (wide === undefined || /^\*+$/.test(wide.pattern)) return true;
  if (narrow === undefined) return false;
  // The characters of the narrow glob are literals here, which a `?` of the wide one must not
  // match.
  const wider = folded(wide.pattern);
  if (wider.includes('?')) return wide.pattern === narrow.pattern;
  return fits(wider, folded(narrow.pattern));
}

/** A JSON pointer (RFC 6901) in which `*` matches every element or member. */
export interface Pointer {
  /** The pointer as written. */
  readonly text: string;
  readonly steps: readonly string[];
}

/** Pointers with more matches are treated as undetermined. */
const maxFound = 10_000;

/** Returns `undefined` if the text is no pointer, or longer than 64 steps. */
export function parsePointer(text: string): Pointer | undefined {
  const steps = parsePointerSteps(text);
  return steps === undefined ? undefined : { text, steps };
}

/**
 * Returns every place that `pointer` leads to in `root`, and at least one: a place without a value
 * if there is nothing. Returns `undefined` if there are more than 10,000.
 */
export function findPlaces(
  root: unknown,
  { steps }: Pointer,
): readonly PointerResult[] | undefined {
  let places: readonly PointerResult[] = [{ isThere: true, value: root }];
  for (const step of steps) {
    const next: PointerResult[] = [];
    for (const place of places) {
      next.push(...(place.isThere ? below(place.value, step) : [notFound]));
      if (next.length > maxFound) return undefined;
    }
    places = next;
  }
  return places;
}

function below(value: unknown, step: string): readonly PointerResult[] {
  if (step !== '*' || !isContainer(value)) return [findStep(value, step)];
  const all = Object.values(value);
  // One more than the limit is enough, without spreading a million.
  const some = all.slice(0, maxFound + 1).map((each) => ({ isThere: true, value: each }) as const);
  return some.length === 0 ? [notFound] : some;
}

/**
 * Returns the values that a condition on a single value is checked against: those inside an array,
 * however deep, or the value itself. Returns `undefined` if there are more than 10,000; empty for
 * an empty array.
 */
export function scalarValues(value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return [value];
  const scalars: unknown[] = [];
  const waiting: unknown[] = value.slice(0, maxFound + 1);
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen === maxFound) return undefined;
    const next = waiting.pop();
    if (Array.isArray(next)) waiting.push(...next.slice(0, maxFound + 1));
    else scalars.push(next);
  }
  return scalars;
}
