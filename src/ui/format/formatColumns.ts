/** One column of a table in plain text. */
export interface Column {
  readonly heading: string;
  /** In cells; longer texts are cut with `…`. The column is only as wide as its texts. */
  readonly maxCells: number;
  /** Numbers line up on the right. Default: left. */
  readonly align?: 'right';
}

/** A line of a table; `rest` stands in place of all columns after the last of `cells`. */
export interface ColumnRow {
  readonly cells: readonly string[];
  readonly rest?: string;
}

export interface ColumnTable {
  readonly heading: string;
  readonly lines: readonly string[];
}

const gap = '  ';

/**
 * A table for fonts whose characters are all as wide, wide ones counting twice: every column begins
 * at the same cell in all lines. The texts must be plain and on one line.
 */
export function formatColumns(columns: readonly Column[], rows: readonly ColumnRow[]): ColumnTable {
  const widths = columns.map(({ heading, maxCells }, index) =>
    Math.max(
      cellsOf(heading),
      ...rows.map(({ cells }) => Math.min(maxCells, cellsOf(cells[index] ?? ''))),
    ),
  );
  const lineOf = ({ cells, rest }: ColumnRow): string => {
    const shown = rest === undefined ? columns : columns.slice(0, cells.length);
    const padded = shown.map((column, index) =>
      pad(cells[index] ?? '', widths[index] ?? 0, column),
    );
    return [...padded, ...(rest === undefined ? [] : [rest])].join(gap).trimEnd();
  };
  const headings = columns.map(({ heading }) => heading);
  return { heading: lineOf({ cells: headings }), lines: rows.map(lineOf) };
}

function pad(text: string, width: number, { align }: Column): string {
  const cut = cutToCells(text, width);
  const blank = ' '.repeat(Math.max(0, width - cellsOf(cut)));
  return align === 'right' ? blank + cut : cut + blank;
}

/** The text, or as much of its beginning as fits before an ellipsis. */
export function cutToCells(text: string, maxCells: number): string {
  if (cellsOf(text) <= maxCells) return text;
  let cells = 1;
  let cut = '';
  for (const character of text) {
    cells += cellsOfCharacter(character);
    if (cells > maxCells) break;
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}

/** How many cells of a line a text takes, roughly: fonts differ on emoji. */
export function cellsOf(text: string): number {
  let cells = 0;
  for (const character of text) cells += cellsOfCharacter(character);
  return cells;
}

const marks = /^(?:\p{M}|\p{Cf})$/u;
const wide =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]$/u;

function cellsOfCharacter(character: string): number {
  if (character < '\u0300') return 1;
  if (marks.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
