import { toParts } from '../../core/content/content';
import { maxExcerptChars, type FilePart, type Part } from '../../core/content/contentParts';
import { documentLanguage, languageOfDocument } from '../../core/content/documentNames';
import {
  largeJsonOf,
  findList,
  tableRows,
  type TableRows,
  isScalar,
} from '../../core/content/contentFiles';
import { beginningOf, textOf, maxParsedChars } from '../../core/content/textKind';
import { RawJson } from '../../core/json/rawJson';
import { layOutJson } from '../../core/json/layOutJson';
import { jsonOrAbsent } from '../../core/json/parseJson';
import { isJsonObject, isJsonValue } from '../../core/json/shapes';
import { maxFilteredBytes } from '../../core/stdio/filterProcess';
import type { ToolResult } from '../../core/types';
import * as l10n from '@vscode/l10n';
import { WorkTurns } from '../../core/bounds/workTurns';
import { isNumber, stringifyExactly } from '../../core/json/writtenNumber';
import type { JsonObject } from '../../core/json/jsonValue';
import { visibleText } from '../../core/visibleText';
import { ColumnLayout, type Column } from '../format/formatColumns';
import { windowFacts } from '../format/windowFacts';

/** Makes the main part as a readable table, in UTF-8, from the part as it is kept. */
export type MakeTable = (main: FilePart) => Promise<Uint8Array>;

/** The parts of a call's answer, as they are kept. */
export interface PartsOfCall {
  readonly parts: readonly Part[];
  /** Size of a kept table. Absent if the table is made when it is read. */
  readonly tableBytes?: number;
  /**
   * Present if the main part is JSON of one list of rows. The table is made on demand, because few
   * are ever opened.
   */
  readonly makeTable?: MakeTable;
}

/** Like {@link partsOfCall}, for a small answer, which needs no waiting. */
export function partsOfSmallCall(result: ToolResult, toolName: string): PartsOfCall {
  const parts = toParts(result, { title: toolName });
  const main = mainPart(parts);
  const isTable = main !== undefined && rowsOf(main, result) !== undefined;
  return isTable ? { parts, makeTable } : { parts };
}

/** @param toolName names the main part */
export async function partsOfCall(result: ToolResult, toolName: string): Promise<PartsOfCall> {
  const structuredJson = await largeJsonOf(result.structuredContent);
  const received = toParts(result, {
    title: toolName,
    ...(structuredJson === undefined ? {} : { structuredJson }),
  });
  const parts = await Promise.all(received.map(withLayout));
  const main = mainPart(parts);
  const rows = main === undefined ? undefined : rowsOf(main, result);
  if (main === undefined || rows === undefined) return { parts };
  if (main.size <= maxParsedChars) return { parts, makeTable };
  // Making the table later would require keeping the whole answer in memory, or parsing it all at
  // once.
  const table = Buffer.from(await tableText(rows));
  return { parts, makeTable: () => Promise.resolve(table), tableBytes: table.length };
}

/** Lays out JSON that is too large for `formatJson`, and returns every other part unchanged. */
async function withLayout(part: Part): Promise<Part> {
  if (part.kind === 'link' || !part.name.endsWith('.json')) return part;
  if (part.size <= maxParsedChars) return part;
  const bytes = await layOutJson(await part.read());
  if (bytes === undefined) return part;
  const excerpt = beginningOf(bytes, maxExcerptChars);
  return { ...part, size: bytes.length, excerpt, read: () => bytes };
}

async function makeTable(main: FilePart): Promise<Uint8Array> {
  const rows = rowsIn(await main.read());
  return Buffer.from(rows === undefined ? '' : await tableText(rows));
}

/** Larger lists of rows do not fit into a page. */
const maxGridBytes = 33_554_432;
const jsonString = String.raw`\s*"(?:[^"\\]|\\.)*"\s*`;
const rowsBegin = new RegExp(
  String.raw`^\s*(?:\[\s*\{|\{(?:${jsonString}:(?:${jsonString}|\s*[-+.\w]+\s*),)*${jsonString}:\s*\[\s*\{)`,
);

/**
 * Returns true if a part is JSON of one list of rows, whatever its rows contain. Above 1 MiB, only
 * the beginning is checked.
 */
export async function hasRows(part: FilePart): Promise<boolean> {
  const { name, excerpt, size } = part;
  if (!name.endsWith('.json') || excerpt === undefined || !rowsBegin.test(excerpt)) return false;
  if (size > maxParsedChars) return size <= maxGridBytes;
  try {
    const value = jsonOrAbsent(textOf(await part.read()));
    const list = isJsonValue(value) ? (findList(value)?.list ?? []) : [];
    return list.length > 1 && list.filter((row) => isJsonObject(row)).length * 2 >= list.length;
  } catch {
    // The JSON is nested too deeply for rows, or the file is no longer on disk.
    return false;
  }
}

/** Parsing longer Markdown would block the window, so it opens as text. */
const maxRenderedBytes = 65_536;

/** Returns true if a part is Markdown that a page renders as a whole. */
export function isRenderedMarkdown({ documentName, size }: FilePart): boolean {
  const isMarkdown = languageOfDocument(documentName) === documentLanguage('markdown');
  return isMarkdown && size <= maxRenderedBytes;
}

/** The part that contains the whole answer, if there is one. */
export function mainPart(parts: readonly Part[]): FilePart | undefined {
  return parts.find((part): part is FilePart => part.kind !== 'link' && part.isMain === true);
}

/** The parts that can be filtered, the main part first. */
export function jsonParts(parts: readonly Part[]): readonly FilePart[] {
  const json = documentLanguage('json');
  return parts
    .filter((part): part is FilePart => part.kind !== 'link' && part.size <= maxFilteredBytes)
    .filter(({ documentName }) => languageOfDocument(documentName) === json)
    .toSorted((one, other) => Number(other.isMain === true) - Number(one.isMain === true));
}

/**
 * The rows of structured content, which a main text beside it only repeats, or of a JSON text.
 * Structured content that is kept as text has too many values to read, so it has no rows.
 */
function rowsOf(main: FilePart, { structuredContent }: ToolResult): TableRows | undefined {
  if (!main.name.endsWith('.json')) return undefined;
  if (structuredContent !== undefined && !(structuredContent instanceof RawJson)) {
    const rows = tableRows(structuredContent);
    if (rows !== undefined) return rows;
  }
  // A text that is not available synchronously is on disk, or is being written there. It is too
  // large for this.
  const bytes = main.kind === 'structured' ? undefined : main.read();
  return bytes instanceof Uint8Array ? rowsIn(bytes) : undefined;
}

/** Texts above 1 MiB are not parsed. Others are parsed only if a list may contain objects. */
function rowsIn(bytes: Uint8Array): TableRows | undefined {
  if (bytes.length > maxParsedChars) return undefined;
  const text = textOf(bytes);
  if (!/\[\s*\{/.test(text)) return undefined;
  try {
    const value = jsonOrAbsent(text);
    return isJsonValue(value) ? tableRows(value) : undefined;
  } catch {
    // The JSON is nested too deeply for rows.
    return undefined;
  }
}

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
