import { Emitter } from 'vscode-jsonrpc/node';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { ShortLivedMap } from '../../core/bounds/shortLivedMap';
import type { CallOutcome, CallRequest } from './call';
import { OngoingCall } from './ongoingCall';
import type { EndedCall, RunningCall } from './runningCall';

/** Servers report as often as they like; nobody looks more often than this. */
const leastMs = 100;
const maxEnded = 50;
/** Ids of tasks that have ended, so that lists of servers are told apart from them. */
const maxEndedTasks = 1_000;
/** A second Cancel sooner than this is a double click. */
const secondCancelMs = 2_000;

/** `unanswered`: the call is over here, but its server may go on working on it. */
export type Cancelled = 'cancelled' | 'unanswered' | 'over';

/** Every call of this session, whatever its origin: those that run, and the last ones that ended. */
export class RunningCalls {
  readonly #running = new ShortLivedMap<string, OngoingCall>();
  /** The newest first. */
  #ended: EndedCall[] = [];
  #timer: NodeJS.Timeout | undefined;
  #hasChanged = false;
  /** Calls that were hidden when they were left, because they may be taken up again. */
  readonly #hidden = new Set<string>();
  #endedTasks: readonly string[] = [];

  readonly #isKept: (id: string) => boolean;

  readonly #onDidChange = new Emitter<void>();
  /** Something is different from before; at most ten times a second. */
  readonly onDidChange = this.#onDidChange.event;

  readonly #onDidSend = new Emitter<RunningCall>();
  /** The person agreed, or did not have to, and now it is sent. */
  readonly onDidSend = this.#onDidSend.event;

  readonly #onDidEnd = new Emitter<EndedCall>();
  readonly onDidEnd = this.#onDidEnd.event;

  /** `isKept`: whether a call stays here however many end after it; the caller has to bound these. */
  constructor(isKept: (id: string) => boolean = () => false) {
    this.#isKept = isKept;
  }

  /** In the order in which they began. */
  get running(): readonly RunningCall[] {
    return [...this.#running.values()];
  }

  /** At most 50 of agents, 50 of others, and those that are kept, the newest first. */
  get ended(): readonly EndedCall[] {
    return [...this.#ended];
  }

  find(id: string): RunningCall | undefined {
    return this.#running.get(id);
  }

  /** The call that the server runs as this task. */
  ofTask(server: string, taskId: string): OngoingCall | undefined {
    return [...this.#running.values()].find(
      (call) => call.server === server && call.task?.taskId === taskId,
    );
  }

  /** Whether the task is that of a call of this window, also of one that has ended. */
  knowsTask(server: string, taskId: string): boolean {
    return (
      this.ofTask(server, taskId) !== undefined ||
      this.#endedTasks.includes(taskKey(server, taskId))
    );
  }

  /** Keeps the row of a task out of sight, or brings it back. False when it does not run any more. */
  hide(id: string, isHidden: boolean): boolean {
    const call = this.#running.get(id);
    call?.hide(isHidden);
    return call !== undefined;
  }

  /**
   * Ends the call at once, whatever its phase, and tells the server. One that was cancelled before
   * cannot be cancelled more: the answer says whether its server may still work on it.
   */
  cancel(id: string): Cancelled {
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
   * Gives a call that was sent its time limit once more, from now on, and lets progress put it off
   * for so much longer. False when it does not run any more.
   */
  waitLonger(id: string): boolean {
    const call = this.#running.get(id);
    if (call?.phase !== 'running' || call.deadline === undefined) return false;
    call.deadline.extend();
    this.#change();
    return true;
  }

  /** For the gate, which moves the call on and must hand it to {@link end}. */
  begin(
    id: string,
    request: CallRequest,
    token: CancellationToken,
    startedAt?: number,
  ): OngoingCall {
    const onDidChange = (): void => this.#change();
    const call: OngoingCall = new OngoingCall(id, request, token, onDidChange, startedAt);
    // A task that goes on after its connection had ended.
    if (startedAt !== undefined) this.#ended = this.#ended.filter((each) => each.id !== id);
    this.#running.set(id, call);
    if (this.#hidden.delete(id)) call.hide(true);
    this.#change();
    return call;
  }

  sent(call: OngoingCall): void {
    this.#onDidSend.fire(call);
  }

  /** Takes out a call that does not end here, because another window has to do with it. */
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

  /** Takes calls that have ended out of the list; without ids, all of them. */
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

  /** Calls of agents, also those that failed, push out none of the user's. */
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
    if (this.#timer === undefined) this.#tell();
  }

  #tell(): void {
    this.#timer = undefined;
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    this.#timer = setTimeout(() => this.#tell(), leastMs).unref();
    this.#onDidChange.fire();
  }
}

function taskKey(server: string, taskId: string): string {
  return JSON.stringify([server, taskId]);
}
