import { setImmediate } from 'node:timers/promises';
import { listPages, type GrowingList, type ReadPage } from './listPages';
import { asDuplicate, parseTool } from './parseTool';
import type { ListProblem, Tool, ToolList } from '../types';

const maxTools = 100_000;

/** How many tools are parsed before everybody else has a turn: a few milliseconds of work. */
const toolsPerTurn = 5_000;

/**
 * All pages of `tools/list`; see {@link listPages}.
 * @throws {McpError} when the first page fails, or the connection or the wish for the list ends
 */
export async function listAllTools(readPage: ReadPage): Promise<ToolList> {
  const { list, problems } = await listPages(readPage, () => new GrowingTools());
  return { tools: list.all, problems };
}

class GrowingTools implements GrowingList {
  readonly #tools: Tool[] = [];
  readonly #names = new Set<string>();

  get all(): readonly Tool[] {
    return this.#tools;
  }

  async add(
    items: readonly unknown[],
    levels: number | undefined,
  ): Promise<ListProblem | undefined> {
    const room = maxTools - this.#tools.length;
    const end = Math.min(items.length, room);
    // A page of this size has kept everybody waiting already while it was parsed as JSON, and
    // what comes immediately comes in that turn.
    if (end > toolsPerTurn) await setImmediate();
    for (let from = 0; from < end; from += toolsPerTurn) {
      if (end > toolsPerTurn) await setImmediate();
      this.#addSome(items.slice(from, Math.min(from + toolsPerTurn, end)), levels);
    }
    return items.length <= room ? undefined : { code: 'tooManyTools', limit: maxTools };
  }

  #addSome(items: readonly unknown[], levels: number | undefined): void {
    for (const item of items) {
      const tool = parseTool(item, levels);
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
