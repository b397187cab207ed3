import { McpError } from '../../core/errors';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolEntry } from '../../host/connections/snapshot';
import { notifyServerError } from '../editor/messages';
import type { PickersOfCall } from '../picking/focusPlaceholder';
import type { ServerActions, OnStartBegun } from '../servers/serverActions';
import { isToolGone, notifyToolGone, notifyNotCallable } from './missingTool';

export interface CallableToolOptions {
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly actions: Pick<ServerActions, 'startForUse'>;
}

/**
 * Returns the tool of a row, which may no longer exist. Its server is started if the user agrees.
 * If there is no tool, the user is told why.
 *
 * @param held keeps the focus until the server has started
 */
export async function callableTool(
  { registry, actions }: CallableToolOptions,
  serverId: string,
  toolName: string,
  held?: Pick<PickersOfCall, 'start'>,
): Promise<ToolEntry | undefined> {
  const server = registry.find(serverId);
  if (server !== undefined && server.state.kind !== 'running') {
    const begun: OnStartBegun | undefined = held && ((label) => held.start(label).token);
    if (!(await actions.startForUse(serverId, true, begun))) return undefined;
    if (isToolGone(registry.find(serverId), toolName)) {
      notifyToolGone(toolName, server.config.label);
      return undefined;
    }
  }
  const tools = registry.find(serverId)?.tools ?? [];
  const named = tools.filter(({ tool }) => tool.name === toolName);
  const entry = named.find(({ tool }) => tool.callable);
  if (entry === undefined) notifyNotCallable(toolName, named.length > 0);
  if (entry?.isDisabled !== true) return entry;
  const label = server?.config.label ?? serverId;
  notifyServerError({ id: serverId, label }, new McpError('toolDisabled', { detail: toolName }));
  return undefined;
}
