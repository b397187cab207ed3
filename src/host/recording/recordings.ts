import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import type { PointerSteps } from '../../core/json/jsonPointer';
import type { ServerConfig } from '../configuration/serverConfig';
import type { RegistryChange, Server } from '../connections/snapshot';
import { RecordingWriter } from './recordingWriter';

/** Told every message of a server as it is; `undefined`: nobody wants them any more. */
export type Recorded = (direction: 'sent' | 'received', message: unknown) => void;

export interface RecordingsOptions {
  /** Has every message of this server told from here on. */
  readonly listen: (server: Pick<ServerConfig, 'id' | 'label'>, to: Recorded | undefined) => void;
  readonly redact: (text: string) => string;
}

/** A recording that has ended. */
export interface EndedRecording {
  readonly label: string;
  readonly file: string;
  readonly messages: number;
  /**
   * `full`, `failed`: it ended before the server or the person wanted it to. `empty`: nothing came,
   * and there is no file.
   */
  readonly how: 'whole' | 'full' | 'failed' | 'empty';
}

/** What is known of the servers to which recordings belong. */
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
  /** Its run has begun; the end of it is the end of the recording. */
  hasRun: boolean;
}

/** Which servers are recorded, each from the start of one run until it ends or is recorded no more. */
export class Recordings implements Disposable {
  readonly #options: RecordingsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #endings = new Set<Promise<void>>();
  readonly #opening = new Set<string>();

  readonly #onDidChange = new Emitter<void>();
  /** Another set of servers is recorded. */
  readonly onDidChange = this.#onDidChange.event;
  readonly #onDidEnd = new Emitter<EndedRecording>();
  readonly onDidEnd = this.#onDidEnd.event;

  constructor(options: RecordingsOptions) {
    this.#options = options;
  }

  isRecording(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Ends each recording with the run that it belongs to. */
  follow(registry: Registry): Disposable {
    return registry.onDidChange(() => {
      for (const [id, entry] of this.#entries) {
        if (!entry.isArmed) continue;
        const kind = registry.find(id)?.state.kind ?? 'stopped';
        if (kind === 'starting' || kind === 'running') entry.hasRun = true;
        else if (entry.hasRun) void this.end(id);
      }
    });
  }

  /**
   * Makes the file for a recording of `server`, which begins with {@link arm}. Nothing where it is
   * recorded already. @throws what the file system throws
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

  /** Records the run that begins next: to be called in the turn in which it is known that none runs. */
  arm(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.isArmed = true;
    this.#options.listen(entry.server, (...exchanged) => entry.writer.take(...exchanged));
  }

  /** Resolves when the file is closed. Whether there was one. Never rejects. */
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
