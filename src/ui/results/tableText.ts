import * as l10n from '@vscode/l10n';
import { WorkTurns } from '../../core/bounds/workTurns';
import { isScalar, type TableRows } from '../../core/content/tableRows';
import { isNumber, stringifyExactly } from '../../core/json/writtenNumber';
import type { JsonObject } from '../../core/json/jsonValue';
import { visibleText } from '../../core/visibleText';
import { ColumnLayout, type Column } from '../format/formatColumns';
import { windowFacts } from '../format/windowFacts';

const maxCellsOfColumn = 48;
const maxHeadingChars = 40;
const maxFactChars = 200;

/**
 * Renders a list of rows as one page of plain text: their number, the single values beside the
 * list, then aligned columns. Numbers stay as they were written, hidden characters are made
 * visible, and long texts are cut. Other tasks get a turn in between.
 */
export async function tableText(table: TableRows): Promise<string> {
  const { columns, rows } = table;
  const layout = new ColumnLayout(columns.map((name) => columnOf(name, rows)));
  const cells: (readonly string[])[] = [];
  await inTurns(rows, (row) => {
    const texts = columns.map((name) => cellText(row, name, maxCellsOfColumn + 1));
    layout.measure({ cells: texts });
    cells.push(texts);
  });
  const lines = [...countLines(table), ...factLines(table.facts), '', layout.heading];
  await inTurns(cells, (texts) => lines.push(layout.line({ cells: texts })));
  return [...lines, ''].join('\n');
}

async function inTurns<T>(items: readonly T[], take: (item: T) => unknown): Promise<void> {
  const turns = new WorkTurns();
  for (const item of items) {
    take(item);
    if (turns.isOver) await turns.giveWay();
  }
}

function columnOf(name: string, rows: readonly JsonObject[]): Column {
  const values = rows.flatMap((row) => (Object.hasOwn(row, name) ? [row[name]] : []));
  const isNumeric =
    values.some(isNumber) && values.every((value) => isNumber(value) || value === null);
  const column = { heading: visibleText(name, maxHeadingChars), maxCells: maxCellsOfColumn };
  return isNumeric ? { ...column, align: 'right' } : column;
}

/** A missing member is an empty cell. */
function cellText(row: JsonObject, name: string, maxChars: number): string {
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  if (value === undefined) return '';
  if (typeof value === 'string') return visibleText(value, maxChars);
  return visibleText(stringifyExactly(value), maxChars);
}

function countLines({ rows, rowCount, columns, columnCount }: TableRows): string[] {
  const all = formatCount(rowCount);
  const isAll = rows.length === rowCount;
  return [
    isAll
      ? l10n.t('Rows: {0}', all)
      : l10n.t('Rows: {0}, shown: the first {1}', all, formatCount(rows.length)),
    ...(columns.length === columnCount
      ? []
      : [l10n.t('Columns: {0}, shown: the first {1}', formatCount(columnCount), columns.length)]),
  ];
}

function formatCount(count: number): string {
  return count.toLocaleString(windowFacts().language);
}

function factLines(facts: JsonObject): string[] {
  return Object.keys(facts)
    .filter((name) => isScalar(facts[name]))
    .map((name) => `${visibleText(name, maxHeadingChars)}: ${cellText(facts, name, maxFactChars)}`);
}
