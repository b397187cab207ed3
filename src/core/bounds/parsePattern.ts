import { isCostlyPattern } from './patternCost';

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
