import { fork, type ChildProcess } from 'node:child_process';

/** Kind and size of the value that a filter selects. Users read them before it opens. */
export type FilterSummary =
  | { readonly kind: 'list' | 'object' | 'text'; readonly count: number }
  | { readonly kind: 'value'; readonly json: string };

export type FilterAnswer =
  | { readonly kind: 'selected'; readonly summary: FilterSummary; readonly bytes?: Uint8Array }
  /** The filter selects nothing, or `null`. */
  | { readonly kind: 'nothing' }
  /** The filter cannot be read. `at` is the offset of the first character that does not fit. */
  | { readonly kind: 'syntax'; readonly at: number; readonly token: string }
  | { readonly kind: 'incomplete' | 'notPointer' | 'tooLong' }
  | { readonly kind: 'unknownFunction'; readonly at: number; readonly name: string }
  /** The filter does not fit the document. `detail` are the words of the library. */
  | { readonly kind: 'failed'; readonly detail: string }
  | { readonly kind: 'notJson' | 'time' | 'memory' | 'output' };

/** Messages to the process: first the document, then filters. */
export type ToFilter =
  | { readonly document: Uint8Array }
  | { readonly id: number; readonly expression: string; readonly isWhole: boolean };

export interface FromFilter {
  readonly id: number;
  readonly answer: FilterAnswer;
}

/** Longest filter that is read. */
export const maxFilterChars = 1_000;
/** Larger documents need more memory than the process may have. */
export const maxFilteredBytes = 33_554_432;

export interface FilterLimits {
  /** Time for one filter. The process itself notices it; after twice the time it is ended. */
  readonly ms: number;
  /** Memory for JavaScript values, in MiB. */
  readonly heapMb: number;
}

const usualLimits: FilterLimits = { ms: 5_000, heapMb: 512 };

/**
 * Filters one JSON document in a process of its own. A filter may take any time and memory, and a
 * worker thread that runs out of memory ends the whole extension host. The process starts with the
 * first filter, and again after one that ended it.
 */
export class FilterProcess {
  readonly #program: string;
  readonly #document: () => Uint8Array | Promise<Uint8Array>;
  readonly #limits: FilterLimits;
  #child: Promise<ChildProcess> | undefined;
  #lastId = 0;
  readonly #waiting = new Map<number, (answer: FilterAnswer) => void>();

  /** @param program path of the built program */
  constructor(
    program: string,
    document: () => Uint8Array | Promise<Uint8Array>,
    limits: FilterLimits = usualLimits,
  ) {
    this.#program = program;
    this.#document = document;
    this.#limits = limits;
  }

  /**
   * `isWhole`: the answer has the JSON that the filter selects. Rejects if the document cannot be
   * read.
   */
  async filter(expression: string, isWhole: boolean): Promise<FilterAnswer> {
    const starting = (this.#child ??= this.#start());
    const child = await starting.catch((error: unknown) => {
      this.#child = undefined;
      throw error;
    });
    const id = (this.#lastId += 1);
    const answered = new Promise<FilterAnswer>((resolve) => this.#waiting.set(id, resolve));
    const timer = setTimeout(() => this.#end('time'), this.#limits.ms * 2);
    this.#send(child, { id, expression, isWhole });
    return answered.finally(() => clearTimeout(timer));
  }

  /** Ends the process. Filters that still run are answered with `time`. */
  dispose(): void {
    this.#end('time');
  }

  async #start(): Promise<ChildProcess> {
    const document = await this.#document();
    const { ms, heapMb } = this.#limits;
    const child = fork(this.#program, [String(ms)], {
      env: { ELECTRON_RUN_AS_NODE: '1' },
      execArgv: [`--max-old-space-size=${heapMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', ({ id, answer }: FromFilter) => {
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
    child.on('error', () => this.#end('memory'));
    child.on('exit', () => this.#end('memory'));
    this.#send(child, { document });
    return child;
  }

  #send(child: ChildProcess, message: ToFilter): void {
    // A process that has ended is reported by its exit.
    child.send(message, () => undefined);
  }

  #end(kind: 'time' | 'memory'): void {
    const child = this.#child;
    this.#child = undefined;
    for (const answer of this.#waiting.values()) answer({ kind });
    this.#waiting.clear();
    void child?.then(
      (each) => {
        each.removeAllListeners('exit');
        each.kill('SIGKILL');
      },
      () => undefined,
    );
  }
}
