import * as vscode from 'vscode';
import type { AgentDraft, AgentDrafts } from '../../host/agents/agentDrafts';
import type { JsonObject } from '../../core/json/jsonValue';
import type { EndedCall, RunningCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import type { History } from '../../host/history/history';
import { formatBriefArguments } from '../format/formatArguments';
import { fromHistory, fromSession, type ShownCall } from './shownCall';
import { latestFirst } from '../../host/storage/latestFirst';

/** The part of the calls that is only looked at. */
export type CallsToShow = Pick<RunningCalls, 'running' | 'ended' | 'onDidChange'>;

export interface CallListOptions {
  readonly running: CallsToShow;
  readonly history: Pick<History, 'calls' | 'find' | 'onDidChange'>;
  /** Whether the documents of a call are there without the history. */
  readonly hasDocuments: (callId: string) => boolean;
  /** What a call is made with that goes on; absent: nobody knows. Holds no secret. */
  readonly givenTo?: (callId: string) => JsonObject | undefined;
  /** Calls of agents that nobody answered. Absent: there are none. */
  readonly drafts?: Pick<AgentDrafts, 'find' | 'onDidChange'>;
  /** What one of those was given, by the input schema of its tool. Holds no secret. */
  readonly leftWith?: (draft: AgentDraft, schema: JsonObject) => JsonObject | undefined;
}

/** Every call that there is to see, each once: those that run, and those that have ended. */
export class CallList implements vscode.Disposable {
  readonly #options: CallListOptions;
  readonly #subscriptions: readonly { dispose(): void }[];
  #ended: ReadonlyMap<string, ShownCall> | undefined;

  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: CallListOptions) {
    this.#options = options;
    const changed = (): void => {
      this.#ended = undefined;
      this.#onDidChange.fire();
    };
    this.#subscriptions = [
      options.running.onDidChange(changed),
      options.history.onDidChange(changed),
      ...(options.drafts === undefined ? [] : [options.drafts.onDidChange(changed)]),
    ];
  }

  /** In the order in which they began. */
  get running(): readonly RunningCall[] {
    return this.#options.running.running;
  }

  /** Of this session and of earlier ones, the newest first. */
  get ended(): readonly ShownCall[] {
    return [...this.#byId.values()];
  }

  find(callId: string): ShownCall | undefined {
    return this.#byId.get(callId);
  }

  /** What a call is made with that goes on, in short; empty: nothing, or not known yet. */
  givenTo(callId: string): string {
    return formatBriefArguments(this.#options.givenTo?.(callId));
  }

  /** Whether what it brought can be opened. */
  hasResult(callId: string): boolean {
    if (this.#options.hasDocuments(callId)) return true;
    const answer = this.#options.history.find(callId)?.answer;
    return answer !== undefined && answer.omitted === undefined;
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
    const { drafts, leftWith } = this.#options;
    const draft = drafts?.find(id);
    if (draft === undefined) return undefined;
    // What its schema calls a secret nobody knows without one.
    const value = entry && leftWith?.(draft, entry.tool.inputSchema);
    return value === undefined ? {} : { arguments: value };
  }

  /** What this session knows of a call is more than what is written down. */
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
