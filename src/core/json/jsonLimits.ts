/** Deeper values are refused: no server means one, and everything that walks through a value recurses. */
export const maxLevels = 1_000;

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
