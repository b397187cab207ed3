import { randomUUID } from 'node:crypto';
import { CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from '../../core/client';
import { McpError, toMcpError } from '../../core/errors';
import { CallDeadline } from '../../core/rpc/callDeadline';
import { raceCancellation } from '../../core/rpc/cancellation';
import type { SchemaValidator } from '../../core/schema/schema';
import { mayTaskGoOn } from '../../core/tasks/followTask';
import type { TaskHandle } from '../../core/tasks/taskState';
import type { CallAnswer, CallOutcome, CallQuestion, CallRequest } from './call';
import { UnsendableArguments } from './callArguments';
import type { CallApproval } from './callApproval';
import type { CallJournal } from './callJournal';
import { judgeResult, noViolations } from './judgeResult';
import { lostOutcome } from './lostOutcome';
import { CallLimiter } from './callLimiter';
import type { OngoingCall } from './ongoingCall';
import type { RunningCalls } from './runningCalls';
import type { TaskKeeping } from './taskKeeping';
import { timeLimitOf, type CallLimits } from './timeLimits';
import { CallEvaluation, type EvaluatedCall, type EvaluatedTarget } from './callEvaluation';
import type { Consent } from '../consent/consent';
import { isSameTool } from '../connections/connectionTools';
import type { ServerRegistry } from '../connections/registry';

export interface GateOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'client' | 'listAnnouncedTools'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly consent: Pick<Consent, 'evaluate' | 'offered' | 'agreed' | 'allowed'>;
  /** Asks the person. Whatever is not a yes means no; when it rejects, nothing is sent. */
  readonly confirm: (question: CallQuestion, token: CancellationToken) => Promise<CallAnswer>;
  readonly journal: CallJournal;
  /** Where every call can be seen, and cancelled, while it goes on. */
  readonly calls: Pick<RunningCalls, 'begin' | 'sent' | 'end'>;
  /** Keeps tasks that outlive their connection. Default: none is kept. */
  readonly tasks?: TaskKeeping;
  /** Whether the user may be looking; a task is asked for more rarely while not. Default: yes. */
  readonly isWatched?: () => boolean;
  /** Asked at each call. */
  readonly limits: () => CallLimits;
}

export interface CallControls {
  /** Cancels the call. */
  readonly token?: CancellationToken | undefined;
  /** Answers the first question if it is the one that the user has agreed to. */
  readonly approval?: CallApproval | undefined;
  /** `false`: nobody is asked, and every question that is left is answered with no. Default: `true`. */
  readonly mayAsk?: boolean;
}

