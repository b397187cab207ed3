/** Deeper values are refused: no server means one, and everything that walks through a value recurses. */
export const maxLevels = 1_000;

/** With more to make, structured content stays text: what is less takes about ten milliseconds. */
export const maxContentValues = 100_000;
/** Longer structured content stays text, too: the engine reads so much in some twenty milliseconds. */
export const maxContentBytes = 12 * 1024 * 1024;

/** JSON that is within its size, and yet would hold up everything: it is not parsed. */
export class TooMuchJson extends Error {
  constructor(
    readonly measure: 'values' | 'levels',
    readonly limit: number,
  ) {
    super(`more than ${limit} ${measure}`);
    this.name = 'TooMuchJson';
  }
}
