import { createHash } from 'node:crypto';
import { mkdir, rm, stat, access, link, rename } from 'node:fs/promises';
import path from 'node:path';
import { openRegularFile, readWhole, refuseOtherKinds } from '../../core/bounds/regularFile';
import { parseJson } from '../../core/json/parseJson';
import { isObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { temporaryEnding, writeAtomically } from './atomicWrite';
import { isNotFound, systemErrorCode } from '../../core/bounds/systemError';

/** Ending of the names of record files. Other files are ignored. */
export const recordEnding = '.json';

/**
 * Names that are valid on every system. Upper case is excluded, because some systems ignore case.
 */
const safeKey = /^[a-z0-9][a-z0-9_-]{0,99}$/;
const reservedOnWindows = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** Identifies the version of a file without reading it: inode, time of writing, size. */
export type FileStamp = string;

/** The content of a record file, unless it is too large. */
type RecordBytes =
  | { readonly kind: 'bytes'; readonly stamp: FileStamp; readonly bytes: Uint8Array }
  | { readonly kind: 'tooLarge'; readonly stamp: FileStamp };

/**
 * Returns the file name of a record: the key itself if it is a valid name, otherwise its hash.
 * Different keys never share a name.
 */
export function recordFileName(key: string): string {
  if (safeKey.test(key) && !reservedOnWindows.test(key)) return key + recordEnding;
  // Hashed as JSON, because UTF-8 would lose half a surrogate pair and merge two keys.
  const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex');
  return `~${hash}${recordEnding}`;
}

export function isRecordFile(name: string): boolean {
  return name.endsWith(recordEnding);
}

/**
 * Returns the stamp of a file. @throws {FileRefusedError} for anything but a regular file; what the
 * file system throws
 */
export async function fileStamp(file: string): Promise<FileStamp> {
  return toStamp(file, await stat(file, { bigint: true }));
}

/** Reads a file with its stamp. @throws what the file system throws */
export async function readRecordFile(file: string, maxBytes: number): Promise<RecordBytes> {
  const { handle, size } = await openRegularFile(file);
  try {
    const stamp = toStamp(file, await handle.stat({ bigint: true }));
    if (size > maxBytes) return { kind: 'tooLarge', stamp };
    return { kind: 'bytes', stamp, bytes: await readWhole(handle, file, size, maxBytes) };
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a record file, and creates the folder if necessary.
 * @throws what the file system throws; the old content stays then
 */
export async function writeRecordFile(file: string, text: string): Promise<FileStamp> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  return toStamp(file, await writeAtomically(file, (handle) => handle.writeFile(text)));
}

/** Returns true for the name of a temporary file; see {@link removeLeftover}. */
export function isTemporary(name: string): boolean {
  return name.endsWith(temporaryEnding) && name.includes(`${recordEnding}.`);
}

/** Longer than any write takes, even if the machine slept meanwhile. */
const leftoverAfterMs = 60 * 60 * 1_000;

/** Removes the temporary file of a window that died. Never rejects. */
export async function removeLeftover(file: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > leftoverAfterMs) await rm(file, { force: true });
  } catch {
    // The file is gone or cannot be removed. It is never read, so it does no harm.
  }
}

interface FileFacts {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  isFile(): boolean;
  isDirectory(): boolean;
}

function toStamp(file: string, facts: FileFacts): FileStamp {
  refuseOtherKinds(file, facts);
  return `${facts.ino} ${facts.mtimeNs} ${facts.size}`;
}

/** Increased when an older extension could misread newer records. */
const version = 1;

/** The fault in the content of a file. */
export type RecordFault =
  | 'notJson'
  /** Valid JSON, but not a valid record. */
  | 'notARecord'
  /** The record of another file, which was copied or renamed. */
  | 'otherKey'
  | 'tooLarge'
  /** Written by a newer version. */
  | 'otherVersion';

export interface StoredRecord<T> {
  readonly kind: 'record';
  readonly key: string;
  readonly record: T;
  /** See {@link RecordOrder}; undefined in records of older versions. */
  readonly order?: number;
}

type ParsedRecord<T> =
  | StoredRecord<T>
  | { readonly kind: 'fault'; readonly fault: RecordFault; readonly detail: string };

