import { createHash, randomUUID } from 'node:crypto';
import { isMcpError, toMcpError } from '../errors';
import type { ListPage } from './parseResults';
import type { ListProblem } from '../types';
import { exactJson } from '../json/layOutJson';
import { isObject } from '../json/shapes';

/** Far more than real servers have; an endless list is a mistake or an attack. */
const maxPages = 1_000;

/** A page may be empty if the server filters entries after counting them. */
const maxEmptyPages = 10;

const invalidParams = -32602;

/** Errors after which the rest of the list is pointless, unlike a single page that fails. */
const fatalCodes = ['cancelled', 'connectionClosed', 'messageTooLarge', 'serverFlood'] as const;

export type ReadPage = (cursor: string | undefined) => Promise<ListPage>;

/** Takes the entries page by page. Returning a problem ends the list. */
export interface GrowingList {
  /** @param levels An upper limit for the depth of the items, if it is known. */
  add(items: readonly unknown[], levels: number | undefined): Promise<ListProblem | undefined>;
}

interface Pages<List> {
  readonly list: List;
  /** Why the list may be incomplete. */
  readonly problems: readonly ListProblem[];
}

/**
 * Reads all pages of a list in the server's order. Entries identical to earlier ones are
 * dropped; a page with nothing new ends the list, and so do ten empty pages in a row. If a page
 * fails after the first, the list ends with a problem and keeps what was read.
 * @throws {McpError} if the first page fails, the connection ends or the list is cancelled
 */
export async function listPages<List extends GrowingList>(
  readPage: ReadPage,
  newList: () => List,
): Promise<Pages<List>> {
  const first = await readPages(readPage, newList());
  // The server forgot the cursor, so the list is read once more from the start.
  return first.isCursorRefused ? readPages(readPage, newList()) : first;
}

async function readPages<List extends GrowingList>(
  readPage: ReadPage,
  list: List,
): Promise<Pages<List> & { readonly isCursorRefused: boolean }> {
  const pages = new TakenPages(list);
  const end = (...problems: ListProblem[]) => ({
    list,
    problems: [...pages.problems, ...problems],
    isCursorRefused: false,
  });
  let cursor: string | undefined;
  for (let pageCount = 0; pageCount < maxPages; pageCount += 1) {
    let page: ListPage;
    try {
      page = await readPage(cursor);
    } catch (error) {
      if (cursor === undefined || fatalCodes.some((code) => isMcpError(error, code))) throw error;
      const failure = toMcpError(error);
      return {
        ...end({ code: 'pageFailed', detail: failure.message }),
        isCursorRefused: failure.facts.rpcCode === invalidParams,
      };
    }
    const problem = await pages.take(page);
    if (problem !== undefined) return end(problem);
    cursor = page.nextCursor;
    if (cursor === undefined) return end();
  }
  return end({ code: 'tooManyPages', limit: maxPages });
}

/** Adds the new entries of each page to a list. */
class TakenPages {
  readonly #list: GrowingList;
  readonly #cursors = new Set<string>();
  readonly #seen = new SeenEntries();
  #repeated = 0;
  #emptyInARow = 0;

  constructor(list: GrowingList) {
    this.#list = list;
  }

  /** Problems that did not end the list. */
  get problems(): readonly ListProblem[] {
    return this.#repeated === 0 ? [] : [{ code: 'repeatedEntries', count: this.#repeated }];
  }

  /** Returns the problem that ends the list at this page, if there is one. */
  async take(page: ListPage): Promise<ListProblem | undefined> {
    const { items, levels, nextCursor, isCursorUnusable } = page;
    const fresh = this.#seen.newOf(items);
    if (fresh.length === 0 && items.length > 0) return { code: 'repeatedCursor' };
    this.#repeated += items.length - fresh.length;
    const problem = await this.#list.add(fresh, levels);
    if (problem !== undefined) return problem;
    if (isCursorUnusable) return { code: 'pageFailed', detail: 'nextCursor is not a string' };
    if (nextCursor === undefined) return undefined;
    this.#emptyInARow = items.length === 0 ? this.#emptyInARow + 1 : 0;
    if (this.#cursors.has(nextCursor)) return { code: 'repeatedCursor' };
    this.#cursors.add(nextCursor);
    if (this.#emptyInARow < maxEmptyPages) return undefined;
    return { code: 'emptyPages', limit: maxEmptyPages };
  }
}

/** Limits the entries kept per name; further ones count as new. */
const maxKnown = 10;

/** The entries that earlier pages of a list had, by name. */
class SeenEntries {
  #isFirst = true;
  #pages: (readonly unknown[])[] = [];
  readonly #byName = new Map<string, SeenEntry[]>();

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
    if (known === undefined) this.#byName.set(name, [{ item }]);
    else if (known.length < maxKnown) known.push({ item });
  }

  #isKnown(item: unknown): boolean {
    const known = this.#byName.get(nameOf(item));
    if (known === undefined) return false;
    const digest = digestOf(item);
    return known.some((each) => (each.digest ??= digestOf(each.item)) === digest);
  }
}

interface SeenEntry {
  readonly item: unknown;
  /** Made once, when another entry has the same name. Comparing each pair would be quadratic. */
  digest?: string;
}

/** Returns the same text for values of the same JSON. Values that cannot be written have a new one each. */
function digestOf(item: unknown): string {
  try {
    return createHash('sha256')
      .update(exactJson(item) ?? '')
      .digest('base64');
  } catch {
    return randomUUID();
  }
}

function nameOf(item: unknown): string {
  const { uri, uriTemplate, name } = isObject(item) ? item : {};
  return String([uri, uriTemplate, name].find((each) => typeof each === 'string'));
}
