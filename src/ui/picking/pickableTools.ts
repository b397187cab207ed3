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
  /** The place of that call among the last calls of all tools: 0 is the newest. */
  readonly lastCallRank?: number;
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
  const lastCalls = new Map(
    calls.map((call, rank) => [
      keyOf(call.server, call.tool),
      { lastCall: call, lastCallRank: rank },
    ]),
  );
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
        return { ...tool, ...lastCalls.get(keyOf(server.config.id, entry.tool.name)) };
      });
  });
}

/** More that were called are further down again, with their servers. */
const maxRecent = 10;

/** Those that were called last, the newest call first. */
export function recentTools(tools: readonly PickableTool[]): readonly PickableTool[] {
  return byLastCall(tools.filter(({ lastCall }) => lastCall !== undefined)).slice(0, maxRecent);
}

/** Those that were called last first; those that were never called keep their order behind them. */
export function byLastCall(tools: readonly PickableTool[]): readonly PickableTool[] {
  const rankOf = ({ lastCallRank = Number.MAX_SAFE_INTEGER }: PickableTool): number => lastCallRank;
  return tools.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function keyOf(serverId: string, toolName: string): string {
  return JSON.stringify([serverId, toolName]);
}
