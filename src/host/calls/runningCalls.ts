import { Emitter } from 'vscode-jsonrpc/node';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { ShortLivedMap } from '../../core/bounds/shortLivedMap';
import type { CallOutcome, CallRequest } from './call';
import { OngoingCall } from './ongoingCall';
import type { EndedCall, RunningCall } from './runningCall';

/** Minimum interval of change events, however often servers report. */
const leastMs = 100;
const maxEnded = 50;
/** Number of ids of ended tasks that are remembered, to recognize them in a server's list. */
const maxEndedTasks = 1_000;
/** A second Cancel within this time is a double click. */
const secondCancelMs = 2_000;

/** `unanswered`: the call is over here, but its server may still be working on it. */
export type CancelResult = 'cancelled' | 'unanswered' | 'over';

/** All calls of this session, whatever their origin: the running ones and the last ended ones. */
export class RunningCalls {
  readonly #running = new ShortLivedMap<string, OngoingCall>();
  /** The newest first. */
  #ended: EndedCall[] = [];
  #timer: NodeJS.Timeout | undefined;
  #hasChanged = false;
  /**
   * Calls that were hidden when their window stopped following them, because they may be resumed.
   */
  readonly #hidden = new Set<string>();
  #endedTasks: readonly string[] = [];

  readonly #isKept: (id: string) => boolean;

  readonly #onDidChange = new Emitter<void>();
  /** Fires when anything changed, at most ten times a second. */
  readonly onDidChange = this.#onDidChange.event;

  readonly #onDidSend = new Emitter<RunningCall>();
  /** Fires when a call is sent, after the user's approval if required. */
  readonly onDidSend = this.#onDidSend.event;

  readonly #onDidEnd = new Emitter<EndedCall>();
  readonly onDidEnd = this.#onDidEnd.event;

  /**
   * @param isKept returns true for ended calls that stay in the list regardless of its limit; the
   * caller has to limit their number
   */
  constructor(isKept: (id: string) => boolean = () => false) {
    this.#isKept = isKept;
  }

  /** In the order in which they began. */
  get running(): readonly RunningCall[] {
    return [...this.#running.values()];
  }

  /** At most 50 of agents, 50 others, and the kept ones, newest first. */
  get ended(): readonly EndedCall[] {
    return [...this.#ended];
  }

  find(id: string): RunningCall | undefined {
    return this.#running.get(id);
  }

  /** Returns the call that the server runs as this task. */
  ofTask(server: string, taskId: string): OngoingCall | undefined {
    return [...this.#running.values()].find(
      (call) => call.server === server && call.task?.taskId === taskId,
    );
  }

  /** Returns true if the task is or was that of a call in this window. */
  knowsTask(server: string, taskId: string): boolean {
    return (
      this.ofTask(server, taskId) !== undefined ||
      this.#endedTasks.includes(taskKey(server, taskId))
    );
  }

  /** Hides the row of a task, or shows it again. Returns false if it no longer runs. */
  hide(id: string, isHidden: boolean): boolean {
    const call = this.#running.get(id);
    call?.hide(isHidden);
    return call !== undefined;
  }

  /**
   * Ends the call in any phase, and notifies the server. For a call that was cancelled before, the
   * result says whether its server may still be working on it.
   */
  cancel(id: string): CancelResult {
    const call = this.#running.get(id);
    if (call !== undefined) {
      call.cancel();
      return 'cancelled';
    }
    const ended = this.#ended.find((each) => each.id === id);
    if (ended === undefined || Date.now() - ended.endedAt < secondCancelMs) return 'over';
    return ended.isUnanswered ? 'unanswered' : 'over';
  }

  /**
   * Restarts the time limit of a sent call, and lets progress extend it by the same time again.
   * Returns false if it no longer runs.
   */
  waitLonger(id: string): boolean {
    const call = this.#running.get(id);
    if (call?.phase !== 'running' || call.deadline === undefined) return false;
    call.deadline.extend();
    this.#change();
    return true;
  }

  /** For the gate, which changes the call's phases and must pass it to {@link end}. */
  begin(
    id: string,
    request: CallRequest,
    token: CancellationToken,
    startedAt?: number,
  ): OngoingCall {
    const onDidChange = (): void => this.#change();
    const call: OngoingCall = new OngoingCall(id, request, token, onDidChange, startedAt);
    // A task can continue after its connection ended.
    if (startedAt !== undefined) this.#ended = this.#ended.filter((each) => each.id !== id);
    this.#running.set(id, call);
    if (this.#hidden.delete(id)) call.hide(true);
    this.#change();
    return call;
  }

  sent(call: OngoingCall): void {
    this.#onDidSend.fire(call);
  }

  /** Removes a call that does not end here, because another window continues it. */
  withdraw({ id }: OngoingCall): void {
    if (this.#running.delete(id)) this.#change();
  }

  end(call: OngoingCall, outcome: CallOutcome): void {
    if (!this.#running.delete(call.id)) return;
    const ended = call.end(outcome);
    if (call.task !== undefined) {
      const key = taskKey(call.server, call.task.taskId);
      this.#endedTasks = [key, ...this.#endedTasks.slice(0, maxEndedTasks - 1)];
    }
    if (ended.wasHidden && ended.error?.code === 'taskLeft') this.#hidden.add(call.id);
    this.#ended.unshift(ended);
    this.#dropSurplus(ended.origin === 'agent');
    this.#change();
    this.#onDidEnd.fire(ended);
  }

  /** Removes ended calls from the list; without ids, all of them. */
  forget(ids?: readonly string[]): void {
    this.#ended = ids === undefined ? [] : this.#ended.filter(({ id }) => !ids.includes(id));
    this.#change();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#onDidChange.dispose();
    this.#onDidSend.dispose();
    this.#onDidEnd.dispose();
  }

  /** Calls of agents have a limit of their own, so that they displace none of the user. */
  #dropSurplus(isOfAgents: boolean): void {
    const ended = this.#ended;
    let count = 0;
    for (let at = 0; at < ended.length; at += 1) {
      const { id, origin } = ended[at] ?? {};
      if (id === undefined || (origin === 'agent') !== isOfAgents) continue;
      count += 1;
      if (count <= maxEnded || this.#isKept(id)) continue;
      ended.splice(at, 1);
      at -= 1;
    }
  }

  #change(): void {
    this.#hasChanged = true;
    if (this.#timer === undefined) this.#notify();
  }

  #notify(): void {
    this.#timer = undefined;
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    this.#timer = setTimeout(() => this.#notify(), leastMs).unref();
    this.#onDidChange.fire();
  }
}

function taskKey(server: string, taskId: string): string {
  return JSON.stringify([server, taskId]);
}
