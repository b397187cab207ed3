import { hasEnded } from './taskState';
import type { TaskRun } from './taskRun';
import { parseDetailed, type DetailedTask } from './detailedTask';

/** What a server of 2026-07-28 tells of one task by itself; each telling stands for a poll. */
export class TaskNews {
  readonly #run: TaskRun;
  #latest: DetailedTask | undefined;
  #isTelling = false;

  constructor(run: TaskRun) {
    this.#run = run;
  }

  /** Params of `notifications/tasks`; what is no state of this task is left to the polls. */
  tell(params: unknown): void {
    const told = this.#parse(params);
    if (told === undefined || (this.#latest !== undefined && hasEnded(this.#latest.state))) return;
    this.#latest = told;
    this.#isTelling = true;
    this.#run.wake();
  }

  /**
   * Whether the server tells at all: then polls are only for what gets lost. Its promise does not
   * count, because some acknowledge whatever they are asked for.
   */
  get isTelling(): boolean {
    return this.#isTelling;
  }

  /** It cannot tell any more. */
  lost(): void {
    this.#isTelling = false;
  }

  take(): DetailedTask | undefined {
    const latest = this.#latest;
    this.#latest = undefined;
    return latest;
  }

  #parse(params: unknown): DetailedTask | undefined {
    try {
      const told = parseDetailed(params);
      return told.state.taskId === this.#run.task.taskId ? told : undefined;
    } catch {
      return undefined;
    }
  }
}
