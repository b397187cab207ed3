import { dropOldest } from '../bounds/shortLivedMap';
import type { CallOptions, ListOptions } from '../client';
import { parseListPage, type ListKey } from '../parse/parseResults';
import type { ReadPage } from '../parse/listPages';
import type { RequestParams } from '../rpc/rpc';
import type { ListProblem } from '../types';
import { finiteNumberOrAbsent, isObject } from '../json/shapes';

/** Sends a request in the way of the era. @throws {McpError} what `Rpc.request` throws */
export type SendRequest = <T>(
  method: string,
  params: RequestParams,
  parse: (result: unknown) => T,
  options: CallOptions | undefined,
) => Promise<T>;

/** Returns a function that requests the pages of a list. `params` are those of every page. */
export function pagesOf(
  send: SendRequest,
  method: string,
  key: ListKey,
  options: CallOptions | undefined,
  params: RequestParams = {},
): ReadPage {
  const parse = (result: unknown) => parseListPage(result, key);
  return (cursor) =>
    send(method, cursor === undefined ? params : { ...params, cursor }, parse, options);
}

export interface CachedListOptions<List> {
  readonly method: string;
  /** The member of the result that contains the entries. */
  readonly key: ListKey;
  /** Returns how long a page may be cached, in milliseconds. */
  readonly ttlOf: (result: unknown) => number;
  /** Reads all pages as one list. */
  readonly listAll: (readPage: ReadPage) => Promise<List>;
}

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

  /** Returns the cached list, or asks the server. @throws {McpError} as `listPages` does */
  async read(send: SendRequest, options: ListOptions | undefined): Promise<List> {
    const known = options?.isRefresh === true ? undefined : this.#kept.get('');
    if (known !== undefined) return known;
    const { method, key, listAll } = this.#options;
    const changes = this.#changes;
    let ttlMs = Infinity;
    const parse = (result: unknown) => {
      ttlMs = Math.min(ttlMs, this.#options.ttlOf(result));
      return parseListPage(result, key);
    };
    const list = await listAll((cursor) =>
      send(method, cursor === undefined ? {} : { cursor }, parse, options),
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

/** Limits how long a result is cached. */
const maxTtlMs = 24 * 60 * 60 * 1_000;

/**
 * Returns how long a result may be cached, in milliseconds; 0 if the value is missing or invalid
 * . `cacheScope` does not matter, because nothing is shared beyond one connection
 * (R-426).
 */
export function ttlOf(result: unknown): number {
  const ttlMs = isObject(result) ? finiteNumberOrAbsent(result.ttlMs) : undefined;
  return ttlMs === undefined || ttlMs <= 0 ? 0 : Math.min(ttlMs, maxTtlMs);
}

/** Caches the newest results of one connection while they are valid, at most `maxEntries`. */
export class FreshCache<T> {
  readonly #maxEntries: number;
  readonly #entries = new Map<string, { readonly value: T; readonly until: number }>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** Uses the monotonic clock. */
  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || performance.now() < entry.until) return entry?.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: T, ttlMs: number): void {
    this.#entries.delete(key);
    if (ttlMs <= 0) return;
    this.#entries.set(key, { value, until: performance.now() + ttlMs });
    dropOldest(this.#entries, this.#maxEntries);
  }

  clear(): void {
    this.#entries.clear();
  }
}
