import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import type { PointerSteps } from '../../core/json/jsonPointer';
import type { ServerConfig } from '../configuration/serverConfig';
import { isActive, type RegistryChange, type Server } from '../connections/snapshot';
import { constants } from 'node:fs';
import { lstat, open, rm, type FileHandle } from 'node:fs/promises';
import {
  recordedLine,
  recordingEnd,
  recordingHead,
  RecordingRoom,
} from '../../core/recording/recordedLine';

/** Receives every message of a server unchanged; `undefined` ends the recording. */
export type Recorded = (direction: 'sent' | 'received', message: unknown) => void;

export interface RecordingsOptions {
  /** Passes every message of this server on from now on. */
  readonly listen: (server: Pick<ServerConfig, 'id' | 'label'>, to: Recorded | undefined) => void;
  readonly redact: (text: string) => string;
}

/** A recording that has ended. */
export interface EndedRecording {
  readonly label: string;
  readonly file: string;
  readonly messages: number;
  /**
   * `full`, `failed`: it ended too early. `empty`: there were no messages, and there is no file.
   */
  readonly how: 'whole' | 'full' | 'failed' | 'empty';
}

/** The needed part of the server registry. */
interface Registry {
  find(id: string): Server | undefined;
  readonly onDidChange: (listener: (change: RegistryChange) => void) => Disposable;
}

interface Entry {
  readonly server: Pick<ServerConfig, 'id' | 'label'>;
  readonly file: string;
  readonly writer: RecordingWriter;
  isArmed: boolean;
  broken?: 'full' | 'failed';
  /** True once its run has begun. The end of the run ends the recording. */
  hasRun: boolean;
}

/** Records servers, each from the start of one run until the run or the recording ends. */
export class Recordings implements Disposable {
  readonly #options: RecordingsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #endings = new Set<Promise<void>>();
  readonly #opening = new Set<string>();

  readonly #onDidChange = new Emitter<void>();
  /** Fires when the set of recorded servers changed. */
  readonly onDidChange = this.#onDidChange.event;
  readonly #onDidEnd = new Emitter<EndedRecording>();
  readonly onDidEnd = this.#onDidEnd.event;

  constructor(options: RecordingsOptions) {
    this.#options = options;
  }

  isRecording(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Ends each recording with its run. */
  follow(registry: Registry): Disposable {
    return registry.onDidChange(() => {
      for (const [id, entry] of this.#entries) {
        if (!entry.isArmed) continue;
        if (isActive(registry.find(id))) entry.hasRun = true;
        else if (entry.hasRun) void this.end(id);
      }
    });
  }

  /**
   * Creates the file for a recording of `server`, which {@link arm} starts. Returns `undefined` if
   * it is recorded already. @throws what the file system throws
   */
  async open(
    server: Pick<ServerConfig, 'id' | 'label'>,
    file: string,
    omitted: readonly PointerSteps[],
  ): Promise<boolean> {
    const { id } = server;
    if (this.#entries.has(id) || this.#opening.has(id)) return false;
    if ([...this.#entries.values()].some((other) => other.file === file)) {
      throw new Error(`${file} is being written`);
    }
    this.#opening.add(id);
    try {
      const { redact } = this.#options;
      const onBroken = (why: 'full' | 'failed'): void => {
        entry.broken = why;
        void this.end(id);
      };
      const options = { server: id, redact, omitted, onBroken };
      const writer = await RecordingWriter.open(file, options);
      const entry: Entry = { server, file, writer, isArmed: false, hasRun: false };
      this.#entries.set(id, entry);
    } finally {
      this.#opening.delete(id);
    }
    this.#onDidChange.fire();
    return true;
  }

  /** Records the next run. Call it in the turn in which no run is known to exist. */
  arm(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.isArmed = true;
    this.#options.listen(entry.server, (...exchanged) => entry.writer.take(...exchanged));
  }

  /** Resolves when the file is closed, with true if there was one. Never rejects. */
  async end(id: string): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (entry === undefined) {
      // Its run may have ended it a moment before.
      await Promise.all(this.#endings);
      return false;
    }
    this.#entries.delete(id);
    this.#options.listen(entry.server, undefined);
    this.#onDidChange.fire();
    const ending = this.#close(entry);
    this.#endings.add(ending);
    await ending;
    this.#endings.delete(ending);
    return true;
  }

  /** Resolves when every file is closed. */
  async stop(): Promise<void> {
    for (const id of this.#entries.keys()) void this.end(id);
    await Promise.all(this.#endings);
  }

  dispose(): void {
    void this.stop();
    this.#onDidChange.dispose();
    this.#onDidEnd.dispose();
  }

  async #close({ server, file, writer, broken }: Entry): Promise<void> {
    const isWhole = await writer.end();
    const { messages } = writer;
    const ended = isWhole ? 'whole' : (broken ?? 'failed');
    const how = messages === 0 && isWhole ? 'empty' : ended;
    this.#onDidEnd.fire({ label: server.label, file, messages, how });
  }
}

interface RecordingWriterOptions {
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
