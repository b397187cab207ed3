import { stat, type FileHandle } from 'node:fs/promises';
import { openRegularFile } from '../bounds/regularFile';
import { finiteNumberOrAbsent, isObject, stringOrAbsent } from '../json/shapes';
import { oneOf, optional, shape, string, anyValue, parseText } from '../parse/parsers';
import {
  isInspectorExport,
  readInspectorExport,
  toMcporterLine,
  exportedServer,
} from './inspectorExport';
import {
  recordingVersion,
  type RecordedMessage,
  maxRecordingBytes,
  isRecordedText,
  linesOfFile,
  jsonOfLine,
  RecordingError,
} from './recordedLine';

export interface Recording {
  /** In their original order. */
  readonly messages: readonly RecordedMessage[];
  /**
   * True if the end or another part is missing, because the recorder was killed or the file was
   * cut.
   */
  readonly isCut: boolean;
  /** Milliseconds since the epoch, if the recording has the time of its start. */
  readonly startedAt?: number | undefined;
  /** True if the recording has one server without a name. */
  readonly isOfAnyServer?: boolean;
}

type Keeps = (message: RecordedMessage) => boolean;

/** Enough to recognize the format of another program. */
const firstBytes = 8 * 1024;

/**
 * Reads a recording, which is as untrusted as a server: at most 256 MiB, 200,000 lines, and 4 Mi
 * characters in a message. Also reads recordings of mcporter and the MCP Inspector.
 * @param keeps Messages for which it returns false count, but are not kept in memory.
 * @throws {RecordingError}
 */
export async function readRecording(file: string, keeps: Keeps = () => true): Promise<Recording> {
  const first = await readMessageLine(file, 0, firstBytes);
  if ((await stat(file)).size > maxRecordingBytes) throw new RecordingError('tooLarge');
  if (isInspectorExport(first)) {
    return { ...(await readInspectorExport(file)), isCut: false, isOfAnyServer: true };
  }
  return isOfMcporter(first) ? readMcporter(file, keeps) : readOwn(file, keeps);
}

/** True if the beginning of a file is that of a recording of mcporter. */
function isOfMcporter(firstChars: string): boolean {
  return toMcporterLine(jsonOfLine(firstChars.split('\n')[0] ?? '')) !== undefined;
}

async function readOwn(file: string, keeps: Keeps): Promise<Recording> {
  const messages: RecordedMessage[] = [];
  let isEmpty = true;
  let ended: number | undefined;
  let startedAt: number | undefined;
  for await (const { text, number, isWhole } of linesOfFile(file)) {
    if (ended !== undefined && isBlank(text)) continue;
    const value = jsonOfLine(text);
    isEmpty = false;
    if (number === 1) {
      checkRecordingHead(value);
      startedAt = startOf(value);
    } else {
      const message = toMessage(value);
      if (ended !== undefined) throw new RecordingError('badLine', number);
      ended = messagesAtEnd(value);
      if (ended !== undefined) continue;
      if (message !== undefined) messages.push(kept(message, keeps));
      else if (!isWhole) return { messages, isCut: true, startedAt };
      else throw new RecordingError('badLine', number);
    }
  }
  if (isEmpty) throw new RecordingError('noRecording');
  return { messages, isCut: ended !== messages.length, startedAt };
}

/** This format has no end mark. */
async function readMcporter(file: string, keeps: Keeps): Promise<Recording> {
  const messages: RecordedMessage[] = [];
  let begin: number | undefined;
  for await (const { text, number, isWhole } of linesOfFile(file)) {
    const line = toMcporterLine(jsonOfLine(text));
    if (line === undefined) {
      if (!isWhole) return { messages, isCut: true, startedAt: begin };
      throw new RecordingError('badLine', number);
    }
    const { time, server, to, message } = line;
    begin ??= time;
    if (to === undefined) continue;
    messages.push(kept({ at: Math.max(0, time - begin), server, to, message }, keeps));
  }
  return { messages, isCut: false, startedAt: begin };
}

