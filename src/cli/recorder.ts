import { closeSync, openSync, writeSync } from 'node:fs';
import type { ConnectionLog } from '../core/log';
import { parseSteps, type PointerSteps } from '../core/json/jsonPointer';
import { recordedLine, recordingHead } from '../core/recording/recordedLine';
import { UsageError } from './exitCodes';

export interface RecorderOptions {
  readonly file: string;
  /** JSON pointers into messages whose values are left out. */
  readonly omit: readonly string[];
  readonly redact: (text: string) => string;
  /** Told once when there is no room for more. */
  readonly onFull: () => void;
}

/** As much as is read back. */
const maxRecordedBytes = 256 * 1024 * 1024;

/** Writes what is exchanged with servers into a file that is not there yet. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #omitted: readonly PointerSteps[];
  readonly #startedAt = performance.now();
  readonly #handle: number;
  #bytes = 0;
  #isFull = false;

  /** @throws {UsageError} where the file is there already, or cannot be made, or a pointer is none */
  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#omitted = options.omit.map((text) => {
      const steps = parseSteps(text);
      if (steps === undefined) throw new UsageError(`${text} is no JSON pointer.`);
      return steps;
    });
    this.#handle = open(options.file);
    this.#write(recordingHead(new Date()));
  }

  /** `log` for a server, which also records. */
  besides(log: ConnectionLog, server: string): ConnectionLog {
    return {
      ...log,
      exchanged: (direction, message) => {
        if (typeof message !== 'object' || message === null) return;
        const to = direction === 'sent' ? 'server' : 'client';
        const at = Math.round(performance.now() - this.#startedAt);
        const { redact } = this.#options;
        this.#write(recordedLine({ at, server, to, message }, redact, this.#omitted));
      },
    };
  }

  end(): void {
    closeSync(this.#handle);
    this.#isFull = true;
  }

  #write(line: string): void {
    if (this.#isFull) return;
    const bytes = Buffer.from(`${line}\n`);
    if (this.#bytes + bytes.length > maxRecordedBytes) {
      this.#isFull = true;
      this.#options.onFull();
      return;
    }
    this.#bytes += bytes.length;
    // At once: what is recorded of a run that is killed is what was exchanged until then.
    writeSync(this.#handle, bytes);
  }
}

function open(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const why = isThere ? 'is there already' : 'cannot be written';
    throw new UsageError(`${file} ${why}.`, { cause: error });
  }
}
