import { dropOldest, ShortLivedMap } from '../../core/bounds/shortLivedMap';
import type { PastCall } from './pastCall';

/** Number of calls that a session shows without the disk. */
const maxCalls = 50;

/** The last calls of this window, and which of them are on disk. */
export class SessionCalls {
  /** Calls that are not on disk yet, or are not stored. */
  readonly #unwritten = new ShortLivedMap<string, PastCall>();
  readonly #written = new Set<string>();

  add(call: PastCall): void {
    this.#unwritten.set(call.callId, call);
    dropOldest(this.#unwritten, maxCalls);
  }

  /** Notes that the call is on disk. */
  wrote(callId: string): void {
    this.#unwritten.delete(callId);
    this.#written.add(callId);
    dropOldest(this.#written, maxCalls);
  }

  allUnwritten(): readonly PastCall[] {
    return [...this.#unwritten.values()];
  }

  unwritten(callId: string): PastCall | undefined {
    return this.#unwritten.get(callId);
  }

  forget(callId: string): void {
    this.#unwritten.delete(callId);
    this.#written.delete(callId);
  }

  forgetAll(): void {
    this.#unwritten.clear();
    this.#written.clear();
  }

  /** Returns the calls that are no longer on disk, each once. */
  takeVanished(isThere: (callId: string) => boolean): readonly string[] {
    const gone = [...this.#written].filter((callId) => !isThere(callId));
    for (const callId of gone) this.#written.delete(callId);
    return gone;
  }
}
