import type { FileHandle } from 'node:fs/promises';
import { openRegularFile } from '../bounds/regularFile';
import { isObject } from '../json/shapes';
import { checkHead } from './readRecording';
import { RecordingError } from './recordingError';

/** One message of a recording, and where its line is. */
export interface RecordingRow {
  /** From the beginning of the file, in bytes. */
  readonly offset: number;
  readonly bytes: number;
  /** Milliseconds after the beginning. */
  readonly at: number;
  readonly server: string;
  readonly to: 'server' | 'client';
  readonly id?: string | number;
  readonly method?: string;
  /** Absent where it was not kept, or its line is too long to be read for a row. */
  readonly message?: object;
}

/** The beginning of a recording. */
export interface RecordingBeginning {
  readonly rows: readonly RecordingRow[];
  /** Those that are named in it, in their order. */
  readonly servers: readonly string[];
  /**
   * `ended`: nothing is missing. `cut`: it has no end. `more`: what follows was not read. `broken`:
   * the line after the last row is none.
   */
  readonly end: 'ended' | 'cut' | 'more' | 'broken';
  /** Of the whole file, in bytes. */
  readonly size: number;
}

/** However large the file is, no more of it is read. */
const maxReadBytes = 32 * 1024 * 1024;
/** What is parsed without a pause that anybody feels. */
const maxParsedBytes = 256 * 1024;
const chunkBytes = 256 * 1024;
const maxServers = 100;
/** Of a long line, what stands before its message. */
const maxFactsBytes = 8 * 1024;

/**
 * The first messages of a recording, at most `maxRows`, and at most 32 MiB of the file: for whoever
 * looks at it, in turns, so that it can be of any size and made by anybody.
 * @throws {RecordingError} unreadable | noRecording | otherVersion
 */
export async function readBeginning(file: string, maxRows: number): Promise<RecordingBeginning> {
  return reading(file, async (handle, size) => {
    const rows: RecordingRow[] = [];
    const servers = new Set<string>();
    const result = (end: RecordingBeginning['end']) => ({ rows, servers: [...servers], end, size });
    let isHead = true;
    for await (const { offset, text, isWhole, bytes } of linesOf(handle)) {
      if (isHead) checkHead(parsed(text));
      else {
        if (isEnd(text)) return result(offset + bytes + 1 >= size ? 'ended' : 'broken');
        if (rows.length === maxRows) return result('more');
        const row = rowOf(text, offset, bytes);
        if (row === undefined) return result(isWhole ? 'broken' : 'cut');
        rows.push(row);
        if (servers.size < maxServers) servers.add(row.server);
      }
      isHead = false;
    }
    if (isHead) throw new RecordingError('noRecording');
    return result(size > maxReadBytes ? 'more' : 'cut');
  });
}

/** `bytes` of the file from `offset` on, as text. @throws {RecordingError} unreadable */
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
  /** Of a long line only the beginning. */
  readonly text: string;
  readonly isWhole: boolean;
}

/** Keeps no more of a line than is parsed. */
async function* linesOf(handle: FileHandle): AsyncGenerator<Line> {
  const chunk = Buffer.alloc(chunkBytes);
  let [position, offset, kept, keptBytes] = [0, 0, [] as Buffer[], 0];
  const keep = (piece: Buffer): void => {
    const room = maxParsedBytes + 1 - keptBytes;
    if (room <= 0 || piece.length === 0) return;
    // The chunk is read into again.
    kept.push(Buffer.from(piece.subarray(0, room)));
    keptBytes += Math.min(room, piece.length);
  };
  const line = (end: number, isWhole: boolean): Line => {
    const text = Buffer.concat(kept).toString('utf8');
    const made = { offset, bytes: end - offset, text, isWhole };
    [kept, keptBytes, offset] = [[], 0, end + 1];
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
  // Past the bound nobody knows whether it is whole.
  if (position > offset && position < maxReadBytes) yield line(position, false);
}

function rowOf(text: string, offset: number, bytes: number): RecordingRow | undefined {
  const isShort = bytes <= maxParsedBytes;
  const value = parsed(isShort ? text : factsText(text));
  if (!isObject(value)) return undefined;
  const { at, server, to, message } = value;
  if (typeof at !== 'number' || typeof server !== 'string') return undefined;
  if (!Number.isFinite(at) || (to !== 'server' && to !== 'client')) return undefined;
  const named = isObject(message) ? message : value;
  const { id, method } = named;
  return {
    offset,
    bytes,
    at,
    server,
    to,
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
    ...(typeof method === 'string' ? { method } : {}),
    ...(isObject(message) ? { message } : {}),
  };
}

/** What we write before a message, as JSON of its own. */
function factsText(text: string): string {
  const end = text.slice(0, maxFactsBytes).indexOf(',"message":');
  return end < 0 ? '' : `${text.slice(0, end)}}`;
}

function isEnd(text: string): boolean {
  if (text.length > maxFactsBytes) return false;
  const value = parsed(text);
  return isObject(value) && value['isEnd'] === true;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // Whoever asks says what that means.
    return undefined;
  }
}
