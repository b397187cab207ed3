import type { Tool } from '../../../core/types';
import type { ToolEntry } from '../../connections/snapshot';
import { fingerprint, toolFingerprint, type Fingerprint } from '../facts/fingerprints';
import { Turns } from './pinTurns';

/** What every definition that is nested too deeply to be written has in common. */
const unwritable = fingerprint(undefined);

/** The fingerprints of tools; each is made once, because tools that do not change stay the same object. */
export class ToolFingerprints {
  readonly #known = new WeakMap<Tool, Fingerprint>();

  /** Made at once where it is not known yet. */
  of(tool: Tool): Fingerprint {
    let known = this.#known.get(tool);
    if (known === undefined) this.#known.set(tool, (known = toolFingerprint(tool)));
    return known;
  }

  /** Makes those of a long list in slices, so that {@link of} has them at hand. */
  async prepare(entries: readonly ToolEntry[]): Promise<void> {
    const turns = new Turns();
    for (const { tool } of entries) {
      if (turns.isOver) await turns.next();
      this.of(tool);
    }
  }
}

/**
 * Whether the fingerprint tells the definition from others. One that cannot be written as JSON has
 * the same as every other such definition, so nothing may be concluded from it.
 */
export function tellsApart(value: Fingerprint): boolean {
  return value !== unwritable;
}
