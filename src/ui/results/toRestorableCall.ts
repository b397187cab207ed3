import type { CallOutcome } from '../../host/calls/call';
import type { RestorableCall } from '../../host/history/restorableCall';
import { toolTitle } from '../format/toolTitle';

/** A call of this session has no path yet, and a call of an API caller has no id. */
export type CallToKeep = Omit<RestorableCall, 'callId' | 'path'> & Partial<RestorableCall>;

/** Returns the data of an outcome that is kept as documents, or `undefined` if it has no result. */
export function toRestorableCall(
  outcome: CallOutcome,
  labelOf: (serverId: string) => string,
): CallToKeep | undefined {
  if (outcome.kind !== 'result' && outcome.kind !== 'toolError') return undefined;
  const { result, entry, durationMs, violations, missingStructuredContent } = outcome;
  const { serverId, tool, risk } = entry;
  return {
    ...(outcome.callId === undefined ? {} : { callId: outcome.callId }),
    serverId,
    serverLabel: labelOf(serverId),
    toolName: tool.name,
    toolTitle: toolTitle(tool),
    ...(outcome.isPrompt && { isPrompt: outcome.isPrompt }),
    isExternal: risk.openWorld,
    createdAt: Date.now() - durationMs,
    durationMs,
    result,
    violations,
    missingStructuredContent,
    ...(outcome.schemaError === undefined ? {} : { schemaError: outcome.schemaError }),
  };
}
