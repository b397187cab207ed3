import { isCostlyPattern } from './patternCost';

/** Longer ones are no patterns that somebody could check by reading. */
const maxPatternChars = 1_000;

/**
 * A regular expression that somebody wrote, as VS Code reads patterns in JSON schemas: with Unicode
 * if that is possible. `undefined` where it is none, has more than 1,000 characters, or takes long
 * to compile; how long it runs is another matter (`PatternTime`).
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
      // Some patterns are valid only without.
    }
  }
  return undefined;
}
