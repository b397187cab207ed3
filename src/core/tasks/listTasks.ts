import { listPages, type GrowingList, type ReadPage } from '../parse/listPages';
import type { ListProblem } from '../types';
import { parseTask, type TaskState } from './taskState';

/** Longer lists are not useful. */
const maxTasks = 1_000;

export interface TaskList {
  readonly tasks: readonly TaskState[];
  /** Why the list may be incomplete. */
  readonly problems: readonly ListProblem[];
}

/**
 * Reads all pages of `tasks/list`, at most 1,000 tasks. Malformed entries are left out.
 * @throws {McpError} if the first page fails, the connection ends or the list is cancelled
 */
export async function listAllTasks(readPage: ReadPage): Promise<TaskList> {
  const { list, problems } = await listPages(readPage, () => new GrowingTasks());
  return { tasks: [...list.byId.values()], problems };
}

class GrowingTasks implements GrowingList {
  readonly byId = new Map<string, TaskState>();

  async add(items: readonly unknown[]): Promise<ListProblem | undefined> {
    for (const item of items) {
      if (this.byId.size === maxTasks) return { code: 'tooManyTasks', limit: maxTasks };
      const task = parsed(item);
      if (task !== undefined) this.byId.set(task.taskId, task);
    }
    return undefined;
  }
}

function parsed(item: unknown): TaskState | undefined {
  try {
    return parseTask(item, 'stateful');
  } catch {
    return undefined;
  }
}
