import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isObject } from '../json/shapes';
import { maxMessageChars, recordingVersion, type RecordedMessage } from './recordedLine';

/** Larger ones are read by nobody, and would fill the memory. */
const maxBytes = 256 * 1024 * 1024;
const maxLines = 200_000;
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
  /** The last line is not whole: whoever recorded was killed, or the file was cut. */
  readonly isCut: boolean;
}

/**
 * Reads a recording, which is as untrusted as a server: at most 256 MiB, 200,000 lines and 4 Mi
 * characters in a message. @throws {RecordingError}
 */
export async function readRecording(file: string): Promise<Recording> {
  const facts = await stat(file).catch(() => undefined);
  if (facts?.isFile() !== true) throw new RecordingError('unreadable');
  if (facts.size > maxBytes) throw new RecordingError('tooLarge');
  const messages: RecordedMessage[] = [];
  let number = 0;
  for await (const { text, isWhole } of linesOfFile(file)) {
    number += 1;
    if (number > maxLines) throw new RecordingError('tooManyLines', number);
    const value = parseLine(text);
    if (number === 1) checkHead(value);
    else {
      const message = toMessage(value);
      if (message !== undefined) messages.push(message);
      else if (!isWhole) return { messages, isCut: true };
      else throw new RecordingError('badLine', number);
    }
  }
  if (number === 0) throw new RecordingError('noRecording');
  return { messages, isCut: false };
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

function checkHead(value: unknown): void {
  const version = isObject(value) ? value['mcprecord'] : undefined;
  if (typeof version !== 'number') throw new RecordingError('noRecording');
  if (version !== recordingVersion) throw new RecordingError('otherVersion');
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
