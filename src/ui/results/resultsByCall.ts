import { ShortLivedMap } from '../../core/bounds/shortLivedMap';
import { dropOldest } from '../../core/bounds/dropOldest';
import type { KeptResult } from './resultDocuments';

/** With documents, and without yet: more than anything shows of calls. */
const maxCalls = 500;

/**
 * What calls brought, by their ids. Of some the documents are made when the first wants to see one:
 * hardly any is ever looked at.
 */
export class ResultsByCall {
  readonly #at: (entryPath: string) => KeptResult | undefined;
  /** Paths of entries, the oldest first. */
  readonly #made = new Map<string, string>();
  readonly #makers = new ShortLivedMap<string, () => KeptResult>();

  constructor(at: (entryPath: string) => KeptResult | undefined) {
    this.#at = at;
  }

  add(callId: string, { entry }: KeptResult): void {
    this.#made.set(callId, entry.path);
    dropOldest(this.#made, maxCalls);
  }

  /** What is given makes it once, also after it is known here no more. */
  addLater(callId: string, make: () => KeptResult): () => KeptResult {
    let kept: KeptResult | undefined;
    const makeOnce = (): KeptResult => {
      this.#makers.delete(callId);
      return (kept ??= make());
    };
    this.#makers.set(callId, makeOnce);
    dropOldest(this.#makers, maxCalls);
    return makeOnce;
  }

  /** Whether there are documents, or can be. */
  has(callId: string): boolean {
    return this.#makers.has(callId) || this.made(callId) !== undefined;
  }

  /** With the documents that it has. */
  made(callId: string): KeptResult | undefined {
    const path = this.#made.get(callId);
    return path === undefined ? undefined : this.#at(path);
  }

  /** Makes the documents if there are none yet; `undefined` when it is kept no more. */
  find(callId: string): KeptResult | undefined {
    return this.#makers.get(callId)?.() ?? this.made(callId);
  }
}
