import { secretMarker } from './redactSecrets';
import { FormTree } from './formTree';
import { formsOf, minSecretChars } from './secretForms';

/** A private key has some thousands; of what is longer, this much from its beginning is looked for. */
const maxSecretChars = 64 * 1024;

/** What the configuration of one server may hold; a server has some tens, of a hundred characters. */
const maxHeld = 500;
const maxHeldChars = 64 * 1024;

/** Of servers that ended the latest are kept: lines that they wrote may still come. */
const maxEnded = 2_000;

/** The secrets of the configuration of one run of a server. */
export interface HeldSecrets {
  /** How many were over the budget of one server, and are not looked for. */
  readonly leftOut: number;
  /** The run has ended. They count for a while yet, until others have ended. Idempotent. */
  release(): void;
  /** As {@link release}, and from now on they count no more, so that none of others is pushed out. */
  forget(): void;
}

/**
 * The secrets that are in use in this window, so that no log, report or journal shows one. They are
 * held in memory only. What the person typed or stored stays here until the window ends, also when
 * it was forgotten or changed, because servers that were started with it still know it. What files
 * say counts for servers that run, so that no file makes us forget anything else.
 */
export class SecretValues {
  readonly #owned = new Set<string>();
  /** How many runs hold a value of their configuration. */
  readonly #held = new Map<string, number>();
  /** Held by runs that have ended, the oldest first. */
  readonly #ended = new Set<string>();
  readonly #tree = new FormTree();

  /** Takes in a secret of the person, for as long as the window lives; one of fewer than four characters is not looked for. */
  add(value: string): void {
    const known = value.slice(0, maxSecretChars);
    if (known.length < minSecretChars || this.#owned.has(known)) return;
    const isNew = !this.#isHeld(known);
    this.#owned.add(known);
    if (isNew) this.#look(known);
  }

  /** Takes in what stands in the configuration of a server that is being started. */
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

  /** Whether there is nothing to look for. */
  get isEmpty(): boolean {
    return this.#owned.size + this.#held.size + this.#ended.size === 0;
  }

  /**
   * The text with `(secret)` in place of every piece that belongs to a secret, once where
   * several of them touch or overlap. The time it takes grows with the length of the text and no faster.
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

  /** Of one that nobody holds. */
  #lookNoMore(value: string): void {
    if (this.#owned.has(value)) return;
    for (const form of formsOf(value)) this.#tree.remove(form);
  }

  #look(value: string): void {
    for (const form of formsOf(value)) this.#tree.add(form);
  }
}
