/** Deeper values are refused: no server intends them, and all code that walks a value recurses. */
export const maxLevels = 1_000;

/** Extra cost of a name that is new in the text: the engine allocates memory for each. */
export const newNameCost = 4;
/**
 * Number of bits of the hash that identifies a name; the second of two names with the same hash
 * costs nothing.
 */
export const nameBits = 20;
/** Structured content with more values stays text: fewer take about ten milliseconds. */
export const maxContentValues = 100_000;
/**
 * Longer structured content stays text too: the engine reads that many bytes in about twenty
 * milliseconds.
 */
export const maxContentBytes = 12 * 1024 * 1024;

/** JSON within its size limit that would still block the process: it is not parsed. */
export class TooMuchJson extends Error {
  constructor(
    readonly measure: 'values' | 'levels',
    readonly limit: number,
  ) {
    super(`more than ${limit} ${measure}`);
    this.name = 'TooMuchJson';
  }
}