/**
 * Returns the text of a record, formatted for readers as well.
 * @throws {Error} if it is nested too deeply, or larger than `maxBytes`
 */
export function recordText(
  key: string,
  record: object,
  { order, maxBytes = Infinity }: { readonly order?: number; readonly maxBytes?: number } = {},
): string {
  const text = `${stringifyExactly({ version, key, order, record }, 2)}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  throw new Error(`the record has ${bytes} bytes, more than ${maxBytes}`);
}

/** Parses the record in a file of this name. Never throws. */
export function parseRecordBytes<T>(
  content: RecordBytes,
  fileName: string,
  parse: (value: unknown) => T | undefined,
): ParsedRecord<T> {
  if (content.kind === 'tooLarge') return fault('tooLarge');
  let value: unknown;
  try {
    // Strict, because invalid UTF-8 would be written back altered.
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(content.bytes));
  } catch (error) {
    return fault('notJson', error);
  }
  if (!isObject(value)) return fault('notARecord');
  if (value.version !== version) {
    const isNewer = typeof value.version === 'number' && value.version > version;
    return fault(isNewer ? 'otherVersion' : 'notARecord');
  }
  const { key, order } = value;
  if (typeof key !== 'string') return fault('notARecord');
  if (recordFileName(key) !== fileName) return fault('otherKey');
  try {
    const record = parse(value.record);
    if (record === undefined) return fault('notARecord');
    return {
      kind: 'record',
      key,
      record,
      ...(Number.isSafeInteger(order) ? { order: Number(order) } : {}),
    };
  } catch (error) {
    return fault('notARecord', error);
  }
}

function fault(code: RecordFault, error?: unknown): ParsedRecord<never> {
  const detail = error instanceof Error ? error.message : code;
  return { kind: 'fault', fault: code, detail };
}

/**
 * Sorts by time, latest first. `items` have to be in the order in which they were stored: of two
 * with the same time, the one stored later counts as later.
 */
export function latestFirst<T>(items: readonly T[], timeOf: (item: T) => number): T[] {
  return items.toReversed().toSorted((one, other) => timeOf(other) - timeOf(one));
}

/**
 * Returns two of `items`, the older one first, by the same rule. An item that is not among `items`
 * counts as stored later.
 */
export function olderFirst<T>(
  items: readonly T[],
  timeOf: (item: T) => number,
  one: T,
  other: T,
): readonly [T, T] {
  const placeOf = (item: T): number => {
    const place = items.indexOf(item);
    return place === -1 ? items.length : place;
  };
  const difference = timeOf(one) - timeOf(other) || placeOf(one) - placeOf(other);
  return difference <= 0 ? [one, other] : [other, one];
}

/** Waits for all promises before it throws the first error. */
export async function settleAll(works: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(works);
  const failed = settled.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Above this number, files stay where they are, because something breaks them again and again. */
const maxSetAside = 100;

/**
 * Renames a file that is no record, so that it is not read as one. Its content stays. Returns
 * `undefined` if it is gone or was replaced since it had this stamp. @throws what the file system
 * throws
 */
export async function setAside(file: string, stamp: FileStamp): Promise<string | undefined> {
  const aside = await freeName(file);
  try {
    await rename(file, aside);
  } catch (error) {
    // Another window was faster.
    if (isNotFound(error)) return undefined;
    throw error;
  }
  if ((await fileStamp(aside)) === stamp) return path.basename(aside);
  // Another window stored a valid record between check and rename: restore it, unless there is a
  // newer one.
  await link(aside, file).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  });
  await rm(aside);
  return undefined;
}

async function freeName(file: string): Promise<string> {
  for (let count = 1; count <= maxSetAside; count += 1) {
    const name = `${file}.corrupt-${count}`;
    try {
      await access(name);
    } catch (error) {
      if (isNotFound(error)) return name;
      throw error;
    }
  }
  throw new Error(`more than ${maxSetAside} files were set aside beside '${file}'`);
}

/** Returns true for the name of a file that was set aside. */
function isSetAside(name: string): boolean {
  return /\.corrupt-\d+$/.test(name);
}

/** Returns true if it is a record file, or was one before it was set aside. */
export function wasRecordFile(name: string): boolean {
  return isRecordFile(name) || isSetAside(name);
}
