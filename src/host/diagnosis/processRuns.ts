import type { ConnectionLog } from '../../core/log';
import type { Redact } from '../secrets/redactedError';
import type { StepFact } from './steps';

/** Lines of stderr that are shown of each run; the rest is counted. */
const maxLines = 20;

/** What one process said beside its messages. */
interface ProcessRun {
  readonly pid: number;
  stderr: string[];
  stderrLines: number;
  firstGarbage: string | undefined;
  garbageLines: number;
  wasInstalled: boolean;
}

/**
 * The processes of one diagnosis, each with what it said: a server that ends over the question which
 * era it speaks is started once more.
 */
export class ProcessRuns {
  /** Takes what the process says that was begun last. */
  readonly log: ConnectionLog;
  readonly #redact: Redact;
  readonly #runs: ProcessRun[] = [];

  constructor(redact: Redact) {
    this.#redact = redact;
    this.log = {
      info: nothing,
      warn: nothing,
      error: nothing,
      stderr: (line) => this.#stderr(line),
      trace: nothing,
      isTracing: () => false,
    };
  }

  get hasBegun(): boolean {
    return this.#runs.length > 0;
  }

  begin(pid: number): void {
    const said = { stderr: [], stderrLines: 0, firstGarbage: undefined, garbageLines: 0 };
    this.#runs.push({ pid, ...said, wasInstalled: false });
  }

  /** A package manager was seen at work. */
  wasInstalled(): void {
    const run = this.#runs.at(-1);
    if (run !== undefined) run.wasInstalled = true;
  }

  garbage(line: string): void {
    const run = this.#runs.at(-1);
    if (run === undefined) return;
    run.garbageLines += 1;
    run.firstGarbage ??= this.#redact(line);
  }

  /** Run by run; `more` is about the last one. */
  facts(more: readonly StepFact[] = []): readonly StepFact[] {
    const last = this.#runs.at(-1);
    return this.#runs.flatMap((run) => [
      { kind: 'pid', pid: run.pid } as const,
      ...(run.wasInstalled ? [{ kind: 'installed' } as const] : []),
      ...(run === last ? more : [{ kind: 'endedAtQuestion' } as const]),
      ...(run.stderr.length === 0
        ? []
        : [{ kind: 'stderr', lines: run.stderrLines, last: run.stderr.slice(-maxLines) } as const]),
    ]);
  }

  /** Of the last run: only that one may have come to the end. */
  garbageFact(): StepFact | undefined {
    const { firstGarbage: first, garbageLines: lines = 0 } = this.#runs.at(-1) ?? {};
    return first === undefined ? undefined : { kind: 'garbage', lines, first };
  }

  #stderr(line: string): void {
    const run = this.#runs.at(-1);
    if (run === undefined) return;
    run.stderrLines += 1;
    run.stderr.push(this.#redact(line));
    if (run.stderr.length > 2 * maxLines) run.stderr.splice(0, maxLines);
  }
}

function nothing(): void {
  // The document shows what a log would.
}
