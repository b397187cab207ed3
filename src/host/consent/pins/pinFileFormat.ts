import { isObject } from '../../../core/json/shapes';
import {
  isFingerprint,
  fingerprint as fingerprintOf,
  type Fingerprint,
} from '../facts/fingerprints';
import { type FileHandle, link, mkdir, open, rm, stat } from 'node:fs/promises';
import { WorkTurns } from '../../../core/bounds/workTurns';
import { constants } from 'node:fs';
import path from 'node:path';
import { renameOver, writeAtomically } from '../../storage/atomicWrite';
import type { ToolEntry } from '../../connections/snapshot';
import { isDistinctFingerprint, type ToolFingerprints } from './pinDefinition';
import { ifNotFound } from '../../../core/bounds/systemError';
import { anyValue, parseText } from '../../../core/parse/parsers';

// The file of a server's pins: a line that names the server, then one line for each accepted
// definition, `[name, fingerprint, firstSeenAt, acceptedAt]<tab>definition`, or `[name]` for an
// accepted removal. The last line of a name counts, so that accepting appends, and two windows that
// accept at the same time lose nothing. JSON contains no tab, so a line can be read without its
// definition.

const tab = 0x09;
const newline = 0x0a;

/** Increased when an older extension could misread newer files. */
const version = 1;

export interface PinHeader {
  /** Changes each time the file is rewritten. */
  readonly id: string;
  readonly server: string;
}

export function headerLine({ id, server }: PinHeader): string {
  return `${JSON.stringify({ toolgatePins: version, id, server })}\n`;
}

/** Parses the header, or returns why it is invalid. */
export function parseHeader(line: string): PinHeader | 'notARecord' | 'otherVersion' {
  const value = parseText(line, anyValue);
  if (!isObject(value)) return 'notARecord';
  const { toolgatePins, id, server } = value;
  if (typeof toolgatePins === 'number' && toolgatePins > version) return 'otherVersion';
  if (toolgatePins !== version || typeof id !== 'string' || typeof server !== 'string') {
    return 'notARecord';
  }
  return { id, server };
}

/** The accepted state of one tool, and its times. */
export interface Pin extends AcceptedTool {
  /** Milliseconds since the epoch. */
  readonly firstSeenAt: number;
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number;
}

/** A newly accepted definition, or without a definition the removal of a tool. */
export interface PinChange {
  readonly name: string;
  readonly pin?: Pin;
  /** One line of JSON, for {@link pin}. */
  readonly definition?: string;
}

export function changeLine({ name, pin, definition }: PinChange): string {
  if (pin === undefined) return `${JSON.stringify([name])}\n`;
  const head = [name, pin.fingerprint, pin.firstSeenAt, pin.acceptedAt];
  return `${JSON.stringify(head)}\t${definition ?? '{}'}\n`;
}

/** A pin with the position of its definition. */
export interface PlacedPin extends Pin {
  /** Byte offset in the file. */
  readonly offset?: number;
  readonly length?: number;
  /** Set if the file could not be written. */
  readonly definition?: string;
}

export interface PlacedChange {
  readonly name: string;
  readonly pin?: PlacedPin;
}

/** Parses a line that begins at `offset`; returns `undefined` for an invalid line. */
export function parseLine(line: Buffer, offset: number): PlacedChange | undefined {
  const at = line.indexOf(tab);
  const value = parseText(line.toString('utf8', 0, at < 0 ? line.length : at), anyValue);
  if (!Array.isArray(value)) return undefined;
  const parts: readonly unknown[] = value;
  const [name, fingerprint, firstSeenAt, acceptedAt] = parts;
  if (typeof name !== 'string') return undefined;
  if (parts.length === 1) return { name };
  if (!isFingerprint(fingerprint) || at < 0) return undefined;
  if (typeof firstSeenAt !== 'number' || typeof acceptedAt !== 'number') return undefined;
  const place = { offset: offset + at + 1, length: line.length - at - 1 };
  return { name, pin: { fingerprint, firstSeenAt, acceptedAt, ...place } };
}

const blockBytes = 256 * 1024;
const maxHeaderBytes = 16 * 1024;
/** Valid lines are far shorter. */
const maxLineBytes = 4 * 1024 * 1024;

/**
 * Returns the first line and the offset of the second; `''` if there is no such line of at most 16
 * KiB.
 */
export async function readPinHeader(handle: FileHandle): Promise<{ line: string; end: number }> {
  const header = Buffer.alloc(maxHeaderBytes);
  const { bytesRead } = await handle.read(header, 0, maxHeaderBytes, 0);
  const end = header.subarray(0, bytesRead).indexOf(newline);
  return { line: end < 0 ? '' : header.toString('utf8', 0, end), end: end + 1 };
}

/**
 * Passes every complete line from `start` on to `take`, with its offset, in slices. Resolves with
 * the end of the last one, and whether a partial line follows.
 */
