import type { QuestionAnswer } from '../../core/callFiles/callFile';
import type { QuestionAnswers } from '../../core/callFiles/questionAnswers';
import type { Answer } from '../../core/callFiles/expectations';
import type { FileValueKind } from '../../core/callFiles/callVariables';
import type { McpError } from '../../core/errors';
import type { ServerDefault } from '../../core/schema/schemaDefaults';
import type { TaskState } from '../../core/tasks/taskState';
import type { Progress, SchemaViolation, ToolResult } from '../../core/types';
import type { JsonObject } from '../../core/json/jsonValue';
import type { CallOrigin } from '../consent/facts/callFacts';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ToolEntry } from '../connections/snapshot';
import type { Decision } from '../consent/consent';
import type { GrantChoice } from '../consent/grants/grant';

/** A request to call a tool. */
export interface CallRequest {
  readonly server: string;
  readonly tool: string;
  /** A JSON object; undefined stays absent on the wire. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly origin: CallOrigin;
  /**
   * The name that the agent gives itself, limited and without invisible characters. It is only a
   * claim.
   */
  readonly client?: string;
  /** Set if `tool` is a prompt that is read. */
  readonly isPrompt?: true;
  /** True if the user makes the call with arguments that another author wrote. */
  readonly isForeign?: true;
  /** True if the arguments are sent without validation against the tool's schema. */
  readonly isSentAsIs?: true;
  /** Answers for questions of the server. Without them, the user is asked if possible. */
  readonly answers?: QuestionAnswers;
  /**
   * Values that a call file filled into the arguments. The user sees them before they are sent,
   * whatever rules allow. Defaults to none.
   */
  readonly fileValues?: readonly FileValueKind[];
  /** Secrets in the arguments, which must not be written to disk. */
  readonly secrets?: readonly string[];
  readonly onProgress?: (progress: Progress) => void;
  /** Called with the state of the task that the server created for the call. */
  readonly onTask?: (task: TaskState) => void;
  /** Time limit in milliseconds. Defaults to the settings. */
  readonly timeoutMs?: number;
  /** Further members of `_meta` of the request. */
  readonly meta?: JsonObject;
  /** Called at the stages of the call in the gate. Defaults to none. */
  readonly observer?: CallObserver;
}

/** Callbacks for the stages of a call in the gate. They can end the call, but never allow it. */
export interface CallObserver {
  /**
   * Called each time before the user is asked. If it throws, the user is not asked and nothing is
   * sent.
   */
  readonly onAsking: () => void;
  /** Called once the user answered. The call may still wait in the queue. */
  readonly onAnswered: () => void;
  /**
   * Called when the call may continue, and again right before it is sent. If it throws, nothing is
   * sent.
   */
  readonly recheck: () => void;
  /** Called once the call may run, just before anything is sent. */
  readonly onSending: () => void;
}

/** Everything that the user is asked about. The arguments are exactly what will be sent. */
export interface CallQuestion {
  readonly config: ServerConfig;
  readonly entry: ToolEntry;
  readonly arguments: JsonObject | undefined;
  /** The same arguments as compact JSON. */
  readonly argumentsJson: string;
  readonly origin: CallOrigin;
  /** The name that the agent gives itself; see {@link CallRequest}. */
  readonly client?: string;
  /** True if another author wrote the arguments; see {@link CallRequest}. */
  readonly isForeign?: true;
  /** Why the user is asked, and all rules and grants that were considered. */
  readonly decision: Decision;
  /**
   * The durations for which the answer may be remembered, smallest first; empty if it cannot be
   * remembered.
   */
  readonly offered: readonly GrantChoice[];
  /**
   * Why `inputSchema` is unusable, so that the arguments are not validated. Quotes the server's
   * schema: untrusted.
   */
  readonly schemaProblem?: string;
  /** Violations of `inputSchema` in arguments that are sent anyway. Defaults to none. */
  readonly violations?: readonly SchemaViolation[];
  /** Answers to the server's questions without the user. Defaults to none. */
  readonly answers?: readonly QuestionAnswer[];
  /** Set if the call runs as a task: it either continues when the window ends, or ends with it. */
  readonly task?: 'outlivesWindow' | 'endsWithWindow';
  /**
   * Properties that the schema requires and the arguments omit, so that the server uses its
   * default.
   */
  readonly defaults?: readonly ServerDefault[];
}

/** Closing the dialog is `no` as well. */
export type CallAnswer =
  | { readonly kind: 'no' }
  /** With `remember`, covered calls are not asked about again. */
  | { readonly kind: 'run'; readonly remember?: GrantChoice }
  /**
   * No approval yet: the edited arguments are validated, decided and asked about like any others.
   */
  | { readonly kind: 'edited'; readonly arguments: JsonObject };

/** The outcome of a call. */
export type CallOutcome = CallEnd & {
  /** The id from the gate, which identifies the call in the journal and in the list of calls. */
  readonly callId?: string;
  /** Set if it is of a task that was resumed after its connection or its window had ended. */
  readonly isResumed?: true;
  /** Set if the server ran the call as a task. */
  readonly wasTask?: true;
  /** Set if it read a prompt. */
  readonly isPrompt?: true;
};

/** The user is not expected to wait for tasks longer than this, in milliseconds. */
export const longTaskMs = 10_000;

type CallEnd =
  | {
      readonly kind: 'result' | 'toolError';
      readonly result: ToolResult;
      /** Violations of `outputSchema` in `structuredContent`. */
      readonly violations: readonly SchemaViolation[];
      /** True if the tool has an `outputSchema`, but the result no `structuredContent`. */
      readonly missingStructuredContent: boolean;
      /** Why `outputSchema` is unusable. */
      readonly schemaError?: string;
      readonly entry: ToolEntry;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'denied';
      /** The decision of a rule; undefined if the user declined. */
      readonly decision?: Decision;
      readonly durationMs: number;
    }
  | { readonly kind: 'cancelled'; readonly durationMs: number }
  | {
      readonly kind: 'failed';
      readonly error: McpError;
      /** Not empty for `invalidArguments`. */
      readonly violations: readonly SchemaViolation[];
      readonly durationMs: number;
    };

/** An outcome with an answer of the tool. */
export type AnsweredOutcome = Extract<CallOutcome, { kind: 'result' | 'toolError' }>;

/** Returns the answer that expectations of a call file are checked against. */
export function toAnswer(outcome: AnsweredOutcome): Answer {
  const { result, entry, durationMs, violations } = outcome;
  const { annotations } = entry.tool;
  return {
    result,
    annotations,
    durationMs,
    ...(violatesSchema(outcome) ? { violations } : {}),
  };
}

/** The result of validating an answer against the tool's `outputSchema`. */
interface JudgedAnswer {
  readonly violations: readonly SchemaViolation[];
  readonly missingStructuredContent: boolean;
}

/**
 * Returns true if an answer violates the tool's `outputSchema`. An unusable schema is never
 * violated.
 */
export function violatesSchema({ violations, missingStructuredContent }: JudgedAnswer): boolean {
  return violations.length > 0 || missingStructuredContent;
}
