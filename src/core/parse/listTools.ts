import { setImmediate } from 'node:timers/promises';
import { listPages, type GrowingList, type ReadPage } from './listPages';
import { asDuplicate, parseTool } from './parseTool';
import type { ListProblem, Tool, ToolList } from '../types';

const maxTools = 100_000;

/** Yields to other work after parsing this many tools, which takes a few milliseconds. */
const toolsPerTurn = 5_000;

/**
 * Reads all pages of `tools/list`; see {@link listPages}.
 * @throws {McpError} if the first page fails, the connection ends or the list is cancelled
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
    // Parsing such a page as JSON already blocked other work, so that runs before more time is
    // taken.
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

  /** True if a callable tool already has this name. Adds the name, to look it up only once. */
  #isTaken({ name, callable }: Tool): boolean {
    if (!callable) return this.#names.has(name);
    const before = this.#names.size;
    return this.#names.add(name).size === before;
  }
}
