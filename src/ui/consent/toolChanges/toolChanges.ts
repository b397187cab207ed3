import type { Tool } from '../../../core/types';
import type { ServerRegistry } from '../../../host/connections/registry';
import type { Server } from '../../../host/connections/snapshot';
import type { AcceptedChanges, Pins } from '../../../host/consent/pins/pins';
import type { ToolChangeKind } from './formatToolChange';

/** One tool that differs from the accepted one. */
export interface ToolChange {
  readonly kind: ToolChangeKind;
  readonly server: Server;
  readonly toolName: string;
  /** The current tool. Absent if it is no longer listed. */
  readonly tool?: Tool;
}

/** Returns the changes of one server, or of all running servers if there is no id. */
export function toolChanges(
  registry: Pick<ServerRegistry, 'servers'>,
  pins: Pick<Pins, 'marks'>,
  serverId?: string,
): ToolChange[] {
  return registry.servers
    .filter(({ config, state }) => (serverId ?? config.id) === config.id && isRunning(state))
    .flatMap((server) => changesOf(server, pins));
}

const isRunning = ({ kind }: Server['state']): boolean => kind === 'running';

function changesOf(server: Server, pins: Pick<Pins, 'marks'>): ToolChange[] {
  const marks = pins.marks(server.config.id);
  const listed = server.tools.flatMap(({ tool }): ToolChange[] => {
    if (!tool.callable) return [];
    const isNew = marks.new.has(tool.name);
    if (!isNew && !marks.changed.has(tool.name)) return [];
    return [{ kind: isNew ? 'new' : 'changed', server, toolName: tool.name, tool }];
  });
  const gone = marks.gone.map((toolName): ToolChange => ({ kind: 'gone', server, toolName }));
  return [...listed, ...gone];
}

/** Accepts exactly these tools, as they were listed. */
export async function acceptToolChanges(
  pins: Pick<Pins, 'acceptChanges'>,
  changes: readonly ToolChange[],
): Promise<void> {
  const servers = new Map(changes.map(({ server }) => [server.config.id, server]));
  for (const [id, { config }] of servers) {
    const own = changes.filter(({ server }) => server.config.id === id);
    const accepted: AcceptedChanges = {
      tools: own.flatMap(({ tool }) => (tool === undefined ? [] : [tool])),
      gone: own.flatMap(({ kind, toolName }) => (kind === 'gone' ? [toolName] : [])),
    };
    await pins.acceptChanges(config, accepted);
  }
}
