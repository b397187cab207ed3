import {
  filterRows,
  sortRows,
  toCsv,
  toMarkdown,
  type GridOrder,
  type GridRows,
} from './gridModel';
import { button, element, line } from './nodes';
import type { PageTexts } from './pageMessages';
import { inTurns } from './turns';

const rowHeight = 24;
/** Number of rows that are drawn above and below the visible ones. */
const margin = 10;
/** Number of rows that determine the widths of the columns. */
const measuredRows = 200;
const [leastChars, mostChars] = [4, 40];

export interface GridState {
  readonly filterText: string;
  readonly order?: GridOrder | undefined;
}

/**
 * A table that draws only the visible rows. It sorts, filters, and shows a selected cell in full.
 */
export class GridView {
  readonly element: HTMLElement;
  readonly #grid: GridRows;
  readonly #texts: PageTexts;
  readonly #changed: (state: GridState) => void;
  readonly #body = element('div', { className: 'grid-body' });
  readonly #scroller = element('div', { className: 'grid' });
  readonly #count = element('span', { className: 'facts' });
  readonly #full = line('grid-cell', '');
  readonly #heads: HTMLElement[] = [];
  #places: readonly number[] = [];
  #filterText: string;
  #order: GridOrder | undefined;
  #cell = { row: 0, column: 0 };
  #run = 0;

