import type { QuestionAnswer } from '../../core/callFiles/callFile';
import type { QuestionAnswers } from '../../core/callFiles/questionAnswers';
import type { Answer } from '../../core/callFiles/expectations';
import type { FileValueKind } from '../../core/callFiles/callVariables';
import type { McpError } from '../../core/errors';
import type { ServerDefault } from '../../core/schema/schemaDefaults';
import type { TaskState } from '../../core/tasks/taskState';
import type { Progress, SchemaViolation, ToolResult } from '../../core/types';
import type { JsonObject } from '../../core/json/jsonValue';
import type { CallOrigin } from '../consent/facts/callOrigin';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ToolEntry } from '../connections/snapshot';
import type { Decision } from '../consent/decision';
import type { GrantWish } from '../consent/grants/grant';

/** One wish to run a tool. */
export interface CallRequest {
  readonly server: string;
  readonly tool: string;
  /** A JSON object; absent stays absent on the wire. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly origin: CallOrigin;
  /** What an agent calls itself, bounded and without hidden characters: its claim, nobody's word. */
  readonly client?: string;
  /** The person makes it, but somebody else wrote the arguments. */
  readonly isOfOthers?: true;
  /** The arguments are sent without being held against the schema of the tool. */
  readonly isSentAsIs?: true;
  /** For questions of the server. Absent: the user is asked, if there is one. */
  readonly answers?: QuestionAnswers;
  /**
   * Values that a call file put into the arguments without holding them: the user sees them before
   * they are sent, whatever rules allow. Absent: none.
   */
  readonly fileValues?: readonly FileValueKind[];
  /** Texts in the arguments that must not be written down, because a file does not hold them. */
  readonly secrets?: readonly string[];
  readonly onProgress?: (progress: Progress) => void;
  /** Told what the server says of the task that it made of the call. */
  readonly onTask?: (task: TaskState) => void;
  /** Its own time limit, in milliseconds, in place of what the settings say. */
  readonly timeoutMs?: number;
  /** Absent: nobody follows the call on its way through the gate. */
  readonly observer?: CallObserver;
}

/** Follows a call through the gate. It can end the call, and never allows one. */
export interface CallObserver {
  /** Called each time before the user is asked; when it throws, nobody is asked and nothing is sent. */
  readonly onAsking: () => void;
  /** Called once the user said yes or no; the call may still wait for its turn. */
  readonly onAnswered: () => void;
  /** Called when the call may go on, the last time right before it is sent; when it throws, nothing is sent. */
  readonly recheck: () => void;
  /** Called once the call may run, just before anything is sent. */
  readonly onSending: () => void;
}

/** Everything the person is asked about; the arguments are exactly what will be sent. */
export interface CallQuestion {
  readonly config: ServerConfig;
  readonly entry: ToolEntry;
  readonly arguments: JsonObject | undefined;
  /** The same arguments as compact JSON, made once. */
  readonly argumentsJson: string;
  readonly origin: CallOrigin;
  /** What an agent calls itself; see {@link CallRequest}. */
  readonly client?: string;
  /** Whose arguments they are; see {@link CallRequest}. */
  readonly isOfOthers?: true;
  /** Why the person is asked, and everything else that speaks for or against the call. */
  readonly decision: Decision;
  /** What the answer may be remembered for, smallest first; empty: it cannot be remembered. */
  readonly offered: readonly GrantWish[];
  /**
   * Why `inputSchema` cannot be used, so that the arguments are unchecked; quotes the server's
   * schema: untrusted.
   */
  readonly schemaProblem?: string;
  /** Where the arguments break `inputSchema`, and are to be sent all the same. Absent: nowhere. */
  readonly violations?: readonly SchemaViolation[];
  /** What questions of the server get without the user. Absent: nothing. */
  readonly answers?: readonly QuestionAnswer[];
  /** The call runs as a task, which the server may go on with when the window ends, or which ends then. */
  readonly task?: 'outlivesWindow' | 'endsWithWindow';
  /** What the schema requires and the arguments leave out: the server takes its own default. */
  readonly defaults?: readonly ServerDefault[];
}

/** `no` is also what closing the dialog means. */
export type CallAnswer =
  | { readonly kind: 'no' }
  /** With `remember`, calls that it covers are not asked about again. */
  | { readonly kind: 'run'; readonly remember?: GrantWish }
  /** Not yet a yes: these arguments are judged, decided and asked about like any others. */
  | { readonly kind: 'edited'; readonly arguments: JsonObject };

/** How a call went. */
export type CallOutcome = CallEnd & {
  /** The id that the gate gave the call; the journal and the list of calls know it by this. */
  readonly callId?: string;
  /** It is of a task that was taken up again, after its connection or its window had ended. */
  readonly isResumed?: true;
  /** The server ran it as a task. */
  readonly wasTask?: true;
};

/** A task that takes longer, in milliseconds, is one that the user does not wait for. */
export const longTaskMs = 10_000;

type CallEnd =
  | {
      readonly kind: 'result' | 'toolError';
      readonly result: ToolResult;
      /** Where `structuredContent` violates `outputSchema`. */
      readonly violations: readonly SchemaViolation[];
      /** The tool has an `outputSchema` but no `structuredContent` came. */
      readonly missingStructuredContent: boolean;
      /** `outputSchema` itself cannot be used: its error. */
      readonly schemaError?: string;
      readonly entry: ToolEntry;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'denied';
      /** The rule's decision; absent when the person said no. */
      readonly decision?: Decision;
      readonly durationMs: number;
    }
  | { readonly kind: 'cancelled'; readonly durationMs: number }
  | {
      readonly kind: 'failed';
      readonly error: McpError;
      /** Filled for `invalidArguments`. */
      readonly violations: readonly SchemaViolation[];
      readonly durationMs: number;
    };

/** An outcome that has an answer of the tool. */
export type AnsweredOutcome = Extract<CallOutcome, { kind: 'result' | 'toolError' }>;

/** What expectations of a call file are held against. */
export function toAnswer(outcome: AnsweredOutcome): Answer {
  const { result, entry, durationMs, violations } = outcome;
  const { annotations } = entry.tool;
  return {
    result,
    annotations,
    durationMs,
    ...(breaksSchema(outcome) ? { violations } : {}),
  };
}

/** What the gate found out when it held an answer against the `outputSchema` of its tool. */
interface JudgedAnswer {
  readonly violations: readonly SchemaViolation[];
  readonly missingStructuredContent: boolean;
}

/** Whether an answer is not what its tool promises; where the promise is unusable nobody knows. */
export function breaksSchema({ violations, missingStructuredContent }: JudgedAnswer): boolean {
  return violations.length > 0 || missingStructuredContent;
}
