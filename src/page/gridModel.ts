import { visibleText } from '../core/visibleText';

/** JSON with more columns or deeper members than this is read in its document instead. */
const maxColumns = 100;
const maxDepth = 3;
const maxRows = 200_000;
const maxCellChars = 10_000;

export interface GridColumn {
  readonly name: string;
  readonly isNumeric: boolean;
}

/** Rows as texts, ordered by column. */
export interface GridRows {
  readonly columns: readonly GridColumn[];
  readonly columnCount: number;
  readonly rows: readonly (readonly string[])[];
  /** The cells that are shown cut or with hidden characters, as they were received, by row. */
  readonly received: ReadonlyMap<readonly string[], ReadonlyMap<number, string>>;
  /** The number of rows of the list, of which only the first ones are in `rows`. */
  readonly rowCount: number;
}

/** A number as it was written, where JavaScript would write it differently. */
class AsWritten {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/**
 * Yields the position of each row of a list in JSON text. The list is an array, or an array that is
 * a member of an object. The page can pause between the rows. The generator ends early if the text
 * is not such a list.
 */
export function* rowPlaces(text: string): Generator<readonly [start: number, end: number]> {
  const isMember = /^\s*\{/.test(text);
  // A string is one token, so that no character inside it is interpreted.
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/g;
  let depth = 0;
  let start = -1;
  const rowDepth = isMember ? 2 : 1;
  let isInList = false;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const at = found.index;
    const [sign] = found;
    if (sign === '[' || sign === '{') {
      depth += 1;
      if (depth === rowDepth && sign === '[') {
        isInList = true;
        start = at + 1;
      }
    } else if (sign === ']' || sign === '}') {
      if (isInList && depth === rowDepth) {
        if (text.slice(start, at).trim() !== '') yield [start, at];
        return;
      }
      depth -= 1;
    } else if (sign === ',' && isInList && depth === rowDepth) {
      yield [start, at];
      start = at + 1;
    }
  }
}

/** Adds rows one by one, and determines their columns. */
export class GridBuilder {
  readonly #places = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #rows: string[][] = [];
  readonly #isNumeric: boolean[] = [];
  readonly #beyond = new Set<string>();
  readonly #received = new Map<readonly string[], Map<number, string>>();
  #rowCount = 0;

  /** Only counts the row if there is no room for more. @throws {SyntaxError} */
  add(json: string): void {
    this.#rowCount += 1;
    if (this.#rows.length >= maxRows) return;
    const value = parseExactly(json);
    const row: string[] = [];
    this.#put(row, [], value);
    this.#rows.push(row);
  }

  build(): GridRows {
    const columns = this.#names.map((name, place) => ({
      name: visibleText(name === '' ? '·' : name, maxCellChars),
      isNumeric: this.#isNumeric[place] === true,
    }));
    for (const row of this.#rows)
      for (let place = 0; place < columns.length; place += 1) row[place] ??= '';
    return {
      columns,
      columnCount: columns.length + this.#beyond.size,
      rows: this.#rows,
      received: this.#received,
      rowCount: this.#rowCount,
    };
  }

  #put(row: string[], path: readonly string[], value: unknown): void {
    if (isMembers(value) && path.length < maxDepth) {
      for (const member of Object.keys(value)) this.#put(row, [...path, member], value[member]);
      return;
    }
    const place = this.#placeOf(path);
    if (place === undefined) return;
    const text = textOf(value);
    const shown = shownText(value, text);
    row[place] = shown;
    if (shown !== text) {
      const cells = this.#received.get(row) ?? new Map<number, string>();
      this.#received.set(row, cells.set(place, text));
    }
    if (value !== null && typeof value !== 'number' && !(value instanceof AsWritten)) {
      this.#isNumeric[place] = false;
    } else if (value !== null) this.#isNumeric[place] ??= true;
  }

  /** Members may contain a dot in their names, so the name of a column does not identify it. */
  #placeOf(path: readonly string[]): number | undefined {
    const key = JSON.stringify(path);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    if (this.#places.size >= maxColumns) {
      if (this.#beyond.size < maxRows) this.#beyond.add(key);
      return undefined;
    }
    this.#places.set(key, this.#names.length);
    this.#names.push(path.join('.'));
    return this.#names.length - 1;
  }
}

/**
 * The other values beside a list, long ones cut. `json` is the text without the rows.
 * @throws {SyntaxError}
 */
export function factsBeside(json: string): readonly string[] {
  const beside = parseExactly(json);
  if (!isMembers(beside)) return [];
  // The first list is the one whose rows were removed.
  let isBefore = true;
  return Object.entries(beside).flatMap(([name, value]) => {
    const isEmptyList = Array.isArray(value) && value.length === 0;
    if (isEmptyList && isBefore) {
      isBefore = false;
      return [];
    }
    const text = isEmptyList ? '[]' : shownText(value, textOf(value));
    return [`${visibleText(name, maxCellChars)}: ${text}`];
  });
}

