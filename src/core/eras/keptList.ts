import { FreshCache } from './freshCache';
import { parseListPage, type ListKey, type ListPage } from '../parse/parseResults';
import type { ReadPage } from '../parse/listPages';
import type { RequestParams } from '../rpc/rpc';
import type { ListProblem } from '../types';

export interface KeptListOptions<List> {
  readonly method: string;
  /** Of the result, where the entries stand. */
  readonly key: ListKey;
  /** How long a page holds, from now, in ms. */
  readonly ttlOf: (result: unknown) => number;
  /** All pages as one list. */
  readonly listAll: (readPage: ReadPage) => Promise<List>;
}

/** Sends the request for one page. */
export type SendForPage = (
  method: string,
  params: RequestParams,
  parse: (result: unknown) => ListPage,
) => Promise<ListPage>;

/** Of entries; another list would have them as well. */
const lastingProblems: ReadonlySet<ListProblem['code']> = new Set([
  'repeatedEntries',
  'unusableEntries',
]);

/** A list of a server, kept as long as its shortest page holds and nothing tells of a change. */
export class KeptList<List extends { readonly problems: readonly ListProblem[] }> {
  readonly #options: KeptListOptions<List>;
  readonly #kept = new FreshCache<List>(1);
  /** Counts what makes a list that is under way old before it is there. */
  #changes = 0;

  constructor(options: KeptListOptions<List>) {
    this.#options = options;
  }

  get current(): List | undefined {
    return this.#kept.get('');
  }

  /** Asks the server, whatever is kept. @throws {McpError} as `listPages` does */
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
    // A list with other problems is worth another try whenever somebody wants it.
    const isWhole = list.problems.every(({ code }) => lastingProblems.has(code));
    const isGood = changes === this.#changes && isWhole;
    this.#kept.set('', list, isGood ? ttlMs : 0);
    return list;
  }

  /** Holds until something tells of a change. */
  keep(list: List): void {
    this.#kept.set('', list, Infinity);
  }

  /** What is kept, and what is under way, is old. */
  changed(): void {
    this.#changes += 1;
    this.#kept.clear();
  }
}
