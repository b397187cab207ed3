import { Emitter } from 'vscode-jsonrpc/node';
import type { JsonObject } from '../../core/json/jsonValue';
import { stringifyExactly } from '../../core/json/writtenNumber';

/** A call that an agent requested and that was not answered in time. Nothing of it was sent. */
export interface AgentDraft {
  /** The id of the call in the list of calls. */
  readonly callId: string;
  /** Id of the server. The next field is the name of the tool. */
  readonly server: string;
  readonly tool: string;
  /** Defaults to no arguments. */
  readonly arguments?: JsonObject;
}

export interface AgentDraftLimits {
  readonly drafts: number;
  /** Length of all arguments as JSON. */
  readonly chars: number;
}

const defaultLimits: AgentDraftLimits = { drafts: 50, chars: 8 * 1024 * 1024 };

/**
 * The newest calls that agents left to the user. They are kept in memory only, because the
 * arguments may be secret. Running a draft is a call by the user like any other.
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

  /**
   * Adds a draft and drops the oldest if necessary. A draft larger than the total limit is not kept
   * and drops no others.
   */
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

  /** Removes these drafts; without ids, all of them. */
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
