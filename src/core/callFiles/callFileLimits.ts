import { hasTooManyTokens } from '../arguments/textSize';
import { isContainer } from '../json/leaves';
import type { JsonValue } from '../json/jsonValue';

/** More than a person writes; what a machine writes is no call file. */
const maxChars = 10 * 1024 * 1024;
/** A file is read whenever typing pauses; these take some 80 ms. */
const maxTokens = 50_000;
/** Each is parsed, wherever it stands; a text of ten million characters holds a million of them. */
const maxVariables = 5_000;
/** Of all patterns of a file together: checking what a pattern costs takes about a microsecond a character. */
const maxPatternChars = 50_000;
/** Longer names of members, pointers among them, cost more than they can mean. */
const maxNameChars = 4_000;

/** Whether a text has more than a call file may have. Counts before anything is parsed. */
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

/** Whether a member below `value` has a name that is longer than any that is meant. */
export function hasLongName(value: JsonValue): boolean {
  if (!isContainer(value)) return false;
  return Object.entries(value).some(
    ([name, child]) => name.length > maxNameChars || hasLongName(child),
  );
}

/** What is left for the patterns of one file. */
export class PatternBudget {
  #left = maxPatternChars;

  /** Whether the pattern may still be looked at. */
  takes(source: string): boolean {
    this.#left -= source.length;
    return this.#left >= 0;
  }
}
