import { hasEnded } from './taskState';
import type { TaskRun } from './taskRun';
import { parseDetailed, type DetailedTask } from './detailedTask';

/** Notifications of a 2026-07-28 server about one task. Each replaces a poll. */
export class TaskNews {
  readonly #run: TaskRun;
  #latest: DetailedTask | undefined;
  #isTelling = false;

  constructor(run: TaskRun) {
    this.#run = run;
  }

  /** Handles the params of `notifications/tasks`. Polls get what is not a state of this task. */
  tell(params: unknown): void {
    const told = this.#parse(params);
    if (told === undefined || (this.#latest !== undefined && hasEnded(this.#latest.state))) return;
    this.#latest = told;
    this.#isTelling = true;
    this.#run.wake();
  }

  /**
   * True if the server has sent notifications, so that polls only detect lost ones. Its
   * acknowledgement does not count, because some servers acknowledge everything.
   */
  get isTelling(): boolean {
    return this.#isTelling;
  }

  /** Notifications can no longer come. */
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
