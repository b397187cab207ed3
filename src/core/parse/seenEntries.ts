import { isSameJson } from '../json/sameJson';
import { isObject } from '../json/shapes';

/** Limits the entries kept per name; further ones count as new. */
const maxKnown = 10;

/** The entries that earlier pages of a list had, by name. */
export class SeenEntries {
  #isFirst = true;
  #pages: (readonly unknown[])[] = [];
  readonly #byName = new Map<string, unknown[]>();

  /** Returns the items that no earlier page had in identical form. */
  newOf(items: readonly unknown[]): readonly unknown[] {
    // Most lists have one page, so nothing is recorded before the second.
    if (this.#isFirst) {
      this.#isFirst = false;
      this.#pages = [items];
      return items;
    }
    for (const page of this.#pages) for (const item of page) this.#note(item);
    const fresh = items.filter((item) => !this.#isKnown(item));
    this.#pages = [fresh];
    return fresh;
  }

  #note(item: unknown): void {
    const name = nameOf(item);
    const known = this.#byName.get(name);
    if (known === undefined) this.#byName.set(name, [item]);
    else if (known.length < maxKnown) known.push(item);
  }

  #isKnown(item: unknown): boolean {
    return this.#byName.get(nameOf(item))?.some((known) => isSameJson(known, item)) === true;
  }
}

function nameOf(item: unknown): string {
  const { uri, uriTemplate, name } = isObject(item) ? item : {};
  return String([uri, uriTemplate, name].find((each) => typeof each === 'string'));
}
