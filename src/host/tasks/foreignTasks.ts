import { CancellationTokenSource, type CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from '../../core/client';
import { McpError, toMcpError } from '../../core/errors';
import type { TaskState } from '../../core/tasks/taskState';

/** More are not useful in a picker. */
const maxTasks = 100;
/** Time limits for each page of the list, and for the full list. */
const limitsMs = { page: 5_000, list: 15_000 };

/** Tasks of one server that were not created here, or the reason why they are unknown. */
export interface ForeignTasks {
  /** At most 100, in the server's order. */
  readonly tasks: readonly TaskState[];
  readonly isIncomplete: boolean;
  readonly error?: McpError;
}

/** Lists the tasks in `tasks/list` that are not known here, within 15 seconds. Never rejects. */
export async function listForeignTasks(
  client: Pick<McpClient, 'listTasks'>,
  isKnown: (taskId: string) => boolean,
  token: CancellationToken,
): Promise<ForeignTasks> {
  const source = new CancellationTokenSource();
  const outer = token.onCancellationRequested(() => source.cancel());
  let isOverdue = false;
  const timer = setTimeout(() => {
    isOverdue = true;
    source.cancel();
  }, limitsMs.list);
  try {
    const options = { token: source.token, timeoutMs: limitsMs.page };
    const { tasks, problems } = await client.listTasks(options);
    const foreign = tasks.filter(({ taskId }) => !isKnown(taskId));
    const isIncomplete =
      problems.some(({ code }) => code !== 'repeatedEntries') || foreign.length > maxTasks;
    return { tasks: foreign.slice(0, maxTasks), isIncomplete };
  } catch (thrown) {
    const error = isOverdue
      ? new McpError('timeout', { limit: limitsMs.list })
      : toMcpError(thrown);
    return { tasks: [], isIncomplete: true, error };
  } finally {
    clearTimeout(timer);
    outer.dispose();
  }
}
