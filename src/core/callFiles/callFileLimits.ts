import { hasTooManyTokens } from '../arguments/argumentsJson';
import { isContainer } from '../json/leaves';
import type { JsonValue } from '../json/jsonValue';

/** Far more than a hand-written file has. */
const maxChars = 10 * 1024 * 1024;
/** The file is read after each pause in typing; this many tokens take about 80 ms. */
const maxTokens = 50_000;
/** Each variable is parsed, and ten million characters can hold a million of them. */
const maxVariables = 5_000;
/**
 * Limits all patterns of a file together. Estimating the cost of a pattern takes about a
 * microsecond per character.
 */
const maxPatternChars = 50_000;
/** Limits member names and pointers, whose processing takes time. */
const maxNameChars = 4_000;

/** True if a text exceeds the limits of a call file. Counts before anything is parsed. */
export function isTooLarge(text: string): boolean {
  return text.length > maxChars || hasTooManyTokens(text, maxTokens) || hasTooManyVariables(text);
}

function hasTooManyVariables(text: string): boolean {
  let count = 0;
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', at + 2)) {
    count += 1;
    if (count > maxVariables) return true;
  }
  return false;
}

/** True if a member anywhere in `value` has an overlong name. */
export function hasLongName(value: JsonValue): boolean {
  if (!isContainer(value)) return false;
  return Object.entries(value).some(
    ([name, child]) => name.length > maxNameChars || hasLongName(child),
  );
}

/** The remaining size for the patterns of one file. */
export class PatternBudget {
  #left = maxPatternChars;

  /** Takes the pattern's size from the budget. Returns false if it does not fit. */
  takes(source: string): boolean {
    this.#left -= source.length;
    return this.#left >= 0;
  }
}
