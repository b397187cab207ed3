import { stat } from 'node:fs/promises';
import { openRegularFile } from '../bounds/regularFile';
import { finiteNumberOrAbsent, isObject, stringOrAbsent } from '../json/shapes';
import { isInspectorExport, readInspectorExport, toMcporterLine } from './inspectorExport';
import { recordingVersion, type RecordedMessage, maxRecordingBytes } from './recordedLine';
import { linesOfFile, jsonOfLine, RecordingError } from './recordingLines';

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
  const first = await readFirstChars(file);
  if ((await stat(file)).size > maxRecordingBytes) throw new RecordingError('tooLarge');
  if (isInspectorExport(first)) {
    return { ...(await readInspectorExport(file)), isCut: false, isOfAnyServer: true };
  }
  return toMcporterLine(jsonOfLine(first.split('\n')[0] ?? '')) === undefined
    ? readOwn(file, keeps)
    : readMcporter(file, keeps);
}

/** Reads the beginning of a file as text. @throws {RecordingError} unreadable */
export async function readFirstChars(file: string): Promise<string> {
  try {
    const { handle } = await openRegularFile(file);
    try {
      const buffer = Buffer.alloc(firstBytes);
      const { bytesRead } = await handle.read(buffer, 0, firstBytes, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    throw new RecordingError('unreadable');
  }
}

async function readOwn(file: string, keeps: Keeps): Promise<Recording> {
  const messages: RecordedMessage[] = [];
  let isEmpty = true;
  let ended: number | undefined;
  let startedAt: number | undefined;
  for await (const { text, number, isWhole } of linesOfFile(file)) {
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
export function checkRecordingHead(value: unknown): void {
  const version = isObject(value) ? value['mcprecord'] : undefined;
  if (typeof version !== 'number') throw new RecordingError('noRecording');
  if (version !== recordingVersion) throw new RecordingError('otherVersion');
}

/** Returns the number of messages that the last line states, or `undefined` for any other line. */
function messagesAtEnd(value: unknown): number | undefined {
  if (!isObject(value) || value['isEnd'] !== true) return undefined;
  return typeof value['messages'] === 'number' ? value['messages'] : -1;
}

function toMessage(value: unknown): RecordedMessage | undefined {
  if (!isObject(value)) return undefined;
  const { server, to, message } = value;
  const at = finiteNumberOrAbsent(value['at']);
  if (at === undefined || typeof server !== 'string') return undefined;
  if (to !== 'server' && to !== 'client') return undefined;
  if (message === undefined) return { at, server, to };
  return isObject(message) ? { at, server, to, message } : undefined;
}
