import { constants } from 'node:fs';
import { lstat, open, rm, type FileHandle } from 'node:fs/promises';
import type { PointerSteps } from '../../core/json/jsonPointer';
import { recordedLine, recordingEnd, recordingHead } from '../../core/recording/recordedLine';
import { RecordingRoom } from '../../core/recording/recordingRoom';

export interface RecordingWriterOptions {
  /** The id of the server in the recording. */
  readonly server: string;
  readonly redact: (text: string) => string;
  /** Places in messages whose values are left out. */
  readonly omitted: readonly PointerSteps[];
  /** Told once when nothing more is recorded: no room, or the file cannot be written. */
  readonly onBroken: (why: 'full' | 'failed') => void;
}

/** What waits for a slow disk; a server that is faster for longer is recorded no more. */
const maxWaitingBytes = 64 * 1024 * 1024;
/** Only a file that was not there: no link, no pipe, and none into which another window writes. */
const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/**
 * Writes what is exchanged with one server into a file, in order and behind it, so that nobody waits.
 * Only a recording that is whole gets an end.
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
   * Makes the file, which only its owner may read. What had its name, the person's to give up, is
   * gone then; what a link leads to stays as it is. @throws what the file system throws
   */
  static async open(file: string, options: RecordingWriterOptions): Promise<RecordingWriter> {
    await rm(file, { force: true });
    return new RecordingWriter(file, await open(file, flags, 0o600), options);
  }

  /** So many have been taken. */
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
   * Resolves when the file is closed, with whether it is whole and where it was made. One without a
   * message is taken away. Idempotent, never rejects.
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

  /** Whether the file still had its name: another window may have given it to a file of its own. */
  async #close(): Promise<boolean> {
    let isOurs = false;
    try {
      const [own, named] = await Promise.all([
        this.#handle.stat({ bigint: true }),
        lstat(this.#file, { bigint: true }),
      ]);
      isOurs = own.ino === named.ino && own.dev === named.dev;
    } catch {
      // It is gone.
    }
    try {
      await this.#handle.close();
      // As empty as we made it.
      if (isOurs && this.messages === 0) await rm(this.#file, { force: true });
    } catch {
      // A disk that is gone; what was written was told before.
    }
    return isOurs;
  }

  async #write(): Promise<void> {
    // What comes in the same turn is written together.
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0) {
        const bytes = Buffer.concat(this.#waiting);
        this.#waiting = [];
        this.#waitingBytes = 0;
        await this.#handle.writeFile(bytes);
      }
    } catch {
      // A full disk, a folder that is gone: the person is told, whichever it was.
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
