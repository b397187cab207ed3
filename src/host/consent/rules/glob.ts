/** Names in use have fewer than 130 characters. */
export const maxGlobChars = 256;
/** R-308 bounds names at 128; a longer one is the server's doing, and no pattern was meant for it. */
const maxNameChars = 1_024;

/** A pattern for a name: `*` is any number of characters, `?` is one; all others are themselves. */
export interface Glob {
  readonly pattern: string;
}

/** The pattern, or `undefined` where it is empty or longer than {@link maxGlobChars}. */
export function parseGlob(value: string): Glob | undefined {
  return value === '' || value.length > maxGlobChars ? undefined : { pattern: value };
}

/**
 * Whether the whole of `name` fits. Takes time in proportion to both lengths at most. A name that
 * is unreasonably long fits only where case is ignored, the strict side.
 *
 * Not by picomatch, which is made for paths: whatever the options, its `*` skips `..` between
 * slashes, its `?` skips a slash, a leading `./` is dropped, parentheses group, and what it
 * compiles to can take exponential time. A server that chooses the names of its tools could so
 * slip past a rule that denies them.
 */
export function fitsGlob({ pattern }: Glob, name: string, ignoresCase: boolean): boolean {
  if (name.length > maxNameChars) return ignoresCase;
  return fits(pattern, name) || (ignoresCase && fits(folded(pattern), folded(name)));
}

/** What reads the same to a person, or is drawn the same, should not get past a rule. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Goes on greedily, and on a mismatch gives the last `*` one character more. */
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

/** Whether every name that fits `narrow` surely fits `wide`; absent fits everything. */
export function isWiderGlob(wide: Glob | undefined, narrow: Glob | undefined): boolean {
  if (wide === undefined || /^\*+$/.test(wide.pattern)) return true;
  if (narrow === undefined) return false;
  // The signs of the narrow one stand for themselves here, which a `?` of the wide one must not take.
  if (wide.pattern.includes('?')) return wide.pattern === narrow.pattern;
  return fits(folded(wide.pattern), folded(narrow.pattern));
}
