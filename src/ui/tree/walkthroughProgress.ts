import { Emitter } from 'vscode-jsonrpc/node';
import type { RunningCalls } from '../../host/calls/runningCalls';

/** What the walkthrough ticks: only what the person has really done in this window. */
export class WalkthroughProgress {
  #hasLookedAtTool = false;
  #hasCalled = false;
  readonly #subscription: { dispose(): void };

  readonly #onDidReach = new Emitter<void>();
  readonly onDidReach = this.#onDidReach.event;

  constructor(calls: Pick<RunningCalls, 'onDidEnd'>) {
    this.#subscription = calls.onDidEnd(({ outcome }) => {
      if (this.#hasCalled || (outcome !== 'result' && outcome !== 'toolError')) return;
      this.#hasCalled = true;
      this.#onDidReach.fire();
    });
  }

  /** The tooltip of a tool was shown, or its row was chosen. */
  get hasLookedAtTool(): boolean {
    return this.#hasLookedAtTool;
  }

  /** A tool has answered. */
  get hasCalled(): boolean {
    return this.#hasCalled;
  }

  lookedAtTool(): void {
    if (this.#hasLookedAtTool) return;
    this.#hasLookedAtTool = true;
    this.#onDidReach.fire();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidReach.dispose();
  }
}