/** Parses JSON and keeps numbers as they were written. */
function parseExactly(json: string): unknown {
  return /\d{15}|\d[.eE]/.test(json) ? JSON.parse(json, revive) : JSON.parse(json);
}

function revive(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  const isOther = typeof value === 'number' && source !== undefined && String(value) !== source;
  return isOther ? new AsWritten(source) : value;
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  const isOther = Array.isArray(value) || value instanceof AsWritten;
  return value instanceof Object && !isOther && Object.keys(value).length > 0;
}

/** A list of single values is joined with commas; other nested values are written as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof AsWritten) return value.text;
  if (typeof value !== 'object' || value === null) return String(value);
  const isSingle = (each: unknown) => typeof each !== 'object' || each instanceof AsWritten;
  if (Array.isArray(value) && value.every(isSingle)) return value.map(String).join(', ');
  return jsonOf(value);
}

/** @param text The value as it was received. */
function shownText(value: unknown, text: string): string {
  if (typeof value === 'string') return visibleText(text, maxCellChars, { newlines: 'keep' });
  return typeof value === 'object' ? visibleText(text, maxCellChars) : text;
}

/** Returns JSON with its numbers as they were written. */
function jsonOf(value: unknown): string {
  if (value instanceof AsWritten) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (!(value instanceof Object)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${jsonOf(member)}`,
  );
  return `{${members.join(',')}}`;
}

export interface GridOrder {
  readonly column: number;
  readonly isDescending: boolean;
}

/** Returns the numbers of the rows that contain these words anywhere, in row order. */
export function* filterRows(
  { rows }: GridRows,
  filter: string,
): Generator<void, readonly number[]> {
  const wanted = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found: number[] = [];
  for (let place = 0; place < rows.length; place += 1) {
    if (place % 500 === 499) yield;
    const text = wanted.length === 0 ? '' : (rows[place] ?? []).join('\n').toLowerCase();
    if (wanted.every((word) => text.includes(word))) found.push(place);
  }
  return found;
}

/** Sorts numbers by value and texts alphabetically. Empty cells always come last. */
export function sortRows(
  { rows, columns }: GridRows,
  places: readonly number[],
  { column, isDescending }: GridOrder,
): readonly number[] {
  const sign = isDescending ? -1 : 1;
  const isNumeric = columns[column]?.isNumeric === true;
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const keyed = places.map((place) => {
    const text = rows[place]?.[column] ?? '';
    return { place, text, number: Number(text), isEmpty: text === '' || text === 'null' };
  });
  keyed.sort((one, other) => {
    if (one.isEmpty || other.isEmpty) return Number(one.isEmpty) - Number(other.isEmpty);
    return sign * (isNumeric ? one.number - other.number : compare(one.text, other.text));
  });
  return keyed.map(({ place }) => place);
}

/** The cells of a row as they were received. */
function copiedCells({ rows, received }: GridRows, place: number): readonly string[] {
  const row = rows[place] ?? [];
  const cells = received.get(row);
  return cells === undefined ? row : row.map((text, column) => cells.get(column) ?? text);
}

/** Writes CSV as defined in RFC 4180. */
export function toCsv(grid: GridRows, places: readonly number[]): string {
  const { columns } = grid;
  const heading = columns.map(({ name }) => csvCell(name, false)).join(',');
  const lines = places.map((place) =>
    copiedCells(grid, place)
      .map((text, column) => csvCell(text, columns[column]?.isNumeric === true))
      .join(','),
  );
  return [heading, ...lines, ''].join('\r\n');
}

/** A text that a spreadsheet would run as a formula gets a leading apostrophe. */
function csvCell(text: string, isNumeric: boolean): string {
  const safe = !isNumeric && /^\p{Cf}*[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toMarkdown(grid: GridRows, places: readonly number[]): string {
  const { columns } = grid;
  const rule = `|${columns.map(({ isNumeric }) => (isNumeric ? ' --: ' : ' --- ')).join('|')}|`;
  const heading = markdownLine(columns.map(({ name }) => name));
  const lines = places.map((place) => markdownLine(copiedCells(grid, place)));
  return [heading, rule, ...lines, ''].join('\n');
}

function markdownLine(cells: readonly string[]): string {
  const safe = cells.map((text) =>
    text.replaceAll(/[\\|`*_[\]<>]/g, String.raw`\$&`).replaceAll(/\r\n?|\n/g, '<br>'),
  );
  return `| ${safe.join(' | ')} |`;
}
