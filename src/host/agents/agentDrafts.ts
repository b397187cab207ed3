import { Emitter } from 'vscode-jsonrpc/node';
import type { JsonObject } from '../../core/json/jsonValue';
import { stringifyExactly } from '../../core/json/writtenNumber';

/** A call that an agent wished for and nobody answered in time. Nothing of it was sent. */
export interface AgentDraft {
  /** As the list of calls knows it. */
  readonly callId: string;
  /** Id of the server, and name of the tool. */
  readonly server: string;
  readonly tool: string;
  /** Absent: none. */
  readonly arguments?: JsonObject;
}

export interface AgentDraftLimits {
  readonly drafts: number;
  /** Of all arguments together, as JSON. */
  readonly chars: number;
}

const defaultLimits: AgentDraftLimits = { drafts: 50, chars: 8 * 1024 * 1024 };

/**
 * Calls that are left to the person, the newest of them, in memory alone: what an agent gave may be
 * secret. Making one is a call of the person's like any other.
 */
export class AgentDrafts {
  readonly #limits: AgentDraftLimits;
  readonly #drafts = new Map<string, { readonly draft: AgentDraft; readonly chars: number }>();

  readonly #onDidChange = new Emitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(limits: AgentDraftLimits = defaultLimits) {
    this.#limits = limits;
  }

  find(callId: string): AgentDraft | undefined {
    return this.#drafts.get(callId)?.draft;
  }

  /** The oldest make room; what is larger than all room there is, is not kept, and pushes none out. */
  add(draft: AgentDraft): void {
    const chars = stringifyExactly(draft.arguments ?? {}).length;
    if (chars > this.#limits.chars) return;
    this.#drafts.set(draft.callId, { draft, chars });
    for (const callId of this.#drafts.keys()) {
      if (!this.#isOver()) break;
      this.#drafts.delete(callId);
    }
    this.#onDidChange.fire();
  }

  /** Takes these away; without ids, all of them. */
  forget(callIds: readonly string[] = [...this.#drafts.keys()]): void {
    const gone = callIds.filter((callId) => this.#drafts.delete(callId));
    if (gone.length > 0) this.#onDidChange.fire();
  }

  dispose(): void {
    this.#drafts.clear();
    this.#onDidChange.dispose();
  }

  #isOver(): boolean {
    const chars = [...this.#drafts.values()].reduce((sum, each) => sum + each.chars, 0);
    return this.#drafts.size > this.#limits.drafts || chars > this.#limits.chars;
  }
}