/**
 * The only door to `tools/call`: the tool as it is now, valid arguments, a decision about exactly
 * these, a yes of the person where the decision wants one, and only then the call. Whoever wants
 * to call a tool comes through here.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #weighing: CallEvaluation;
  readonly #places: CallLimiter;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#weighing = new CallEvaluation(options);
    this.#places = new CallLimiter(() => options.limits().maxCallsPerServer);
  }

  /** Never rejects: the outcome says how it went. */
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
      // Nothing was sent: from sending on, #send turns every error into an outcome itself.
      outcome = { ...toOutcome(toMcpError(thrown), 0), callId };
    }
    if (ongoing.task !== undefined) outcome = { ...outcome, wasTask: true };
    await journal.ended(callId, request, outcome);
    calls.end(ongoing, outcome);
    await tasks?.ended(callId, outcome);
    return outcome;
  }

  /**
   * What the person would be asked about this call at this moment, or why not. Nothing is asked,
   * sent or written down; the call itself is weighed anew.
   * @throws {McpError} what {@link CallEvaluation.evaluate} throws
   */
  async preview(
    request: CallRequest,
    token: CancellationToken = CancellationToken.None,
  ): Promise<CallQuestion> {
    return (await this.#weighing.evaluate(request, request.arguments, token)).question;
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
      const weighed = await this.#weighing.evaluate(request, given, token);
      const { question, target } = weighed;
      ongoing.found(target.config, question.entry, question.decision);
      const isAsked = question.decision.effect === 'ask';
      if (isAsked) request.observer?.onAsking();
      const answer = isAsked ? await this.#ask(question, token, asking) : undefined;
      if (answer?.kind === 'edited') {
        // What the person made of the arguments is looked at like any others.
        given = answer.arguments;
        continue;
      }
      if (isAsked) request.observer?.onAnswered();
      const outcome = await this.#inPlace(ongoing, request, weighed, answer);
      if (outcome !== undefined) return outcome;
    }
  }

  /** Waits for its turn where the call will be sent; `undefined` when it has to be asked about. */
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
   * Records what was decided, and calls if nothing stands against it. `undefined` when what was
   * allowed without a question while it waited is so no more.
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
    // A rule may have come up while the person read, or the call waited; a no needs none.
    const isOld = isYes(answer) || hasWaited;
    const decision = isOld ? (await consent.evaluate(facts)).decision : question.decision;
    const isDenied = decision.effect === 'deny';
    if (answer === undefined && decision.effect === 'ask') return undefined;
    // The question of somebody who answered it is why they were asked, unless a rule now denies.
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
    // A modal dialog cannot be taken back; whoever answers it later answers nobody.
    const answer = await raceCancellation(this.#options.confirm(question, token), token);
    if (token.isCancellationRequested) throw new McpError('cancelled');
    return answer;
  }

  /**
   * What was confirmed must be what is called: while the person read, the server may have ended,
   * started anew, or changed the tool.
   * @throws {McpError} connectionClosed | toolChanged | any code of `CallEvaluation.find`, or of `recheck`
   */
  #confirmUnchanged(request: CallRequest, confirmed: EvaluatedTarget): void {
    request.observer?.recheck();
    const now = this.#weighing.find(request);
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
        onTask: (task) => {
          ongoing.runsAsTask(task);
          request.onTask?.(task);
        },
        ...(this.#options.isWatched && { isWatched: this.#options.isWatched }),
        ...this.#keeping(ongoing),
        onLateAnswer: () => ongoing.answeredLate(),
        onProgress: (progress) => {
          ongoing.progressed(progress);
          request.onProgress?.(progress);
        },
      });
      return judgeResult(this.#options.validator, entry, result, elapsedMs());
    } catch (thrown) {
      const isLeft = ongoing.isTaskKept === true && mayTaskGoOn(thrown);
      if (isLeft) return toOutcome(new McpError('taskLeft', { cause: thrown }), elapsedMs());
      const error = lostOutcome(toMcpError(thrown), { limit, deadline, risk: question.entry.risk });
      return toOutcome(error, elapsedMs());
    }
  }

  /** A process takes its tasks along when it ends, which it does with its connection. */
  #keeping(ongoing: OngoingCall): { keepTask?: (handle: TaskHandle) => Promise<void> } {
    const { tasks } = this.#options;
    if (tasks === undefined || ongoing.config?.transport.kind === 'stdio') return {};
    return { keepTask: (handle) => tasks.keep(ongoing, handle) };
  }
}

/** Whatever else was answered, also what the types forbid, means no. */
function isYes(answer: CallAnswer | undefined): answer is Extract<CallAnswer, { kind: 'run' }> {
  return typeof answer === 'object' && answer?.kind === 'run';
}

/** Whether the server still runs as it did when it had this client. */
function isClientOf(registry: GateOptions['registry'], server: string, client: McpClient): boolean {
  return registry.find(server)?.state.kind === 'running' && registry.client(server) === client;
}

export function toOutcome(error: McpError, durationMs: number): CallOutcome {
  if (error.code === 'cancelled') return { kind: 'cancelled', durationMs };
  const violations = error instanceof UnsendableArguments ? error.violations : noViolations;
  return { kind: 'failed', error, violations, durationMs };
}
