import { isMcpError, toMcpError } from '../errors';
import { SeenEntries } from './seenEntries';
import type { ListPage } from './parseResults';
import type { ListProblem } from '../types';

/** Far more than any server means; a list that goes on is a mistake or an attack. */
const maxPages = 1_000;

const invalidParams = -32602;

/** What makes the rest of a list pointless, unlike a page that the server fails to give. */
const fatalCodes = ['cancelled', 'connectionClosed', 'messageTooLarge', 'serverFlood'] as const;

export type ReadPage = (cursor: string | undefined) => Promise<ListPage>;

/** What takes the entries of one page after the other; a problem ends the list. */
export interface GrowingList {
  add(items: readonly unknown[]): Promise<ListProblem | undefined>;
}

interface Pages<List> {
  readonly list: List;
  /** Why the list may be incomplete. */
  readonly problems: readonly ListProblem[];
}

/**
 * All pages of a list, in the server's order, one after the other. What came on a page before,
 * just as it is, is not listed again, and a page with nothing else ends the list. A page that fails after
 * others came ends the list with a problem; what came is kept.
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
  const end = (...problems: ListProblem[]) => ({ list, problems, isCursorRefused: false });
  const cursors = new Set<string>();
  const seen = new SeenEntries();
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
    const items = seen.newOf(page.items);
    if (items.length === 0 && page.items.length > 0) return end({ code: 'repeatedCursor' });
    const problem = await list.add(items);
    if (problem !== undefined) return end(problem);
    cursor = page.nextCursor;
    if (cursor === undefined) return end();
    if (cursors.has(cursor)) return end({ code: 'repeatedCursor' });
    cursors.add(cursor);
  }
  return end({ code: 'tooManyPages', limit: maxPages });
}
