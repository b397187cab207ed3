import { accessSync, closeSync, constants, lstatSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ConnectionLog } from '../core/log';
import { parsePointerSteps, type PointerSteps } from '../core/json/jsonPointer';
import {
  recordedLine,
  recordingEnd,
  recordingHead,
  RecordingRoom,
} from '../core/recording/recordedLine';
import { UsageError } from './exitCodes';

export interface RecorderOptions {
  readonly file: string;
  /** JSON pointers into messages whose values are left out. */
  readonly omit: readonly string[];
  readonly redact: (text: string) => string;
  /** Called once when the recording is full. */
  readonly onFull: () => void;
  /** Called once when the file cannot be written; recording stops then. */
  readonly onFailed: () => void;
}

/**
 * Records messages of servers in a new file. The file is created with the first message or by
 * {@link begin}, so that a mistyped command leaves no file.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #omitted: readonly PointerSteps[];
  readonly #beginning = new Date();
  readonly #startedAt = performance.now();
  #handle: number | undefined;
  #room: RecordingRoom | undefined;
  #isOver = false;
  #hasFailed = false;

  /** @throws {UsageError} if the file exists or cannot be created, or a pointer is not valid */
  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#omitted = options.omit.map((text) => {
      const steps = parsePointerSteps(text);
      if (steps === undefined) throw new UsageError(`${text} is not a JSON pointer.`);
      return steps;
    });
    checkPlace(options.file);
  }

  /** The file could not be written, so that something is missing. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Makes the file, unless it was made. */
  begin(): void {
    this.#attempt(() => this.#open());
  }

  /** Returns a log of one server that also records its messages. */
  recordingLog(log: ConnectionLog, server: string): ConnectionLog {
    return {
      ...log,
      exchanged: (direction, message) => {
        if (this.#isOver || typeof message !== 'object' || message === null) return;
        const to = direction === 'sent' ? 'server' : 'client';
        const at = Math.round(performance.now() - this.#startedAt);
        const { redact } = this.#options;
        const line = recordedLine({ at, server, to, message }, redact, this.#omitted);
        this.#attempt(() => this.#take(this.#open(), line));
      },
    };
  }

  end(): void {
    this.#attempt(() => this.#finish());
    this.#isOver = true;
    const handle = this.#handle;
    this.#handle = undefined;
    if (handle !== undefined) closeSync(handle);
  }

  /** A failed write must not fail the exchange of messages. */
  #attempt(write: () => void): void {
    if (this.#isOver) return;
    try {
      write();
    } catch {
      // The user is told of a full disk and of a missing folder alike.
      this.#isOver = true;
      this.#hasFailed = true;
      this.#options.onFailed();
    }
  }

  #open(): number {
    if (this.#handle !== undefined) return this.#handle;
    const handle = openSync(this.#options.file, 'wx', 0o600);
    this.#handle = handle;
    const head = bytesOf(recordingHead(this.#beginning));
    this.#room = new RecordingRoom(head);
    writeFileSync(handle, head);
    return handle;
  }

  #take(handle: number, line: string): void {
    const bytes = bytesOf(line);
    if (this.#room?.take(bytes) !== true) {
      // A recording that is full is not whole and gets no end.
      this.#isOver = true;
      this.#options.onFull();
      return;
    }
    // Writes at once, so that the recording of a killed run has all messages until then.
    writeFileSync(handle, bytes);
  }

  #finish(): void {
    if (this.#handle === undefined || this.#room === undefined) return;
    writeFileSync(this.#handle, bytesOf(recordingEnd(this.#room.messages)));
  }
}

function bytesOf(line: string): Buffer {
  return Buffer.from(`${line}\n`);
}

/** @throws {UsageError} */
function checkPlace(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
    throw new UsageError(`${file} already exists.`);
  }
  try {
    accessSync(path.dirname(file), constants.W_OK);
  } catch (error) {
    throw new UsageError(`${file} cannot be written.`, { cause: error });
  }
}
