import { riskLevels } from '../../core/risk';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import type { PastCall } from '../../host/history/pastCall';

/** A tool that can be chosen, with what is known of it. */
export interface PickableTool {
  readonly server: Server;
  readonly entry: ToolEntry;
  /** Its server does not run: it is as it was listed last. */
  readonly isLastKnown: boolean;
  /** The last call of it that was sent. */
  readonly lastCall?: PastCall;
}

/** What is known beside the servers themselves. */
export interface PickableFacts {
  /** The last call of each tool, the newest first. */
  readonly calls?: readonly PastCall[];
  /** What a server that does not run listed last. */
  readonly lastKnown?: (server: Server) => readonly ToolEntry[];
}

/**
 * The tools that can be called now, and those that can when their server was started, by server; of
 * each server the read-only ones first, then those that only add. The picker's first row is the one
 * that Enter takes, so among equals it is the most harmless one. Within a level, and everywhere in
 * the tree, the server's own order stands.
 */
export function pickableTools(
  servers: readonly Server[],
  { calls = [], lastKnown = () => [] }: PickableFacts = {},
): readonly PickableTool[] {
  const lastCalls = new Map(calls.map((call) => [keyOf(call.server, call.tool), call]));
  return servers.flatMap((server) => {
    if (server.isDisabled === true) return [];
    const isLastKnown = server.state.kind !== 'running';
    const entries = isLastKnown ? lastKnown(server) : server.tools;
    const callable = entries.filter(({ tool, isDisabled }) => tool.callable && isDisabled !== true);
    return riskLevels
      .flatMap((level) => callable.filter(({ risk }) => risk.level === level))
      .map((entry): PickableTool => {
        const tool = { server, entry, isLastKnown };
        if (lastCalls.size === 0) return tool;
        const lastCall = lastCalls.get(keyOf(server.config.id, entry.tool.name));
        return lastCall === undefined ? tool : { ...tool, lastCall };
      });
  });
}

/** More that were called are further down again, with their servers. */
const maxRecent = 10;

/** Those that were called last, the newest call first. */
export function recentTools(tools: readonly PickableTool[]): readonly PickableTool[] {
  return tools
    .filter(({ lastCall }) => lastCall !== undefined)
    .toSorted((a, b) => (b.lastCall?.endedAt ?? 0) - (a.lastCall?.endedAt ?? 0))
    .slice(0, maxRecent);
}

function keyOf(serverId: string, toolName: string): string {
  return JSON.stringify([serverId, toolName]);
}
