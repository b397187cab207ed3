import { setImmediate } from 'node:timers/promises';
import { isMcpError, toMcpError } from '../errors';
import { asDuplicate, parseTool } from './parseTool';
import type { ToolPage } from './parseResults';
import type { ListProblem, Tool, ToolList } from '../types';

/** Far more than any server means; a list that goes on is a mistake or an attack. */
const maxPages = 1_000;
const maxTools = 100_000;

/** How many tools are parsed before everybody else has a turn: about a millisecond of work. */
const toolsPerTurn = 1_000;

const invalidParams = -32602;

/** What makes the rest of a list pointless, unlike a page that the server fails to give. */
const fatalCodes = ['cancelled', 'connectionClosed', 'messageTooLarge'] as const;

/**
 * All pages of `tools/list` in the server's order, one after the other. A page that fails
 * after others came ends the list with a problem; the tools that came are kept.
 * @throws {McpError} when the first page fails, or the connection or the wish for the list ends
 */
export async function listAllTools(readPage: ReadPage): Promise<ToolList> {
  const first = await readPages(readPage);
  // A cursor that the server forgot: once more from the start.
  return first.isCursorRefused ? (await readPages(readPage)).list : first.list;
}

type ReadPage = (cursor: string | undefined) => Promise<ToolPage>;

interface Pages {
  readonly list: ToolList;
  readonly isCursorRefused: boolean;
}

async function readPages(readPage: ReadPage): Promise<Pages> {
  const tools = new GrowingList();
  const end = (...problems: ListProblem[]): Pages => ({
    list: { tools: tools.all, problems },
    isCursorRefused: false,
  });
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let pageCount = 0; pageCount < maxPages; pageCount += 1) {
    let page: ToolPage;
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
    if (!(await tools.add(page.tools))) return end({ code: 'tooManyTools', limit: maxTools });
    cursor = page.nextCursor;
    if (cursor === undefined) return end();
    if (cursors.has(cursor)) return end({ code: 'repeatedCursor' });
    cursors.add(cursor);
  }
  return end({ code: 'tooManyPages', limit: maxPages });
}

class GrowingList {
  readonly #tools: Tool[] = [];
  readonly #names = new Set<string>();

  get all(): readonly Tool[] {
    return this.#tools;
  }

  /** Whether there was room for all of them. */
  async add(items: readonly unknown[]): Promise<boolean> {
    const room = maxTools - this.#tools.length;
    const end = Math.min(items.length, room);
    for (let from = 0; from < end; from += toolsPerTurn) {
      // A page of this size has kept everybody waiting already while it was parsed as JSON.
      if (end > toolsPerTurn) await setImmediate();
      this.#addSome(items, from, Math.min(from + toolsPerTurn, end));
    }
    return items.length <= room;
  }

  #addSome(items: readonly unknown[], from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      const tool = parseTool(items[index]);
      this.#tools.push(this.#isTaken(tool) ? asDuplicate(tool) : tool);
    }
  }

  /** Whether a tool that can be called has its name already; asks once, because lists are long. */
  #isTaken({ name, callable }: Tool): boolean {
    if (!callable) return this.#names.has(name);
    const before = this.#names.size;
    return this.#names.add(name).size === before;
  }
}
