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
 * at most. An unreasonably long name matches only if case is ignored, which is the strict side.
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

/** Names that look the same to users must not evade a rule. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
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
    } else if (wanted !== undefined && (wanted === '?' || wanted === name[index])) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++starEnd;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
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
  if (wide.pattern.includes('?')) return wide.pattern === narrow.pattern;
  return fits(folded(wide.pattern), folded(narrow.pattern));
}
