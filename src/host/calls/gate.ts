import { randomUUID } from 'node:crypto';
import { CancellationToken } from 'vscode-jsonrpc/node';
import type { CallOptions } from '../../core/client';
import { McpError, toMcpError } from '../../core/errors';
import { CallDeadline } from '../../core/rpc/callDeadline';
import { raceCancellation } from '../../core/rpc/cancellation';
import type { SchemaValidator } from '../../core/schema/schema';
import { mayTaskGoOn } from '../../core/tasks/followTask';
import type { CallAnswer, CallOutcome, CallQuestion, CallRequest } from './call';
import { UnsendableArguments } from './callArguments';
import type { CallApproval } from './callApproval';
import type { CallJournal } from './callJournal';
import { checkResult, noViolations } from './checkResult';
import { lostAnswerError, timeLimitOf, type CallLimits } from './timeLimits';
import { ConcurrencyLimiter } from '../connections/concurrencyLimiter';
import type { OngoingCall } from './ongoingCall';
import type { RunningCalls } from './runningCalls';
import type { TaskKeeping } from './taskKeeping';
import { CallEvaluation, type EvaluatedCall, type EvaluatedTarget } from './callEvaluation';
import type { Consent } from '../consent/consent';
import { isSameTool } from '../connections/snapshot';
import type { ServerRegistry } from '../connections/registry';

export interface GateOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'client' | 'listAnnouncedTools'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly consent: Pick<Consent, 'evaluate' | 'offered' | 'agreed' | 'allowed'>;
  /** Asks the user. Everything except a yes is a no. If it rejects, nothing is sent. */
  readonly confirm: (question: CallQuestion, token: CancellationToken) => Promise<CallAnswer>;
  readonly journal: CallJournal;
  /** The list of running calls, which can be cancelled there. */
  readonly calls: Pick<RunningCalls, 'begin' | 'sent' | 'end'>;
  /** Stores tasks that outlive their connection. Defaults to none. */
  readonly tasks?: TaskKeeping;
  /**
   * Returns true if the user may be watching; otherwise tasks are polled less often. Defaults to
   * true.
   */
  readonly isWatched?: () => boolean;
  /** Read for each call. */
  readonly limits: () => CallLimits;
}

export interface CallControls {
  /** Cancels the call. */
  readonly token?: CancellationToken | undefined;
  /** Answers the first question if it is the one that the user approved. */
  readonly approval?: Pick<CallApproval, 'answers'> | undefined;
  /**
   * `false` answers every remaining question with no instead of asking the user. Defaults to
   * `true`.
   */
  readonly mayAsk?: boolean;
}

