import { dropOldest, ShortLivedMap } from '../../core/bounds/shortLivedMap';
import type { CallOutcome } from '../../host/calls/call';
import type { RestorableCall } from '../../host/history/pastCall';
import { toolTitle } from '../format/toolTitle';
import type { StoredResult } from './resultDocuments';

/** Limit for results with documents, and for those without. No view shows that many calls. */
const maxCalls = 500;

/**
 * Results by the id of their call. The documents of some are made on first use, because few are
 * ever opened.
 */
export class ResultsByCall {
  readonly #at: (entryPath: string) => StoredResult | undefined;
  /** Paths of entries by call id, the oldest first. */
  readonly #made = new Map<string, string>();
  readonly #makers = new ShortLivedMap<string, () => StoredResult>();

  constructor(at: (entryPath: string) => StoredResult | undefined) {
    this.#at = at;
  }

  add(callId: string, { entry }: StoredResult): void {
    this.#made.set(callId, entry.path);
    dropOldest(this.#made, maxCalls);
  }

  /** The returned function makes the result once, even after this map has dropped the call. */
  addLater(callId: string, make: () => StoredResult): () => StoredResult {
    let kept: StoredResult | undefined;
    const makeOnce = (): StoredResult => {
      this.#makers.delete(callId);
      return (kept ??= make());
    };
    this.#makers.set(callId, makeOnce);
    dropOldest(this.#makers, maxCalls);
    return makeOnce;
  }

  /** Returns true if there are documents, or if they can be made. */
  has(callId: string): boolean {
    return this.#makers.has(callId) || this.made(callId) !== undefined;
  }

  /** Returns the result if its documents are already made. */
  made(callId: string): StoredResult | undefined {
    const path = this.#made.get(callId);
    return path === undefined ? undefined : this.#at(path);
  }

  /**
   * Makes the documents if there are none yet. Returns `undefined` if the result is no longer kept.
   */
  find(callId: string): StoredResult | undefined {
    return this.#makers.get(callId)?.() ?? this.made(callId);
  }
}

/** A call of this session has no path yet, and a call of an API caller has no id. */
export type CallToKeep = Omit<RestorableCall, 'callId' | 'path'> & Partial<RestorableCall>;

/** Returns the data of an outcome that is kept as documents, or `undefined` if it has no result. */
export function toRestorableCall(
  outcome: CallOutcome,
  labelOf: (serverId: string) => string,
): CallToKeep | undefined {
  if (outcome.kind !== 'result' && outcome.kind !== 'toolError') return undefined;
  const { result, entry, durationMs, violations, missingStructuredContent } = outcome;
  const { serverId, tool, risk } = entry;
  return {
    ...(outcome.callId === undefined ? {} : { callId: outcome.callId }),
    serverId,
    serverLabel: labelOf(serverId),
    toolName: tool.name,
    toolTitle: toolTitle(tool),
    ...(outcome.isPrompt && { isPrompt: outcome.isPrompt }),
    isExternal: risk.openWorld,
    createdAt: Date.now() - durationMs,
    durationMs,
    result,
    violations,
    missingStructuredContent,
    ...(outcome.schemaError === undefined ? {} : { schemaError: outcome.schemaError }),
  };
}
