import { McpError } from '../../core/errors';
import type { AgentDraft } from '../../host/agents/agentDrafts';
import { violatesSchema, type CallOutcome } from '../../host/calls/call';
import type { EndedCall, RunningCall } from '../../host/calls/runningCall';
import type { CallOrigin } from '../../host/consent/facts/callFacts';
import type { AnswerOmission, PastCall } from '../../host/history/pastCall';
import { decisionFacts } from '../../host/journal/decisionFacts';
import { briefArguments } from '../format/formatArguments';
import { formatDecision } from '../format/formatDecision';
import { formatError, quoted } from '../format/sentences';
import { toolTitle } from '../format/toolTitle';

/** An ended call of this or an earlier session, as shown in the view. */
export interface ShownCall {
  readonly id: string;
  /** Id of the server and name of the tool, both untrusted. */
  readonly server: string;
  readonly tool: string;
  /** Display names: plain text of limited length. */
  readonly title: string;
  readonly serverLabel: string;
  readonly origin: CallOrigin;
  /** The name that an agent claims. */
  readonly client?: string;
  /** True if an agent's call timed out while waiting for the user, who can still make it. */
  readonly isDraft: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly wasSent: boolean;
  readonly durationMs: number;
  readonly outcome: CallOutcome['kind'];
  /** True if the answer violates the output schema of the tool. */
  readonly breaksSchema: boolean;
  readonly error?: McpError;
  readonly isUnanswered: boolean;
  /** Reason why its result was not kept. */
  readonly omitted?: AnswerOmission;
  /** Arguments in short, without secrets; empty if there are none or they were not kept. */
  readonly briefArguments: string;
  /** The rule or permission that decided about the call, or the reason for asking. */
  readonly why?: string;
}

/** @param kept The entry of the call in the history, if it has one. */
export function fromSession(
  call: EndedCall,
  kept?: Pick<PastCall, 'answer' | 'arguments'>,
  draft?: Pick<AgentDraft, 'arguments'>,
): ShownCall {
  const omitted = kept?.answer?.omitted;
  const { id, error, client } = call;
  const shown = {
    id,
    ...factsOf(call),
    title: callTitle(call),
    serverLabel: callServer(call),
    ...(client === undefined ? {} : { client }),
    isDraft: draft !== undefined,
    briefArguments: briefArguments(kept?.arguments ?? draft?.arguments),
    breaksSchema: call.breaksSchema,
    ...(error === undefined ? {} : { error }),
    isUnanswered: false,
    ...(omitted === undefined ? {} : { omitted }),
    ...(call.decision === undefined ? {} : { why: formatDecision(decisionFacts(call.decision)) }),
  };
  if (!call.isUnanswered) return shown;
  // Read on each access, because a late answer changes it. Defined only where needed, because own
  // getters are expensive in V8.
  return Object.defineProperty(shown, 'isUnanswered', { get: () => call.isUnanswered });
}

export function fromHistory(call: PastCall): ShownCall {
  const { callId, answer } = call;
  const error = call.error && knownError(new McpError(call.error.code, call.error.facts));
  return {
    id: callId,
    ...factsOf(call),
    title: quoted(call.toolTitle),
    serverLabel: quoted(call.serverLabel),
    isDraft: false,
    briefArguments: briefArguments(call.arguments),
    breaksSchema: answer !== undefined && violatesSchema(answer),
    ...(error === undefined ? {} : { error }),
    isUnanswered: false,
    ...(answer?.omitted === undefined ? {} : { omitted: answer.omitted }),
    ...(call.decision === undefined ? {} : { why: formatDecision(call.decision) }),
  };
}

/** Facts that both types hold under the same names. */
function factsOf(call: EndedCall | PastCall) {
  const { server, tool, origin, startedAt, sentAt, endedAt, durationMs, outcome } = call;
  const wasSent = sentAt !== undefined;
  return { server, tool, origin, startedAt, endedAt, wasSent, durationMs, outcome };
}

/** A newer version may have stored error codes that this version does not know. */
function knownError(error: McpError): McpError | undefined {
  try {
    formatError('', error);
    return error;
  } catch {
    return undefined;
  }
}

type AnyCall = RunningCall | EndedCall;

/** Returns the title of the tool of a call. */
export function callTitle({ entry, tool }: AnyCall): string {
  return (entry && toolTitle(entry.tool)) || quoted(tool);
}

export function callServer({ config, server }: AnyCall): string {
  return quoted(config?.label ?? server);
}
