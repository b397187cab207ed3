import * as vscode from 'vscode';
import type { AgentDraft, AgentDrafts } from '../../host/agents/agentDrafts';
import type { JsonObject } from '../../core/json/jsonValue';
import type { EndedCall, RunningCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import type { History } from '../../host/history/history';
import { hasKeptAnswer } from '../../host/history/pastCall';
import { briefArguments } from '../format/formatArguments';
import { fromHistory, fromSession, type ShownCall } from './shownCall';
import { latestFirst } from '../../host/storage/recordFile';

/** Read-only view of the calls. */
type ShownCalls = Pick<RunningCalls, 'running' | 'ended' | 'onDidChange'>;

interface CallListOptions {
  readonly running: ShownCalls;
  readonly history: Pick<History, 'calls' | 'find' | 'onDidChange'>;
  /** Returns true if the documents of a call exist without the history. */
  readonly hasDocuments: (callId: string) => boolean;
  /** Returns the arguments of a running call, without secrets. If absent, they are unknown. */
  readonly argumentsOf?: (callId: string) => JsonObject | undefined;
  /** Returns true while a server waits for the user to sign in. Defaults to false. */
  readonly isSigningIn?: (serverId: string) => boolean;
  /** Agent calls that timed out while waiting for the user. Defaults to none. */
  readonly drafts?: Pick<AgentDrafts, 'find' | 'onDidChange'>;
  /**
   * Returns the arguments of a draft, according to the input schema of its tool, without secrets.
   */
  readonly argumentsOfDraft?: (draft: AgentDraft, schema: JsonObject) => JsonObject | undefined;
}

/** `running`: the list has the same rows, and only those of running calls differ. */
type CallListChange = 'running' | 'list';

/** All visible calls, each once: the running ones and the ended ones. */
export class CallList implements vscode.Disposable {
  readonly #options: CallListOptions;
  readonly #subscriptions: readonly { dispose(): void }[];
  #ended: ReadonlyMap<string, ShownCall> | undefined;

  #rowsOfSession = '';

  readonly #onDidChange = new vscode.EventEmitter<CallListChange>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: CallListOptions) {
    this.#options = options;
    const changed = (): void => {
      this.#ended = undefined;
      this.#onDidChange.fire('list');
    };
    this.#subscriptions = [
      options.running.onDidChange(() => {
        const rows = rowsOfSession(options.running);
        if (rows === this.#rowsOfSession) this.#onDidChange.fire('running');
        else changed();
        this.#rowsOfSession = rows;
      }),
      options.history.onDidChange(changed),
      ...(options.drafts === undefined ? [] : [options.drafts.onDidChange(changed)]),
    ];
  }

  /** Ordered by start time. */
  get running(): readonly RunningCall[] {
    return this.#options.running.running;
  }

  /** Ended calls of this session and of earlier ones, newest first. */
  get ended(): readonly ShownCall[] {
    return [...this.#byId.values()];
  }

  isSigningIn(serverId: string): boolean {
    return this.#options.isSigningIn?.(serverId) === true;
  }

  find(callId: string): ShownCall | undefined {
    return this.#byId.get(callId);
  }

  /**
   * Returns the arguments of a running call in short; empty if there are none or they are not known
   * yet.
   */
  briefArgumentsOf(callId: string): string {
    return briefArguments(this.#options.argumentsOf?.(callId));
  }

  /** Returns true if the result of the call can be opened. */
  hasResult(callId: string): boolean {
    if (this.#options.hasDocuments(callId)) return true;
    return hasKeptAnswer(this.#options.history.find(callId));
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChange.dispose();
  }

  get #byId(): ReadonlyMap<string, ShownCall> {
    this.#ended ??= new Map(this.#join().map((call) => [call.id, call]));
    return this.#ended;
  }

  #leftOf({ id, entry }: EndedCall): Pick<AgentDraft, 'arguments'> | undefined {
    const { drafts, argumentsOfDraft } = this.#options;
    const draft = drafts?.find(id);
    if (draft === undefined) return undefined;
    // Without the schema, it is unknown which arguments are secrets.
    const value = entry && argumentsOfDraft?.(draft, entry.tool.inputSchema);
    return value === undefined ? {} : { arguments: value };
  }

  /** This session knows more about its own calls than the history stores, so its entries win. */
  #join(): readonly ShownCall[] {
    const { running, history } = this.#options;
    const own = new Set([...running.running, ...running.ended].map(({ id }) => id));
    const ofSession = running.ended.map((call) =>
      fromSession(call, history.find(call.id), this.#leftOf(call)),
    );
    const earlier = history.calls.filter(({ callId }) => !own.has(callId)).map(fromHistory);
    return latestFirst([...ofSession, ...earlier].toReversed(), ({ endedAt }) => endedAt);
  }
}

/** Returns a text that changes when a row appears, moves, disappears, or ends another way. */
function rowsOfSession({ running, ended }: ShownCalls): string {
  return JSON.stringify([
    running.map(({ id, isHidden }) => [id, isHidden]),
    ended.map(({ id, isUnanswered }) => [id, isUnanswered]),
  ]);
}
