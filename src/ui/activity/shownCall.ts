import { McpError } from '../../core/errors';
import type { AgentDraft } from '../../host/agents/agentDrafts';
import { breaksSchema, type CallOutcome } from '../../host/calls/call';
import type { CallOrigin } from '../../host/consent/facts/callOrigin';
import type { EndedCall } from '../../host/calls/runningCall';
import type { AnswerOmission, PastCall } from '../../host/history/pastCall';
import { decisionFacts } from '../../host/journal/decisionFacts';
import { formatBriefArguments } from '../format/formatArguments';
import { formatDecision } from '../format/formatDecision';
import { formatError, quoted } from '../format/sentences';
import { callServer, callTitle } from './callNames';

/** A call that has ended, in this session or an earlier one, as the view shows it. */
export interface ShownCall {
  readonly id: string;
  /** Id of the server, and name of the tool: untrusted. */
  readonly server: string;
  readonly tool: string;
  /** What they are called on screen: plain, bounded text. */
  readonly title: string;
  readonly serverLabel: string;
  readonly origin: CallOrigin;
  /** What an agent calls itself: its claim. */
  readonly client?: string;
  /** An agent wished for it, nobody answered in time, and the person can still make it. */
  readonly isDraft: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly wasSent: boolean;
  readonly durationMs: number;
  readonly outcome: CallOutcome['kind'];
  /** Its answer is not what the output schema of the tool promises. */
  readonly breaksSchema: boolean;
  readonly error?: McpError;
  readonly isUnanswered: boolean;
  /** Why its result is not kept. */
  readonly omitted?: AnswerOmission;
  /** What it was called with, in short; empty: nothing, or not kept. Holds no secret. */
  readonly given: string;
  /** Which rule or permission decided about it, or why it was asked about. */
  readonly why?: string;
}

/** `kept` is what is written down of it, if anything is. */
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
    given: formatBriefArguments(kept?.arguments ?? draft?.arguments),
    breaksSchema: call.breaksSchema,
    ...(error === undefined ? {} : { error }),
    isUnanswered: false,
    ...(omitted === undefined ? {} : { omitted }),
    ...(call.decision === undefined ? {} : { why: formatDecision(decisionFacts(call.decision)) }),
  };
  if (!call.isUnanswered) return shown;
  // Read each time, because a late answer ends it. Only then: objects with getters of their own are dear to V8.
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
    given: formatBriefArguments(call.arguments),
    breaksSchema: answer !== undefined && breaksSchema(answer),
    ...(error === undefined ? {} : { error }),
    isUnanswered: false,
    ...(answer?.omitted === undefined ? {} : { omitted: answer.omitted }),
    ...(call.decision === undefined ? {} : { why: formatDecision(call.decision) }),
  };
}

/** What both know in the same words. */
function factsOf(call: EndedCall | PastCall) {
  const { server, tool, origin, startedAt, sentAt, endedAt, durationMs, outcome } = call;
  const wasSent = sentAt !== undefined;
  return { server, tool, origin, startedAt, endedAt, wasSent, durationMs, outcome };
}

/** A newer version may have written codes that this one has no words for. */
function knownError(error: McpError): McpError | undefined {
  try {
    formatError('', error);
    return error;
  } catch {
    return undefined;
  }
}