  constructor(
    grid: GridRows,
    texts: PageTexts,
    state: GridState | undefined,
    changed: (state: GridState) => void,
  ) {
    this.#grid = grid;
    this.#texts = texts;
    this.#changed = changed;
    this.#filterText = state?.filterText ?? '';
    this.#order = state?.order;
    this.#full.setAttribute('aria-live', 'polite');
    this.#scroller.tabIndex = 0;
    this.#scroller.setAttribute('role', 'grid');
    this.#scroller.setAttribute('aria-colcount', String(grid.columns.length));
    this.#scroller.style.setProperty('--columns', widthsOf(grid));
    this.#scroller.append(this.#header(), this.#body);
    this.#scroller.addEventListener('scroll', () => this.#drawSoon(), { passive: true });
    this.#scroller.addEventListener('keydown', (event) => this.#key(event));
    this.#scroller.addEventListener('click', ({ target }) => this.#choose(target));
    this.element = element('div', {}, this.#controls(), this.#scroller, this.#full);
    void this.#arrange();
  }

  /** Call it once the table is attached to the page. */
  draw(): void {
    const { length } = this.#places;
    const first = Math.max(0, Math.floor(this.#scroller.scrollTop / rowHeight) - margin);
    const inSight = Math.ceil((this.#scroller.clientHeight || 600) / rowHeight) + 2 * margin;
    const rows = this.#places.slice(first, first + inSight).map((place, index) => {
      const row = element('div', { className: 'grid-row' });
      row.setAttribute('role', 'row');
      row.setAttribute('aria-rowindex', String(first + index + 2));
      row.style.setProperty('top', `${(first + index) * rowHeight}px`);
      for (const [column, text] of (this.#grid.rows[place] ?? []).entries())
        row.append(this.#drawCell(first + index, column, text));
      return row;
    });
    this.#body.style.setProperty('height', `${length * rowHeight}px`);
    this.#body.replaceChildren(...rows);
  }

  #drawCell(row: number, column: number, text: string): HTMLElement {
    const isNumeric = this.#grid.columns[column]?.isNumeric === true;
    const isChosen = row === this.#cell.row && column === this.#cell.column;
    const className = `cell${isNumeric ? ' number' : ''}${isChosen ? ' chosen' : ''}`;
    const cell = element('div', { className, text, title: text });
    cell.dir = 'auto';
    cell.setAttribute('role', 'gridcell');
    cell.setAttribute('aria-colindex', String(column + 1));
    cell.dataset['place'] = `${row},${column}`;
    if (!isChosen) return cell;
    cell.id = `chosen-${String(this.#run)}`;
    cell.setAttribute('aria-selected', 'true');
    this.#scroller.setAttribute('aria-activedescendant', cell.id);
    return cell;
  }

  #header(): HTMLElement {
    const header = element('div', { className: 'grid-row grid-head' });
    header.setAttribute('role', 'row');
    header.setAttribute('aria-rowindex', '1');
    for (const [column, { name, isNumeric }] of this.#grid.columns.entries()) {
      const press = button(name, isNumeric ? 'cell number' : 'cell', () => this.#sort(column));
      press.title = this.#texts.sortBy.replace('{0}', () => name);
      press.dir = 'auto';
      const head = element('div', { className: 'head' }, press);
      head.setAttribute('role', 'columnheader');
      this.#heads.push(head);
      header.append(head);
    }
    return header;
  }

  #controls(): HTMLElement {
    const { filter, copyCsv, copyMarkdown, moreColumns, moreRows } = this.#texts;
    const filterText = element('input', { className: 'filter' });
    filterText.type = 'search';
    filterText.placeholder = filter;
    filterText.setAttribute('aria-label', filter);
    filterText.value = this.#filterText;
    filterText.addEventListener('input', () => {
      this.#filterText = filterText.value;
      void this.#arrange();
    });
    const { columns, columnCount, rows, rowCount } = this.#grid;
    const more = moreColumns.replace('{0}', `${columnCount}`).replace('{1}', `${columns.length}`);
    const restOfRows = moreRows
      .replace('{0}', rowCount.toLocaleString())
      .replace('{1}', rows.length.toLocaleString());
    this.#count.setAttribute('aria-live', 'polite');
    return element(
      'div',
      { className: 'grid-controls' },
      filterText,
      this.#count,
      ...(columnCount > columns.length ? [line('facts', more)] : []),
      ...(rowCount > rows.length ? [line('facts', restOfRows)] : []),
      button(copyCsv, 'small', () => this.#copy(toCsv(this.#grid, this.#places))),
      button(copyMarkdown, 'small', () => this.#copy(toMarkdown(this.#grid, this.#places))),
    );
  }

  #sort(column: number): void {
    const { column: before, isDescending } = this.#order ?? {};
    if (before !== column) this.#order = { column, isDescending: false };
    else this.#order = isDescending === true ? undefined : { column, isDescending: true };
    void this.#arrange();
  }

  /** Filters and sorts. Typing in the meantime starts it again. */
  async #arrange(): Promise<void> {
    this.#run += 1;
    const run = this.#run;
    const found = await inTurns(filterRows(this.#grid, this.#filterText), () => run === this.#run);
    if (found === undefined) return;
    this.#places = this.#order === undefined ? found : sortRows(this.#grid, found, this.#order);
    for (const [column, head] of this.#heads.entries()) {
      const isIt = this.#order?.column === column;
      const direction = this.#order?.isDescending === true ? 'descending' : 'ascending';
      head.setAttribute('aria-sort', isIt ? direction : 'none');
    }
    const [shown, all] = [found.length, this.#grid.rowCount].map((n) => n.toLocaleString());
    this.#count.textContent = this.#texts.rows
      .replace('{0}', shown ?? '')
      .replace('{1}', all ?? '');
    this.#scroller.setAttribute('aria-rowcount', String(found.length + 1));
    this.#changed({ filterText: this.#filterText, order: this.#order });
    this.#scroller.scrollTop = 0;
    this.#select(0, this.#cell.column);
  }

  #drawSoon(): void {
    requestAnimationFrame(() => this.draw());
  }

  #choose(target: EventTarget | null): void {
    const place = target instanceof HTMLElement ? target.dataset['place'] : undefined;
    const [row, column] = (place ?? '').split(',').map(Number);
    if (row !== undefined && column !== undefined && place !== undefined) this.#select(row, column);
  }

  #key(event: KeyboardEvent): void {
    const { row, column } = this.#cell;
    const page = Math.max(1, Math.floor(this.#scroller.clientHeight / rowHeight) - 2);
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      PageDown: [row + page, column],
      PageUp: [row - page, column],
      Home: [event.ctrlKey ? 0 : row, 0],
      End: [event.ctrlKey ? this.#places.length : row, this.#grid.columns.length],
    };
    const move = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    if (move === undefined || event.target !== this.#scroller) return;
    event.preventDefault();
    this.#select(...move);
  }

  /** Shows the full cell below the rows, and scrolls it into view. */
  #select(row: number, column: number): void {
    const last = this.#places.length - 1;
    this.#cell = {
      row: Math.max(0, Math.min(row, last)),
      column: Math.max(0, Math.min(column, this.#grid.columns.length - 1)),
    };
    const top = this.#cell.row * rowHeight;
    const height = this.#scroller.clientHeight - 2 * rowHeight;
    if (top < this.#scroller.scrollTop) this.#scroller.scrollTop = top;
    else if (height > 0 && top > this.#scroller.scrollTop + height)
      this.#scroller.scrollTop = top - height;
    const { name = '' } = this.#grid.columns[this.#cell.column] ?? {};
    const place = this.#places[this.#cell.row];
    const shown = place === undefined ? undefined : this.#grid.rows[place];
    this.#full.textContent =
      shown === undefined ? '' : `${name}: ${shown[this.#cell.column] ?? ''}`;
    this.draw();
  }

  #copy(text: string): void {
    void navigator.clipboard.writeText(text).then(() => {
      this.#count.textContent = this.#texts.copied;
    });
  }
}

/** Column widths in characters, as wide as the content of the first rows. */
function widthsOf({ columns, rows }: GridRows): string {
  return columns
    .map(({ name }, column) => {
      const chars = rows
        .slice(0, measuredRows)
        .reduce((most, row) => Math.max(most, row[column]?.length ?? 0), name.length + 2);
      return `calc(${Math.max(leastChars, Math.min(chars, mostChars))}ch + 20px)`;
    })
    .join(' ');
}
