import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isObject } from '../json/shapes';
import { maxMessageChars, recordingVersion, type RecordedMessage } from './recordedLine';
import { maxRecordingBytes, maxRecordingLines } from './recordingRoom';

/** With what stands around a message. */
const maxLineChars = maxMessageChars + 4_096;

/** What is wrong with a recording: sentences are made by whoever tells. */
export class RecordingError extends Error {
  constructor(
    readonly code:
      'unreadable' | 'tooLarge' | 'noRecording' | 'otherVersion' | 'badLine' | 'tooManyLines',
    /** From 1. */
    readonly line?: number,
  ) {
    super(line === undefined ? code : `${code} in line ${line}`);
    this.name = 'RecordingError';
  }
}

export interface Recording {
  /** In the order in which they were exchanged. */
  readonly messages: readonly RecordedMessage[];
  /** It has no end, or something is missing: whoever recorded was killed, or the file was cut. */
  readonly isCut: boolean;
}

/**
 * Reads a recording, which is as untrusted as a server: at most 256 MiB, 200,000 lines and 4 Mi
 * characters in a message. @throws {RecordingError}
 */
export async function readRecording(file: string): Promise<Recording> {
  const facts = await stat(file).catch(() => undefined);
  if (facts?.isFile() !== true) throw new RecordingError('unreadable');
  if (facts.size > maxRecordingBytes) throw new RecordingError('tooLarge');
  const messages: RecordedMessage[] = [];
  let number = 0;
  let ended: number | undefined;
  for await (const { text, isWhole } of linesOfFile(file)) {
    number += 1;
    if (number > maxRecordingLines) throw new RecordingError('tooManyLines', number);
    const value = parseLine(text);
    if (number === 1) checkHead(value);
    else {
      const message = toMessage(value);
      if (ended !== undefined) throw new RecordingError('badLine', number);
      ended = messagesAtEnd(value);
      if (ended !== undefined) continue;
      if (message !== undefined) messages.push(message);
      else if (!isWhole) return { messages, isCut: true };
      else throw new RecordingError('badLine', number);
    }
  }
  if (number === 0) throw new RecordingError('noRecording');
  return { messages, isCut: ended !== messages.length };
}

async function* linesOfFile(file: string): AsyncGenerator<{ text: string; isWhole: boolean }> {
  let rest = '';
  let number = 1;
  try {
    for await (const chunk of createReadStream(file, 'utf8')) {
      const pieces = (rest + String(chunk)).split('\n');
      rest = pieces.pop() ?? '';
      for (const text of pieces) {
        yield { text, isWhole: true };
        number += 1;
      }
      if (rest.length > maxLineChars) throw new RecordingError('badLine', number);
    }
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    throw new RecordingError('unreadable');
  }
  if (rest.trim() !== '') yield { text: rest, isWhole: false };
}

function parseLine(text: string): unknown {
  if (text.length > maxLineChars) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // The caller knows which line it is.
    return undefined;
  }
}

/** @throws {RecordingError} noRecording | otherVersion */
export function checkHead(value: unknown): void {
  const version = isObject(value) ? value['mcprecord'] : undefined;
  if (typeof version !== 'number') throw new RecordingError('noRecording');
  if (version !== recordingVersion) throw new RecordingError('otherVersion');
}

/** How many messages the last line tells of; `undefined` for any other line. */
function messagesAtEnd(value: unknown): number | undefined {
  if (!isObject(value) || value['isEnd'] !== true) return undefined;
  return typeof value['messages'] === 'number' ? value['messages'] : -1;
}

function toMessage(value: unknown): RecordedMessage | undefined {
  if (!isObject(value)) return undefined;
  const { at, server, to, message } = value;
  if (typeof at !== 'number' || !Number.isFinite(at) || typeof server !== 'string')
    return undefined;
  if (to !== 'server' && to !== 'client') return undefined;
  if (message === undefined) return { at, server, to };
  return isObject(message) ? { at, server, to, message } : undefined;
}
