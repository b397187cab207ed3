import { isMcpError, toMcpError } from '../errors';
import { SeenEntries } from './seenEntries';
import type { ListPage } from './parseResults';
import type { ListProblem } from '../types';

/** Far more than any server means; a list that goes on is a mistake or an attack. */
const maxPages = 1_000;

/** A page may be empty where entries are filtered after they were counted. */
const maxEmptyPages = 10;

const invalidParams = -32602;

/** What makes the rest of a list pointless, unlike a page that the server fails to give. */
const fatalCodes = ['cancelled', 'connectionClosed', 'messageTooLarge', 'serverFlood'] as const;

export type ReadPage = (cursor: string | undefined) => Promise<ListPage>;

/** What takes the entries of one page after the other; a problem ends the list. */
export interface GrowingList {
  /** `levels`: what the page has at most, where that is known. */
  add(items: readonly unknown[], levels: number | undefined): Promise<ListProblem | undefined>;
}

interface Pages<List> {
  readonly list: List;
  /** Why the list may be incomplete. */
  readonly problems: readonly ListProblem[];
}

/**
 * All pages of a list, in the server's order, one after the other. What came on a page before,
 * just as it is, is not listed again, and a page with nothing else ends the list, as do ten empty ones in
 * a row. A page that fails after others came ends the list with a problem; what came is kept.
 * @throws {McpError} when the first page fails, or the connection or the wish for the list ends
 */
export async function listPages<List extends GrowingList>(
  readPage: ReadPage,
  newList: () => List,
): Promise<Pages<List>> {
  const first = await readPages(readPage, newList());
  // A cursor that the server forgot: once more from the start.
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

/** Puts into a list what is new on each page. */
class TakenPages {
  readonly #list: GrowingList;
  readonly #cursors = new Set<string>();
  readonly #seen = new SeenEntries();
  #repeated = 0;
  #emptyInARow = 0;

  constructor(list: GrowingList) {
    this.#list = list;
  }

  /** What the pages say that did not end the list. */
  get problems(): readonly ListProblem[] {
    return this.#repeated === 0 ? [] : [{ code: 'repeatedEntries', count: this.#repeated }];
  }

  /** Why the list ends with this page, if it does not by itself. */
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