function kept(message: RecordedMessage, keeps: Keeps): RecordedMessage {
  const { at, server, to } = message;
  return keeps(message) ? message : { at, server, to };
}

function startOf(head: unknown): number | undefined {
  const time = isObject(head) ? Date.parse(stringOrAbsent(head['recordedAt']) ?? '') : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** @throws {RecordingError} noRecording | otherVersion */
function checkRecordingHead(value: unknown): void {
  const version = isObject(value) ? value['mcprecord'] : undefined;
  if (typeof version !== 'number') throw new RecordingError('noRecording');
  if (version !== recordingVersion) throw new RecordingError('otherVersion');
}

/** Returns the number of messages that the last line states, or `undefined` for any other line. */
function messagesAtEnd(value: unknown): number | undefined {
  if (!isObject(value) || value['isEnd'] !== true) return undefined;
  return typeof value['messages'] === 'number' ? value['messages'] : -1;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

const factParsers = { at: finiteNumberOrAbsent, server: string, to: oneOf('server', 'client') };
const parseFacts = shape(factParsers);
const toMessage = shape({
  ...factParsers,
  message: optional((value) => (isObject(value) ? value : undefined)),
});

/** A message of a recording and the place of its line. */
export interface RecordingRow extends RecordedMessage {
  /** Byte offset in the file. */
  readonly offset: number;
  readonly bytes: number;
  readonly id?: string | number;
  readonly method?: string;
}

/** The beginning of a recording. */
export interface RecordingBeginning {
  readonly rows: readonly RecordingRow[];
  /** The servers that occur in it, in order of appearance. */
  readonly servers: readonly string[];
  /**
   * `ended`: complete. `cut`: the end is missing. `more`: the rest was not read. `broken`: the line
   * after the last row is malformed.
   */
  readonly end: 'ended' | 'cut' | 'more' | 'broken';
  /** Size of the whole file in bytes. */
  readonly size: number;
}

/** Limits how much of a file is read. */
const maxReadBytes = 32 * 1024 * 1024;
/** Parsing this much causes no noticeable pause. */
const maxParsedBytes = 256 * 1024;
const chunkBytes = 256 * 1024;
const maxServers = 100;
/** For a long line, only the members before its message are read. */
const maxFactsBytes = 8 * 1024;

/**
 * Reads the first messages of a recording for display: at most `maxRows`, and 32 MiB of the file.
 * Yields to other work, so the file may have any size and content.
 * @throws {RecordingError} unreadable | noRecording | otherVersion
 */
export async function readBeginning(file: string, maxRows: number): Promise<RecordingBeginning> {
  return reading(file, async (handle, size) => {
    const rows: RecordingRow[] = [];
    const servers = new Set<string>();
    const result = (end: RecordingBeginning['end']) => ({ rows, servers: [...servers], end, size });
    let isHead = true;
    let ended: number | undefined;
    for await (const { offset, text, isWhole, bytes } of linesOf(handle)) {
      if (isHead) checkRecordingHead(jsonOfLine(text));
      else {
        if (ended !== undefined && isBlank(text)) continue;
        if (ended !== undefined) return result('broken');
        ended = messagesAtEnd(text.length > maxFactsBytes ? undefined : parseText(text, anyValue));
        if (ended !== undefined) continue;
        if (rows.length === maxRows) return result('more');
        const row = rowOf(text, offset, bytes);
        if (row === undefined) return result(isWhole ? 'broken' : 'cut');
        rows.push(row);
        if (servers.size < maxServers) servers.add(row.server);
      }
      isHead = false;
    }
    if (isHead) throw new RecordingError('noRecording');
    if (size > maxReadBytes) return result('more');
    return result(ended === rows.length ? 'ended' : 'cut');
  });
}

/** Reads `bytes` of the file from `offset` as text. @throws {RecordingError} unreadable */
export async function readMessageLine(
  file: string,
  offset: number,
  bytes: number,
): Promise<string> {
  return reading(file, async (handle) => {
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await handle.read(buffer, 0, bytes, offset);
    return buffer.toString('utf8', 0, bytesRead);
  });
}

async function reading<T>(
  file: string,
  read: (handle: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  let handle: FileHandle | undefined;
  try {
    const opened = await openRegularFile(file);
    handle = opened.handle;
    return await read(handle, opened.size);
  } catch (error) {
    throw error instanceof RecordingError ? error : new RecordingError('unreadable');
  } finally {
    await handle?.close();
  }
}

interface Line {
  readonly offset: number;
  /** Without its line break. */
  readonly bytes: number;
  /** Only the beginning of a long line. */
  readonly text: string;
  readonly isWhole: boolean;
}

/** Keeps only as much of a line as is parsed. */
async function* linesOf(handle: FileHandle): AsyncGenerator<Line> {
  const chunk = Buffer.alloc(chunkBytes);
  let [position, offset, pieces, keptBytes] = [0, 0, [] as Buffer[], 0];
  const keep = (piece: Buffer): void => {
    const room = maxParsedBytes + 1 - keptBytes;
    if (room <= 0 || piece.length === 0) return;
    // Copied, because the chunk's buffer is reused.
    pieces.push(Buffer.from(piece.subarray(0, room)));
    keptBytes += Math.min(room, piece.length);
  };
  const line = (end: number, isWhole: boolean): Line => {
    const text = Buffer.concat(pieces).toString('utf8');
    const made = { offset, bytes: end - offset, text, isWhole };
    [pieces, keptBytes, offset] = [[], 0, end + 1];
    return made;
  };
  while (position < maxReadBytes) {
    const { bytesRead } = await handle.read(chunk, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    let begin = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, begin);
      if (end < 0 || end >= bytesRead) break;
      keep(chunk.subarray(begin, end));
      yield line(position + end, true);
      begin = end + 1;
    }
    keep(chunk.subarray(begin, bytesRead));
    position += bytesRead;
  }
  // At the read limit the last line may be incomplete.
  if (position > offset && position < maxReadBytes) yield line(position, false);
}

function rowOf(text: string, offset: number, bytes: number): RecordingRow | undefined {
  const isShort = bytes <= maxParsedBytes;
  const value = parseText(isShort ? text : factsText(text), anyValue);
  if (!isObject(value)) return undefined;
  const own = parseFacts(value);
  if (own === undefined) return undefined;
  const { message } = value;
  const { id, method } = isObject(message) ? message : value;
  return {
    offset,
    bytes,
    ...own,
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
    ...(typeof method === 'string' ? { method } : {}),
    ...(isObject(message) ? { message } : {}),
  };
}

/** Turns the members before the message into a JSON object of their own. */
function factsText(text: string): string {
  const end = text.slice(0, maxFactsBytes).indexOf(',"message":');
  return end < 0 ? '' : `${text.slice(0, end)}}`;
}

/** Limits the lines that are searched for server names. */
const maxLines = 16_000;
const maxChars = 32 * 1024 * 1024;
/** Parsing this much causes no noticeable pause. */
const maxParsedChars = 256 * 1024;

/**
 * Returns the servers in the beginning of a recording whose names can be stored.
 * @throws {RecordingError}
 */
export async function serversOfRecording(file: string): Promise<readonly string[]> {
  return (await namedIn(file)).filter(isRecordedText);
}

async function namedIn(file: string): Promise<readonly string[]> {
  // Rejects files that cannot be read. For our own format it reads only a line.
  const first = await readMessageLine(file, 0, firstBytes);
  if (isInspectorExport(first)) return [exportedServer(file)];
  if (isOfMcporter(first)) return serversOfMcporter(file);
  return (await readBeginning(file, maxLines)).servers;
}

async function serversOfMcporter(file: string): Promise<readonly string[]> {
  const servers = new Set<string>();
  let chars = 0;
  for await (const { text, number } of linesOfFile(file)) {
    chars += text.length;
    const line = text.length > maxParsedChars ? undefined : toMcporterLine(jsonOfLine(text));
    if (line?.to !== undefined && isRecordedText(line.server)) servers.add(line.server);
    if (number === maxLines || chars > maxChars || servers.size === maxServers) break;
  }
  return [...servers];
}
