import { constants } from 'node:fs';
import { lstat, open, rm, type FileHandle } from 'node:fs/promises';
import type { PointerSteps } from '../../core/json/jsonPointer';
import {
  recordedLine,
  recordingEnd,
  recordingHead,
  RecordingRoom,
} from '../../core/recording/recordedLine';

export interface RecordingWriterOptions {
  /** The server's id in the recording. */
  readonly server: string;
  readonly redact: (text: string) => string;
  /** Pointers to values in messages that are left out. */
  readonly omitted: readonly PointerSteps[];
  /** Called once when recording stopped: there is no room, or the file cannot be written. */
  readonly onBroken: (why: 'full' | 'failed') => void;
}

/** Limit for unwritten messages. Recording stops when a slow disk cannot keep up. */
const maxWaitingBytes = 64 * 1024 * 1024;
/** Creates only a new file, and follows no link, pipe or file of another window. */
const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/**
 * Writes the messages of one server to a file in order, without delaying them. Only a complete
 * recording gets an end mark.
 */
export class RecordingWriter {
  readonly #options: RecordingWriterOptions;
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #room: RecordingRoom;
  readonly #startedAt = performance.now();
  #waiting: Buffer[];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #isOver = false;
  #isBroken = false;
  #isInPlace: Promise<boolean> | undefined;

  private constructor(file: string, handle: FileHandle, options: RecordingWriterOptions) {
    const head = bytesOf(recordingHead(new Date()));
    this.#file = file;
    this.#handle = handle;
    this.#options = options;
    this.#room = new RecordingRoom(head);
    this.#waiting = [head];
  }

  /**
   * Creates the file, readable by its owner only. Replaces an existing file, which the user agreed
   * to; the target of a link stays unchanged. @throws what the file system throws
   */
  static async open(file: string, options: RecordingWriterOptions): Promise<RecordingWriter> {
    await rm(file, { force: true });
    return new RecordingWriter(file, await open(file, flags, 0o600), options);
  }

  /** Number of recorded messages. */
  get messages(): number {
    return this.#room.messages;
  }

  take(direction: 'sent' | 'received', message: unknown): void {
    if (this.#isOver || typeof message !== 'object' || message === null) return;
    const { server, redact, omitted } = this.#options;
    const to = direction === 'sent' ? 'server' : 'client';
    const at = Math.round(performance.now() - this.#startedAt);
    const bytes = bytesOf(recordedLine({ at, server, to, message }, redact, omitted));
    if (this.#waitingBytes + bytes.length > maxWaitingBytes || !this.#room.take(bytes)) {
      this.#break('full');
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#writing ??= this.#write();
  }

  /**
   * Resolves when the file is closed, with true if it is complete and still at its path. A
   * recording without messages is removed. Idempotent, never rejects.
   */
  async end(): Promise<boolean> {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#waiting.push(bytesOf(recordingEnd(this.messages)));
    }
    await (this.#writing ??= this.#write());
    this.#isInPlace ??= this.#close();
    return (await this.#isInPlace) && !this.#isBroken;
  }

  /**
   * Returns true if the file is still at its path; another window may have put its own file there.
   */
  async #close(): Promise<boolean> {
    let isOurs = false;
    try {
      const [own, named] = await Promise.all([
        this.#handle.stat({ bigint: true }),
        lstat(this.#file, { bigint: true }),
      ]);
      isOurs = own.ino === named.ino && own.dev === named.dev;
    } catch {
      // The file is gone already.
    }
    try {
      await this.#handle.close();
      // The recording is empty.
      if (isOurs && this.messages === 0) await rm(this.#file, { force: true });
    } catch {
      // The disk is gone; the problem was reported before.
    }
    return isOurs;
  }

  async #write(): Promise<void> {
    // Messages of the same turn are written together.
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0) {
        const bytes = Buffer.concat(this.#waiting);
        this.#waiting = [];
        this.#waitingBytes = 0;
        await this.#handle.writeFile(bytes);
      }
    } catch {
      // A full disk or a missing folder: the user is notified in either case.
      this.#waiting = [];
      this.#break('failed');
    }
    this.#writing = undefined;
  }

  #break(why: 'full' | 'failed'): void {
    if (this.#isBroken) return;
    this.#isOver = true;
    this.#isBroken = true;
    this.#options.onBroken(why);
  }
}

function bytesOf(line: string): Buffer {
  return Buffer.from(`${line}\n`);
}
