import { factsBeside, GridBuilder, rowPlaces, type GridRows } from './gridModel';
import { inTurns } from './turns';

/** Rows, and the other values beside their list. */
export interface ReadGrid {
  readonly grid: GridRows;
  readonly facts: readonly string[];
}

/** Reads rows of JSON in turns. Returns `undefined` if the text is not a list of rows. */
export async function readGrid(text: string): Promise<ReadGrid | undefined> {
  const builder = new GridBuilder();
  let [first, last] = [0, 0];
  try {
    await inTurns(
      (function* () {
        for (const [start, end] of rowPlaces(text)) {
          first ||= start;
          last = end;
          builder.add(text.slice(start, end));
          yield;
        }
      })(),
    );
    const grid = builder.build();
    if (grid.rows.length === 0 || grid.columns.length === 0) return undefined;
    return { grid, facts: factsBeside(text.slice(0, first) + text.slice(last)) };
  } catch (error) {
    // A text with too many escapes or levels for the parser causes a RangeError.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
