import { secretMarker } from './redactSecrets';
import { FormTree } from './formTree';
import { formsOf, minSecretChars } from './secretForms';

/** A private key has some thousand characters. Of longer values, the beginning is redacted. */
const maxSecretChars = 64 * 1024;

/** Limit for one server, which usually has some ten secrets of a hundred characters. */
const maxHeld = 500;
const maxHeldChars = 64 * 1024;

/** Number of released values that are kept, because late log lines may contain them. */
const maxEnded = 2_000;

/** The secrets in the configuration of one run. */
export interface HeldSecrets {
  /** Number of values that exceeded the limit of one server and are not redacted. */
  readonly leftOut: number;
  /** Call it at the end of the run. The secrets are redacted for a while longer. Idempotent. */
  release(): void;
  /** Like {@link release}, but the secrets count no longer, so that they displace no others. */
  forget(): void;
}

/**
 * The secrets in use in this window, so that no log, report or journal contains one. They are held
 * in memory only. What the user typed or stored stays until the window closes, even if it was
 * removed or changed, because running servers still know it. Values of files count while their
 * servers run, so that no file can displace other secrets.
 */
export class SecretValues {
  readonly #owned = new Set<string>();
  /** Number of runs that hold each value. */
  readonly #held = new Map<string, number>();
  /** Values of runs that have ended, oldest first. */
  readonly #ended = new Set<string>();
  readonly #tree = new FormTree();

  /**
   * Adds a secret of the user for the life of the window. One of fewer than four characters is not
   * redacted.
   */
  add(value: string): void {
    const known = value.slice(0, maxSecretChars);
    if (known.length < minSecretChars || this.#owned.has(known)) return;
    const isNew = !this.#isHeld(known);
    this.#owned.add(known);
    if (isNew) this.#look(known);
  }

  /** Adds the secrets in the configuration of a server that is being started. */
  hold(values: Iterable<string>): HeldSecrets {
    const held: string[] = [];
    let chars = 0;
    let leftOut = 0;
    for (const value of new Set(values)) {
      if (value.length < minSecretChars) continue;
      chars += value.length;
      if (held.length < maxHeld && chars <= maxHeldChars) held.push(value);
      else {
        chars -= value.length;
        leftOut += 1;
      }
    }
    for (const value of held) this.#hold(value);
    const letGo = (isOver: boolean) => {
      for (const value of held.splice(0)) this.#release(value, isOver);
    };
    return { leftOut, release: () => letGo(false), forget: () => letGo(true) };
  }

  /** True if there are no secrets. */
  get isEmpty(): boolean {
    return this.#owned.size + this.#held.size + this.#ended.size === 0;
  }

  /**
   * Returns the text with `(secret)` in place of each occurrence of a secret; adjacent or
   * overlapping ones are replaced once. Takes linear time.
   */
  redact(text: string): string {
    let redacted = '';
    let end = 0;
    for (const match of this.#tree.matches(text)) {
      if (match.begin > end || end === 0) redacted += text.slice(end, match.begin) + secretMarker;
      end = Math.max(end, match.end);
    }
    return end === 0 ? text : redacted + text.slice(end);
  }

  #hold(value: string): void {
    const isNew = !this.#owned.has(value) && !this.#isHeld(value);
    this.#ended.delete(value);
    this.#held.set(value, (this.#held.get(value) ?? 0) + 1);
    if (isNew) this.#look(value);
  }

  #release(value: string, isOver: boolean): void {
    const others = (this.#held.get(value) ?? 1) - 1;
    if (others > 0) {
      this.#held.set(value, others);
      return;
    }
    this.#held.delete(value);
    if (isOver) {
      this.#lookNoMore(value);
      return;
    }
    this.#ended.add(value);
    const [oldest] = this.#ended;
    if (this.#ended.size <= maxEnded || oldest === undefined) return;
    this.#ended.delete(oldest);
    this.#lookNoMore(oldest);
  }

  #isHeld(value: string): boolean {
    return this.#held.has(value) || this.#ended.has(value);
  }

  /** Removes a value that no run holds. */
  #lookNoMore(value: string): void {
    if (this.#owned.has(value)) return;
    for (const form of formsOf(value)) this.#tree.remove(form);
  }

  #look(value: string): void {
    for (const form of formsOf(value)) this.#tree.add(form);
  }
}
