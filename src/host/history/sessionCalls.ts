import { dropOldest } from '../../core/bounds/dropOldest';
import { ShortLivedMap } from '../../core/bounds/shortLivedMap';
import type { PastCall } from './pastCall';

/** As many as a session shows without the disk. */
const maxCalls = 50;

/** What this window knows by itself of the last calls that it kept: which are on the disk. */
export class SessionCalls {
  /** Not yet on the disk, or not at all. */
  readonly #unwritten = new ShortLivedMap<string, PastCall>();
  readonly #written = new Set<string>();

  add(call: PastCall): void {
    this.#unwritten.set(call.callId, call);
    dropOldest(this.#unwritten, maxCalls);
  }

  /** It is on the disk from now on. */
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

  /** Those that were on the disk and are there no more; each is told once. */
  takeVanished(isThere: (callId: string) => boolean): readonly string[] {
    const gone = [...this.#written].filter((callId) => !isThere(callId));
    for (const callId of gone) this.#written.delete(callId);
    return gone;
  }
}
