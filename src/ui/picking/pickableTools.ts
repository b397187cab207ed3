import { withSecretsAs } from '../../core/arguments/argumentsText';
import { checkArguments } from '../../core/arguments/checkArguments';
import { planFields } from '../../core/arguments/inputFields';
import type { JsonObject } from '../../core/json/jsonValue';
import { riskLevels } from '../../core/risk';
import type { SchemaTimeLimits, SchemaValidator } from '../../core/schema/schema';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import { isFromUser } from '../../host/consent/facts/callFacts';
import type { PastCall } from '../../host/history/pastCall';

/** A tool that can be chosen, with its last call. */
export interface PickableTool {
  readonly server: Server;
  readonly entry: ToolEntry;
  /** True if its server is not running and listed the tool earlier. */
  readonly isLastKnown: boolean;
  /** The last call of it that was sent. */
  readonly lastCall?: PastCall;
  /** Position of that call among the last calls of all tools. 0 is the newest. */
  readonly lastCallRank?: number;
}

/** Facts that the servers themselves do not have. */
interface PickableFacts {
  /** The last call of each tool, the newest first. */
  readonly calls?: readonly PastCall[];
  /** Returns the tools that a stopped server listed last. */
  readonly lastKnown?: (server: Server) => readonly ToolEntry[];
}

/**
 * Returns the tools that can be called now, and those that can be called after their server is
 * started, by server. The read-only tools of each server come first, then the additive ones. Enter
 * takes the first row, so among equals it is the most harmless one. Within a level, and everywhere
 * in the tree, the server's own order is kept.
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

/** Further tools that were called are listed below with their servers. */
const maxRecent = 10;

/** Returns the tools that were called last, the newest call first. */
export function recentTools(tools: readonly PickableTool[]): readonly PickableTool[] {
  return byLastCall(tools.filter(({ lastCall }) => lastCall !== undefined)).slice(0, maxRecent);
}

/** Sorts the tools that were called last to the front; the others keep their order. */
export function byLastCall(tools: readonly PickableTool[]): readonly PickableTool[] {
  const rankOf = ({ lastCallRank = Number.MAX_SAFE_INTEGER }: PickableTool): number => lastCallRank;
  return tools.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function keyOf(serverId: string, toolName: string): string {
  return JSON.stringify([serverId, toolName]);
}

/**
 * Returns the arguments of the user's last call of the tool if they are fully known: no secret was
 * omitted, and no other program called the tool or wrote them. Returns `undefined` if the tool
 * takes no arguments.
 */
export function lastArguments({ entry, lastCall }: PickableTool): JsonObject | undefined {
  if (lastCall === undefined || lastCall.hasSecrets === true) return undefined;
  if (!isFromUser(lastCall.origin) || lastCall.isForeign === true) return undefined;
  return planFields(entry.tool.inputSchema).kind === 'none' ? undefined : lastCall.arguments;
}

/** The question waits for it. The gate uses longer limits. */
const limits: SchemaTimeLimits = { compileMs: 1_000, validateMs: 100 };

/**
 * True if the schema, which may have changed, accepts the arguments and marks none of them as a
 * secret.
 */
export function isStillValid(
  validator: Pick<SchemaValidator, 'validate'>,
  schema: JsonObject,
  value: JsonObject,
): boolean {
  if (withSecretsAs(undefined, schema, value).hasSecrets) return false;
  return checkArguments(validator, schema, value, limits).verdict.kind === 'valid';
}
