/** One column of a plain text table. */
export interface Column {
  readonly heading: string;
  /**
   * Maximum width in cells. Longer texts are cut with `…`. A column is only as wide as its texts.
   */
  readonly maxCells: number;
  /** Aligns numbers on the right. Defaults to left. */
  readonly align?: 'right';
}

/** A row of a table. `rest` replaces all columns after the last of `cells`. */
export interface ColumnRow {
  readonly cells: readonly string[];
  readonly rest?: string;
}

interface ColumnTable {
  readonly heading: string;
  readonly lines: readonly string[];
}

const gap = '  ';

/**
 * Formats a table for monospace fonts, in which wide characters count twice. Every column begins at
 * the same cell in all lines. The texts must be plain and on one line.
 */
export function formatColumns(columns: readonly Column[], rows: readonly ColumnRow[]): ColumnTable {
  const layout = new ColumnLayout(columns);
  for (const row of rows) layout.measure(row);
  return { heading: layout.heading, lines: rows.map((row) => layout.line(row)) };
}

/**
 * Formats row by row, for callers that yield in between: first all rows are measured, then they are
 * written.
 */
export class ColumnLayout {
  readonly #columns: readonly Column[];
  readonly #widths: number[];

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
    this.#widths = columns.map(({ heading }) => cellsOf(heading));
  }

  get heading(): string {
    return this.line({ cells: this.#columns.map(({ heading }) => heading) });
  }

  measure({ cells }: ColumnRow): void {
    for (const [index, { maxCells }] of this.#columns.entries()) {
      const width = Math.min(maxCells, cellsOf(cells[index] ?? ''));
      this.#widths[index] = Math.max(this.#widths[index] ?? 0, width);
    }
  }

  line({ cells, rest }: ColumnRow): string {
    const shown = rest === undefined ? this.#columns : this.#columns.slice(0, cells.length);
    const padded = shown.map((column, index) =>
      pad(cells[index] ?? '', this.#widths[index] ?? 0, column),
    );
    return [...padded, ...(rest === undefined ? [] : [rest])].join(gap).trimEnd();
  }
}

function pad(text: string, width: number, { align }: Column): string {
  const cut = cutToCells(text, width);
  const blank = ' '.repeat(Math.max(0, width - cellsOf(cut)));
  return align === 'right' ? blank + cut : cut + blank;
}

/** Returns the text, or as much of it as fits before an ellipsis. */
function cutToCells(text: string, maxCells: number): string {
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

/** Estimates how many cells a text takes; fonts differ on emoji. */
function cellsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
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
