import { randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, lstatSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ValueOrigin } from '../core/callFiles/generatedValues';
import type { ConnectionLog } from '../core/log';
import { parseSteps, type PointerSteps } from '../core/json/jsonPointer';
import { recordedLine, recordingEnd, recordingHead } from '../core/recording/recordedLine';
import { RecordingRoom } from '../core/recording/recordingRoom';
import { UsageError } from './exitCodes';

export interface RecorderOptions {
  readonly file: string;
  /** JSON pointers into messages whose values are left out. */
  readonly omit: readonly string[];
  readonly redact: (text: string) => string;
  /** Told once when there is no room for more. */
  readonly onFull: () => void;
  /** Told once when the file cannot be written; nothing is recorded from then on. */
  readonly onFailed: () => void;
}

/**
 * Writes what is exchanged with servers into a file that is not there yet. The file is made with the
 * first message, or by {@link begin}, so that a command that was typed wrongly leaves none.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #omitted: readonly PointerSteps[];
  /** What the values of this run are generated from, so that a replay can have the same. */
  readonly origin: ValueOrigin = { seed: randomUUID(), at: Date.now() };
  readonly #startedAt = performance.now();
  #handle: number | undefined;
  #room: RecordingRoom | undefined;
  #isOver = false;
  #hasFailed = false;

  /** @throws {UsageError} where the file is there already, or cannot be made, or a pointer is none */
  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#omitted = options.omit.map((text) => {
      const steps = parseSteps(text);
      if (steps === undefined) throw new UsageError(`${text} is no JSON pointer.`);
      return steps;
    });
    checkPlace(options.file);
  }

  /** Whether something is missing because the file could not be written. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Makes the file, unless it was made. */
  begin(): void {
    this.#attempt(() => this.#open());
  }

  /** `log` for a server, which also records. */
  besides(log: ConnectionLog, server: string): ConnectionLog {
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

  /** Whoever exchanges messages is not to fail because nobody can write them down. */
  #attempt(write: () => void): void {
    if (this.#isOver) return;
    try {
      write();
    } catch {
      // A full disk, a folder that is gone: the person is told, whichever it was.
      this.#isOver = true;
      this.#hasFailed = true;
      this.#options.onFailed();
    }
  }

  #open(): number {
    if (this.#handle !== undefined) return this.#handle;
    const handle = openSync(this.#options.file, 'wx', 0o600);
    this.#handle = handle;
    const { seed, at } = this.origin;
    const head = bytesOf(recordingHead(new Date(at), seed));
    this.#room = new RecordingRoom(head);
    writeFileSync(handle, head);
    return handle;
  }

  #take(handle: number, line: string): void {
    const bytes = bytesOf(line);
    if (this.#room?.take(bytes) !== true) {
      // What is full is not whole, and so has no end.
      this.#isOver = true;
      this.#options.onFull();
      return;
    }
    // At once: what is recorded of a run that is killed is what was exchanged until then.
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
    throw new UsageError(`${file} is there already.`);
  }
  try {
    accessSync(path.dirname(file), constants.W_OK);
  } catch (error) {
    throw new UsageError(`${file} cannot be written.`, { cause: error });
  }
}