/**
 * The only caller of `tools/call`. It finds the current tool, validates the arguments, decides
 * about exactly these, asks the user if the decision requires it, and only then makes the call.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #evaluation: CallEvaluation;
  readonly #places: ConcurrencyLimiter;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#evaluation = new CallEvaluation(options);
    this.#places = new ConcurrencyLimiter(() => options.limits().maxCallsPerServer);
  }

  /** Never rejects: the outcome contains errors. */
  async call(
    request: CallRequest,
    { token = CancellationToken.None, ...asking }: CallControls = {},
  ): Promise<CallOutcome> {
    const { calls, journal, tasks } = this.#options;
    const callId = randomUUID();
    const ongoing = calls.begin(callId, request, token);
    let outcome: CallOutcome;
    try {
      outcome = { ...(await this.#pass(ongoing, request, asking)), callId };
    } catch (thrown) {
      // Nothing was sent, because #send turns every error into an outcome.
      outcome = { ...toOutcome(toMcpError(thrown), 0), callId };
    }
    if (ongoing.task !== undefined) outcome = { ...outcome, wasTask: true };
    await journal.ended(callId, request, outcome);
    calls.end(ongoing, outcome);
    await tasks?.ended(callId, outcome);
    return outcome;
  }

  /**
   * Returns what the user would be asked about this call now, or why it would be refused. Asks,
   * sends and records nothing. The call itself is evaluated again.
   * @throws {McpError} what {@link CallEvaluation.evaluate} throws
   */
  async preview(
    request: CallRequest,
    token: CancellationToken = CancellationToken.None,
  ): Promise<CallQuestion> {
    return (await this.#evaluation.evaluate(request, request.arguments, token)).question;
  }

  async #pass(
    ongoing: OngoingCall,
    request: CallRequest,
    asking: Omit<CallControls, 'token'>,
  ): Promise<CallOutcome> {
    const { token } = ongoing;
    let given: unknown = request.arguments;
    for (;;) {
      ongoing.enter('asking');
      const weighed = await this.#evaluation.evaluate(request, given, token);
      const { question, target } = weighed;
      ongoing.found(target.config, question.entry, question.decision);
      const isAsked = question.decision.effect === 'ask';
      if (isAsked) request.observer?.onAsking();
      const answer = isAsked ? await this.#ask(question, token, asking) : undefined;
      if (answer?.kind === 'edited') {
        // Edited arguments are evaluated like any others.
        given = answer.arguments;
        continue;
      }
      if (isAsked) request.observer?.onAnswered();
      const outcome = await this.#inPlace(ongoing, request, weighed, answer);
      if (outcome !== undefined) return outcome;
    }
  }

  /** Waits in the queue of the server; `undefined` if the call has to be evaluated again. */
  async #inPlace(
    ongoing: OngoingCall,
    request: CallRequest,
    weighed: EvaluatedCall,
    answer: CallAnswer | undefined,
  ): Promise<CallOutcome | undefined> {
    const mayRun = isYes(answer) || weighed.question.decision.effect === 'allow';
    if (!mayRun) return this.#act(ongoing, request, weighed, answer, false);
    let hasWaited = false;
    const leave = await this.#places.take(request.server, ongoing.token, () => {
      hasWaited = true;
      ongoing.enter('waiting');
    });
    try {
      return await this.#act(ongoing, request, weighed, answer, hasWaited);
    } finally {
      leave();
    }
  }

  /**
   * Records the decision, and makes the call if it is allowed. Returns `undefined` if a call that
   * was allowed without a question is no longer allowed after waiting.
   */
  async #act(
    ongoing: OngoingCall,
    request: CallRequest,
    weighed: EvaluatedCall,
    answer: CallAnswer | undefined,
    hasWaited: boolean,
  ): Promise<CallOutcome | undefined> {
    const { consent, journal } = this.#options;
    const { target, facts, question } = weighed;
    // A rule may have changed while the user read or the call waited. A no needs no second
    // decision.
    const isOld = isYes(answer) || hasWaited;
    const decision = isOld ? (await consent.evaluate(facts)).decision : question.decision;
    const isDenied = decision.effect === 'deny';
    if (answer === undefined && decision.effect === 'ask') return undefined;
    // The decision of an answered question is the one that was shown, unless a rule denies the call
    // now.
    const counting = isDenied || answer === undefined ? decision : question.decision;
    ongoing.found(target.config, question.entry, counting);
    const runs = !isDenied && (isYes(answer) || question.decision.effect === 'allow');
    if (runs) this.#confirmUnchanged(request, target);
    await journal.decided({
      callId: ongoing.id,
      question,
      decision: counting,
      secrets: request.secrets ?? [],
      ...(answer === undefined ? {} : { answer: isYes(answer) ? 'run' : 'no' }),
    });
    if (!runs) return { kind: 'denied', durationMs: 0, ...(isDenied ? { decision } : {}) };
    if (isYes(answer)) await consent.agreed(facts, question, answer.remember);
    else consent.allowed(decision);
    if (ongoing.token.isCancellationRequested) throw new McpError('cancelled');
    this.#confirmUnchanged(request, target);
    return this.#send(ongoing, request, weighed);
  }

  async #ask(
    question: CallQuestion,
    token: CancellationToken,
    { approval, mayAsk = true }: Omit<CallControls, 'token'>,
  ): Promise<CallAnswer> {
    if (token.isCancellationRequested) throw new McpError('cancelled');
    if (approval?.answers(question) === true) return { kind: 'run' };
    if (!mayAsk) return { kind: 'no' };
    // A modal dialog cannot be closed from here; a late answer is ignored.
    const answer = await raceCancellation(this.#options.confirm(question, token), token);
    if (token.isCancellationRequested) throw new McpError('cancelled');
    return answer;
  }

  /**
   * Confirms that the approved tool is the one that is called: while the user read, the server may
   * have ended or restarted, or the tool may have changed.
   * @throws {McpError} connectionClosed | toolChanged | any code of `CallEvaluation.find`, or of
   * `recheck`
   */
  #confirmUnchanged(request: CallRequest, confirmed: EvaluatedTarget): void {
    request.observer?.recheck();
    const now = this.#evaluation.find(request);
    if (now.client !== confirmed.client) throw new McpError('connectionClosed');
    if (!isSameTool(now.entry.tool, confirmed.entry.tool)) {
      throw new McpError('toolChanged', { detail: request.tool });
    }
  }

  async #send(
    ongoing: OngoingCall,
    request: CallRequest,
    { target: { client, entry }, settled, question }: EvaluatedCall,
  ): Promise<CallOutcome> {
    const { registry, calls, limits } = this.#options;
    const limit = timeLimitOf(request, limits());
    const deadline = new CallDeadline(limit.ms, limits().callCeilingMs);
    ongoing.sending(deadline, () => isClientOf(registry, request.server, client));
    request.observer?.onSending();
    calls.sent(ongoing);
    const sentAt = performance.now();
    const elapsedMs = () => Math.round(performance.now() - sentAt);
    try {
      const result = await client.callTool(entry.tool.name, settled.value, {
        token: ongoing.token,
        deadline,
        isTask: question.task !== undefined,
        ...(request.timeoutMs === undefined ? {} : { taskLimitMs: request.timeoutMs }),
        ...(request.meta === undefined ? {} : { meta: request.meta }),
        onTask: (task) => {
          ongoing.runsAsTask(task);
          request.onTask?.(task);
        },
        ...this.#following(ongoing),
        onLateAnswer: () => ongoing.answeredLate(),
        onProgress: (progress) => {
          ongoing.progressed(progress);
          request.onProgress?.(progress);
        },
      });
      return checkResult(this.#options.validator, entry, result, elapsedMs());
    } catch (thrown) {
      const isLeft = ongoing.isTaskKept === true && mayTaskGoOn(thrown);
      if (isLeft) return toOutcome(new McpError('taskLeft', { cause: thrown }), elapsedMs());
      const { risk } = question.entry;
      const error = lostAnswerError(toMcpError(thrown), { limit, deadline, risk });
      return toOutcome(error, elapsedMs());
    }
  }

  /** Tasks of a process end with it, and so with its connection. */
  #following(ongoing: OngoingCall): Pick<CallOptions, 'keepTask' | 'isWatched'> {
    const { tasks, isWatched } = this.#options;
    const watched = isWatched === undefined ? {} : { isWatched };
    if (tasks === undefined || ongoing.config?.transport.kind === 'stdio') return watched;
    return { ...watched, keepTask: (handle) => tasks.keep(ongoing, handle) };
  }
}

/** Any other answer means no, including values that the types forbid. */
function isYes(answer: CallAnswer | undefined): answer is Extract<CallAnswer, { kind: 'run' }> {
  return typeof answer === 'object' && answer?.kind === 'run';
}

/** Returns true if the server still runs with this client. */
export function isClientOf(
  registry: Pick<ServerRegistry, 'find' | 'client'>,
  server: string,
  client: unknown,
): boolean {
  return registry.find(server)?.state.kind === 'running' && registry.client(server) === client;
}

export function toOutcome(error: McpError, durationMs: number): CallOutcome {
  if (error.code === 'cancelled') return { kind: 'cancelled', durationMs };
  const violations = error instanceof UnsendableArguments ? error.violations : noViolations;
  return { kind: 'failed', error, violations, durationMs };
}
