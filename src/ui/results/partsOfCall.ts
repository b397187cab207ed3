import { toParts } from '../../core/content/content';
import type { FilePart, Part } from '../../core/content/contentParts';
import { documentLanguage, languageOfDocument } from '../../core/content/documentNames';
import { largeJsonOf } from '../../core/content/largeJson';
import { listIn, tableRows, type TableRows } from '../../core/content/tableRows';
import { textOf } from '../../core/content/textData';
import { maxParsedChars } from '../../core/content/textKind';
import { RawJson } from '../../core/json/rawJson';
import { jsonOrAbsent } from '../../core/json/parseJson';
import { isJsonObject, isJsonValue } from '../../core/json/shapes';
import type { ToolResult } from '../../core/types';
import { tableText } from './tableText';

/** The main part as a table to read, in UTF-8, of the part as it is kept. */
export type MakeTable = (main: FilePart) => Promise<Uint8Array>;

/** What a call brought, as it is kept. */
export interface PartsOfCall {
  readonly parts: readonly Part[];
  /** Of a table that is kept; absent where it is made when somebody reads it. */
  readonly tableBytes?: number;
  /** Where the main part is JSON of one list of rows; hardly any table is ever looked at. */
  readonly makeTable?: MakeTable;
}

/** The same for an answer that is small, which takes no time. */
export function partsOfSmallCall(result: ToolResult, toolName: string): PartsOfCall {
  const parts = toParts(result, { title: toolName });
  const main = mainPart(parts);
  const isTable = main !== undefined && rowsOf(main, result) !== undefined;
  return isTable ? { parts, makeTable } : { parts };
}

/** @param toolName names the main part */
export async function partsOfCall(result: ToolResult, toolName: string): Promise<PartsOfCall> {
  const structuredJson = await largeJsonOf(result.structuredContent);
  const parts = toParts(result, {
    title: toolName,
    ...(structuredJson === undefined ? {} : { structuredJson }),
  });
  const main = mainPart(parts);
  const rows = main === undefined ? undefined : rowsOf(main, result);
  if (main === undefined || rows === undefined) return { parts };
  if (main.size <= maxParsedChars) return { parts, makeTable };
  // To make it later, all that came would have to be kept, or parsed at once.
  const table = Buffer.from(await tableText(rows));
  return { parts, makeTable: () => Promise.resolve(table), tableBytes: table.length };
}

async function makeTable(main: FilePart): Promise<Uint8Array> {
  const rows = rowsIn(await main.read());
  return Buffer.from(rows === undefined ? '' : await tableText(rows));
}

/** More rows would not fit into a page. */
const maxGridBytes = 33_554_432;
const jsonString = String.raw`\s*"(?:[^"\\]|\\.)*"\s*`;
const rowsBegin = new RegExp(
  String.raw`^\s*(?:\[\s*\{|\{(?:${jsonString}:(?:${jsonString}|\s*[-+.\w]+\s*),)*${jsonString}:\s*\[\s*\{)`,
);

/**
 * Whether a part is JSON of one list of rows, whatever its rows hold; of more than 1 MiB, whether it
 * begins so.
 */
export async function hasRows(part: FilePart): Promise<boolean> {
  const { name, excerpt, size } = part;
  if (!name.endsWith('.json') || excerpt === undefined || !rowsBegin.test(excerpt)) return false;
  if (size > maxParsedChars) return size <= maxGridBytes;
  try {
    const value = jsonOrAbsent(textOf(await part.read()));
    const list = isJsonValue(value) ? (listIn(value)?.list ?? []) : [];
    return list.length > 1 && list.filter((row) => isJsonObject(row)).length * 2 >= list.length;
  } catch {
    // Nested too deeply, which no row is, or no longer on the disk.
    return false;
  }
}

/** Longer Markdown would hold the window up while it is parsed; it opens as text. */
const maxRenderedBytes = 65_536;

/** Whether a part is Markdown that a page renders as a whole. */
export function isRenderedMarkdown({ documentName, size }: FilePart): boolean {
  const isMarkdown = languageOfDocument(documentName) === documentLanguage('markdown');
  return isMarkdown && size <= maxRenderedBytes;
}

/** The part that says all that there is, if one does. */
export function mainPart(parts: readonly Part[]): FilePart | undefined {
  return parts.find((part): part is FilePart => part.kind !== 'link' && part.isMain === true);
}

/**
 * The rows of structured content, which a main text beside it only repeats, or of a text that is
 * JSON. None of structured content that is kept as text: it has more values than anybody reads.
 */
function rowsOf(main: FilePart, { structuredContent }: ToolResult): TableRows | undefined {
  if (!main.name.endsWith('.json')) return undefined;
  if (structuredContent !== undefined && !(structuredContent instanceof RawJson)) {
    const rows = tableRows(structuredContent);
    if (rows !== undefined) return rows;
  }
  // A text that is not read at once is on disk, or on its way there: too large for this.
  const bytes = main.kind === 'structured' ? undefined : main.read();
  return bytes instanceof Uint8Array ? rowsIn(bytes) : undefined;
}

/** Texts above 1 MiB are not parsed, and others only where a list may hold objects. */
function rowsIn(bytes: Uint8Array): TableRows | undefined {
  if (bytes.length > maxParsedChars) return undefined;
  const text = textOf(bytes);
  if (!/\[\s*\{/.test(text)) return undefined;
  try {
    const value = jsonOrAbsent(text);
    return isJsonValue(value) ? tableRows(value) : undefined;
  } catch {
    // Nested too deeply, which no row is.
    return undefined;
  }
}