export async function readLines(
  handle: FileHandle,
  start: number,
  take: (line: Buffer, offset: number) => void,
): Promise<{ end: number; isTorn: boolean }> {
  const turns = new WorkTurns();
  let end = start;
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    const block = Buffer.allocUnsafe(blockBytes);
    const { bytesRead } = await handle.read(block, 0, blockBytes, end + rest.length);
    if (bytesRead === 0) return { end, isTorn: rest.length > 0 };
    const bytes = Buffer.concat([rest, block.subarray(0, bytesRead)]);
    let from = 0;
    for (let to = bytes.indexOf(newline); to >= 0; to = bytes.indexOf(newline, from)) {
      if (turns.isOver) await turns.giveWay();
      take(bytes.subarray(from, to), end);
      end += to + 1 - from;
      from = to + 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > maxLineBytes) throw new Error('a line without end');
  }
}

/**
 * Reads the definition of a pin. If the file was rewritten at this moment, the text is no
 * definition, or another one, which is only shown.
 */
export async function readDefinition(
  handle: FileHandle,
  { offset, length }: PlacedPin,
): Promise<string> {
  if (offset === undefined || length === undefined) return '{}';
  const bytes = Buffer.alloc(length);
  await handle.read(bytes, 0, length, offset);
  return bytes.toString('utf8');
}

/** Adds a line to the output; resolves when there is room for more. */
export type WriteLine = (line: string) => Promise<void>;

const blockChars = 256 * 1024;

/** Appends lines to an existing file. @throws what the file system throws */
export async function appendLines(
  file: string,
  fill: (write: WriteLine) => Promise<void>,
): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_APPEND);
  try {
    await writeLines(handle, fill);
  } finally {
    await handle.close();
  }
}

/**
 * Writes a complete file and then renames it, so that it is never seen incomplete. With `replaces`
 * it replaces an existing file, which otherwise stays.
 * @throws what the file system throws
 */
export async function writeWhole(
  file: string,
  fill: (write: WriteLine) => Promise<void>,
  replaces: boolean,
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const fillLines = (handle: FileHandle): Promise<void> => writeLines(handle, fill);
  await writeAtomically(file, fillLines, replaces ? {} : { place: linkOrRename });
}

/** Combines lines into larger writes, in slices. */
async function writeLines(
  handle: FileHandle,
  fill: (write: WriteLine) => Promise<void>,
): Promise<void> {
  const turns = new WorkTurns();
  let lines: string[] = [];
  let chars = 0;
  const flush = async (): Promise<void> => {
    const text = lines.join('');
    lines = [];
    chars = 0;
    if (text !== '') await handle.writeFile(text);
  };
  await fill(async (line) => {
    lines.push(line);
    chars += line.length;
    if (chars >= blockChars) await flush();
    if (turns.isOver) await turns.giveWay();
  });
  await flush();
}

/** Some file systems have no links. */
async function linkOrRename(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    if (!(await exists(to))) await renameOver(from, to);
  }
  await rm(from, { force: true });
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(() => true, ifNotFound(false));
}

/** Differences between the tools of a running server and the accepted ones, by name. */
export interface ToolMarks {
  readonly new: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
  /** Accepted tools that are no longer listed, in the order of acceptance. */
  readonly gone: readonly string[];
}

export const noMarks: ToolMarks = { new: new Set(), changed: new Set(), gone: [] };

/** The accepted definition of one tool. */
interface AcceptedTool {
  readonly fingerprint: Fingerprint;
}

/** Compares a definition with the accepted one of the same name. */
export function toolMark(
  accepted: AcceptedTool | undefined,
  fingerprint: Fingerprint,
): 'known' | 'new' | 'changed' {
  // Without a distinct fingerprint, it is unknown whether the definition is the accepted one.
  if (accepted === undefined || !isDistinctFingerprint(fingerprint)) return 'new';
  return accepted.fingerprint === fingerprint ? 'known' : 'changed';
}

export interface ToolsToMark {
  readonly entries: readonly ToolEntry[];
  /** False if the list is incomplete, so that missing tools may still exist. */
  readonly isComplete: boolean;
}

const maxKeyChars = 512;

/** Returns the name under which a tool is stored, because names have no length limit. */
export function pinName(name: string): string {
  return name.length <= maxKeyChars ? name : `${name.slice(0, 100)}… ${fingerprintOf(name)}`;
}

/** Compares a list with the accepted tools, in slices. */
export async function toolMarks(
  { entries, isComplete }: ToolsToMark,
  accepted: ReadonlyMap<string, AcceptedTool>,
  fingerprints: ToolFingerprints,
): Promise<ToolMarks> {
  const marks = { new: new Set<string>(), changed: new Set<string>() };
  const listed = new Set<string>();
  const turns = new WorkTurns();
  for (const { tool } of entries) {
    if (turns.isOver) await turns.giveWay();
    const name = pinName(tool.name);
    listed.add(name);
    if (!tool.callable) continue;
    const mark = toolMark(accepted.get(name), fingerprints.of(tool));
    if (mark !== 'known') marks[mark].add(tool.name);
  }
  const gone: string[] = [];
  for (const name of isComplete ? accepted.keys() : []) {
    if (turns.isOver) await turns.giveWay();
    if (!listed.has(name)) gone.push(name);
  }
  return { ...marks, gone };
}

export function isSameMarks(one: ToolMarks, other: ToolMarks): boolean {
  return (
    isSameSet(one.new, other.new) &&
    isSameSet(one.changed, other.changed) &&
    one.gone.length === other.gone.length &&
    one.gone.every((name, index) => name === other.gone[index])
  );
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one.size !== other.size) return false;
  for (const name of one) if (!other.has(name)) return false;
  return true;
}
