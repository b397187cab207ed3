import { FreshCache } from './freshCache';
import { parseListPage, type ListKey, type ListPage } from '../parse/parseResults';
import type { ReadPage } from '../parse/listPages';
import type { RequestParams } from '../rpc/rpc';
import type { ListProblem } from '../types';

export interface CachedListOptions<List> {
  readonly method: string;
  /** The member of the result that contains the entries. */
  readonly key: ListKey;
  /** Returns how long a page may be cached, in milliseconds. */
  readonly ttlOf: (result: unknown) => number;
  /** Reads all pages as one list. */
  readonly listAll: (readPage: ReadPage) => Promise<List>;
}

/** Sends the request for one page. */
export type SendForPage = (
  method: string,
  params: RequestParams,
  parse: (result: unknown) => ListPage,
) => Promise<ListPage>;

/** Problems of entries, which a repeated request would have as well. */
const lastingProblems: ReadonlySet<ListProblem['code']> = new Set([
  'repeatedEntries',
  'unusableEntries',
]);

/** Caches a list of a server for the shortest lifetime of its pages, until a change is reported. */
export class CachedList<List extends { readonly problems: readonly ListProblem[] }> {
  readonly #options: CachedListOptions<List>;
  readonly #kept = new FreshCache<List>(1);
  /** Counts changes, to detect those that happen while a list is loading. */
  #changes = 0;

  constructor(options: CachedListOptions<List>) {
    this.#options = options;
  }

  get current(): List | undefined {
    return this.#kept.get('');
  }

  /** Asks the server, ignoring the cache. @throws {McpError} as `listPages` does */
  async load(send: SendForPage): Promise<List> {
    const { method, key, ttlOf, listAll } = this.#options;
    const changes = this.#changes;
    let ttlMs = Infinity;
    const parse = (result: unknown) => {
      ttlMs = Math.min(ttlMs, ttlOf(result));
      return parseListPage(result, key);
    };
    const list = await listAll((cursor) =>
      send(method, cursor === undefined ? {} : { cursor }, parse),
    );
    // A list with other problems is loaded again the next time.
    const isWhole = list.problems.every(({ code }) => lastingProblems.has(code));
    const isGood = changes === this.#changes && isWhole;
    this.#kept.set('', list, isGood ? ttlMs : 0);
    return list;
  }

  /** Caches a list until a change is reported. */
  keep(list: List): void {
    this.#kept.set('', list, Infinity);
  }

  /** Invalidates the cached list and the one that is loading. */
  changed(): void {
    this.#changes += 1;
    this.#kept.clear();
  }
}
