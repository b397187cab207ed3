import { openRegularFile } from '../bounds/regularFile';
import { maxMessageChars, maxRecordingLines } from './recordedLine';
import { parseFollowedJson } from '../json/parseJson';

/** Includes the members around a message. */
const maxLineChars = maxMessageChars + 4_096;

export interface TextLine {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** True if it ends with a line break. */
  readonly isWhole: boolean;
}

/**
 * Reads the lines of a file, at most 200,000. @throws {RecordingError} unreadable | badLine |
 * tooManyLines
 */
export async function* linesOfFile(file: string): AsyncGenerator<TextLine> {
  let rest = '';
  let number = 1;
  const line = (text: string, isWhole: boolean): TextLine => {
    if (number > maxRecordingLines) throw new RecordingError('tooManyLines', number);
    const made = { text, number, isWhole };
    number += 1;
    return made;
  };
  try {
    const { handle } = await openRegularFile(file);
    for await (const chunk of handle.createReadStream({ encoding: 'utf8' })) {
      const [first = '', ...pieces] = String(chunk).split('\n');
      // Appended without searching it again, because a long line comes in many chunks.
      rest += first;
      for (const piece of pieces) {
        yield line(rest, true);
        rest = piece;
      }
      if (rest.length > maxLineChars) throw new RecordingError('badLine', number);
    }
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    throw new RecordingError('unreadable');
  }
  if (rest.trim() !== '') yield line(rest, false);
}

/** Returns `undefined` if the line is not JSON or too long; the caller knows the line number. */
export function jsonOfLine(text: string): unknown {
  if (text.length > maxLineChars) return undefined;
  try {
    return parseFollowedJson(text);
  } catch {
    return undefined;
  }
}

/** A problem of a recording. The caller makes the message. */
export class RecordingError extends Error {
  constructor(
    readonly code:
      | 'unreadable'
      | 'tooLarge'
      | 'noRecording'
      | 'brokenExport'
      | 'otherVersion'
      | 'badLine'
      | 'tooManyLines',
    /** Counted from 1. */
    readonly line?: number,
  ) {
    super(line === undefined ? code : `${code} in line ${line}`);
    this.name = 'RecordingError';
  }
}
