import type { CancellationTokenSource, CancellationToken } from 'vscode-jsonrpc/node';
import { LinkedCancellationSource } from '../../core/rpc/cancellation';
import { WorkTurns } from '../../core/bounds/workTurns';
import { McpError, toMcpError } from '../../core/errors';
import { RawJson } from '../../core/json/rawJson';
import type { TaskState } from '../../core/tasks/taskState';
import type { Progress } from '../../core/types';
import { callOperation, type SignInOccasions } from '../authorization/signInTiming';
import type { CallObserver, CallOutcome } from '../calls/call';
import { freezeArguments } from '../calls/callArguments';
import type { Gate } from '../calls/gate';
import { withStructuredValue } from '../calls/outcomeValue';
import type { AgentAccess } from './agentAccess';
import type { AgentDrafts } from './agentDrafts';
import type { AgentRateLimit } from './agentLimits';
import { refusal, toAgentAnswer, type AgentAnswer } from './agentResult';
import type { AgentTool } from './agentTools';

/** Sentences that Toolgate sends to agents. */
export interface AgentMessages {
  /** Says why a call returned no result. */
  readonly refused: (server: string, outcome: CallOutcome) => string;
  /** Says that the question was not answered in time. */
  readonly unanswered: () => string;
  /** Says that the tool does not exist, or that agents may not request it. */
  readonly noSuchTool: (name: string) => string;
  /** Says that the user's tool set hides the tool, which was visible before. */
  readonly leftOut: (name: string) => string;
  /** Says that the call waits for the user. */
  readonly waiting: () => string;
}

export interface AgentCallOptions {
  readonly access: Pick<
    AgentAccess,
    'toolsOf' | 'prepare' | 'listAnnounced' | 'start' | 'isExposed' | 'isShown' | 'isLeftOut'
  >;
  readonly gate: Pick<Gate, 'call'>;
  readonly floods: Pick<AgentRateLimit, 'ask' | 'call'>;
  readonly messages: AgentMessages;
  /** Milliseconds after which an agent is told that the question was not answered. */
  readonly answerWithinMs: () => number;
  /** Keeps the outcome where the user finds it. Rejections are ignored here. */
  readonly keep: (outcome: CallOutcome) => Promise<unknown>;
  /**
   * Receives the time from the user's approval on, in which the user may be asked to sign in for
   * the call.
   */
  readonly occasions?: Pick<SignInOccasions, 'during'>;
  /** Receives the calls whose question was not answered, as drafts for the user. */
  readonly drafts: Pick<AgentDrafts, 'add'>;
}

/** A call that an agent requests. */
export interface AgentToolCall {
  /** The name by which the agent knows the tool. */
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** The name that the agent gives itself, made safe to display. */
  readonly client: string;
  readonly report: (progress: Progress) => void;
  /** Called with the state of the task that the server created for the call. */
  readonly onTask?: (task: TaskState) => void;
}

/** Callbacks for the stages of an agent's call in the gate. */
interface ObservedCall {
  readonly server: string;
  readonly client: string;
  readonly waiting: Waiting;
  readonly agreement: Agreement;
  readonly giveUp: () => void;
}

/** Interval at which an agent is told that its question is still waiting. */
const reportMs = 5_000;
/** Step by which progress grows while the total is unknown. */
const step = 1e-6;

/** Makes the calls of the agents on one path. Each call goes through the gate. */
export class AgentCalls {
  readonly #options: AgentCallOptions;
  readonly #server: string | undefined;
  /** Tools by the names that were listed before, because their servers may have stopped since. */
  readonly #listed = new Map<string, Pick<AgentTool, 'server' | 'tool'>>();
  #lastListed: readonly AgentTool[] | undefined;

  /**
   * @param server the only server whose tools are served; defaults to all exposed servers, with
   * joined names
   */
  constructor(options: AgentCallOptions, server?: string) {
    this.#options = options;
    this.#server = server;
  }

  async list(): Promise<readonly AgentTool[]> {
    const { access } = this.#options;
    await access.prepare(this.#server);
    const tools = await access.toolsOf(this.#server);
    // The list is unchanged, as it is for most repeated requests.
    if (tools === this.#lastListed) return tools;
    this.#lastListed = tools;
    const turns = new WorkTurns();
    for (const { definition, server, tool } of tools) {
      this.#listed.set(definition.name, { server, tool });
      if (turns.isOver) await turns.giveWay();
    }
    return tools;
  }

  /** Never rejects. */
  async call(request: AgentToolCall, token: CancellationToken): Promise<AgentAnswer> {
    const { access, floods, messages } = this.#options;
    const source = new LinkedCancellationSource(token);
    try {
      floods.call(request.client);
      const isLeftOut = (tool: Pick<AgentTool, 'server' | 'tool'> | undefined): boolean =>
        tool !== undefined && access.isExposed(tool.server) && access.isLeftOut(tool);
      if (isLeftOut(this.#listed.get(request.name))) return refusal(messages.leftOut(request.name));
      const tool = await this.#find(request.name, token);
      if (tool === undefined) return refusal(messages.noSuchTool(request.name));
      // The user may have chosen another tool set while the server started.
      if (isLeftOut(tool)) return refusal(messages.leftOut(request.name));
      return await this.#pass(tool, request, source);
    } catch (thrown) {
      const outcome = { kind: 'failed', error: toMcpError(thrown), violations: [] } as const;
      const server = this.#listed.get(request.name)?.server ?? this.#server ?? '';
      return refusal(messages.refused(server, { ...outcome, durationMs: 0 }));
    } finally {
      source.dispose();
    }
  }

  /** Finds the tool of this name; starts the server first if necessary. */
  async #find(name: string, token: CancellationToken): Promise<AgentTool | undefined> {
    const { access } = this.#options;
    const now = (): Promise<AgentTool | undefined> =>
      access
        .toolsOf(this.#server)
        .then((tools) => tools.find(({ definition }) => definition.name === name));
    const found = await now();
    if (found !== undefined) return found;
    const server = this.#listed.get(name)?.server ?? this.#server;
    if (server !== undefined && access.isShown(server)) await access.start(server, token);
    else await access.prepare(this.#server);
    await access.listAnnounced(this.#server);
    return now();
  }

  async #pass(
    { server, tool }: AgentTool,
    { arguments: given, client, report, onTask }: AgentToolCall,
    source: CancellationTokenSource,
  ): Promise<AgentAnswer> {
    const { gate, messages } = this.#options;
    const waiting = new Waiting(report, messages.waiting);
    const agreement = new Agreement(this.#options.occasions, server, tool);
    let isUnanswered = false;
    const giveUp = (): void => {
      isUnanswered = true;
      source.cancel();
    };
    const ended = gate.call(
      {
        server,
        tool,
        origin: 'agent',
        client,
        ...(given === undefined ? {} : { arguments: given }),
        ...(onTask === undefined ? {} : { onTask }),
        observer: this.#observe({ server, client, waiting, agreement, giveUp }),
        onProgress: (progress) => waiting.passOn(progress),
      },
      { token: source.token },
    );
    // Ends the agreement also if the call throws. Otherwise the server could ask for a sign-in at
    // any time.
    const outcome = await ended.finally(() => {
      waiting.end();
      agreement.end();
    });
    if (outcome.kind === 'cancelled' && isUnanswered) {
      this.#leave(outcome.callId, server, tool, given);
      return refusal(messages.unanswered());
    }
    return this.#answered(server, outcome);
  }

  #observe({ server, client, waiting, agreement, giveUp }: ObservedCall): CallObserver {
    const { floods, access, answerWithinMs } = this.#options;
    return {
      onAsking: () => waiting.begin(() => floods.ask(client), answerWithinMs(), giveUp),
      // A call may queue after the answer, which must not count as waiting for the user.
      onAnswered: () => waiting.end(),
      recheck: () => {
        if (!access.isExposed(server)) throw new McpError('notExposed');
      },
      onSending: () => {
        if (waiting.wasAsked) agreement.begin();
      },
    };
  }

  /** Leaves the unanswered call to the user as a draft, with the original arguments. */
  #leave(callId: string | undefined, server: string, tool: string, given: unknown): void {
    const { value } = freezeArguments(given);
    const draft = { server, tool, ...(value === undefined ? {} : { arguments: value }) };
    if (callId !== undefined) this.#options.drafts.add({ callId, ...draft });
  }

  async #answered(server: string, outcome: CallOutcome): Promise<AgentAnswer> {
    if (outcome.kind !== 'result' && outcome.kind !== 'toolError') {
      return refusal(this.#options.messages.refused(server, outcome));
    }
    this.#options.keep(outcome).catch(() => undefined);
    const { structuredContent } = outcome.result;
    // Structured content far above the limit for agents is not even serialized.
    const isFar =
      structuredContent instanceof RawJson && structuredContent.byteLength > maxMadeBytes;
    const whole = isFar ? outcome : await withStructuredValue(outcome);
    return toAgentAnswer('result' in whole ? whole.result : outcome.result);
  }
}

/** Limit for structured content that is kept as text. An agent gets less of it, formatted again. */
const maxMadeBytes = 8 * 1024 * 1024;

/** The time after the user's approval in which the user may be asked to sign in for the call. */
class Agreement {
  readonly #occasions: AgentCallOptions['occasions'];
  readonly #server: string;
  readonly #operation: string;
  #end: (() => void) | undefined;

  constructor(occasions: AgentCallOptions['occasions'], server: string, tool: string) {
    this.#occasions = occasions;
    this.#server = server;
    this.#operation = callOperation(tool);
  }

  begin(): void {
    const ended = new Promise<void>((resolve) => {
      this.#end = resolve;
    });
    void this.#occasions?.during(this.#server, () => ended, this.#operation);
  }

  /** Idempotent. */
  end(): void {
    this.#end?.();
  }
}

/** Reports progress to an agent before its call is sent, and limits how long it waits. */
class Waiting {
  readonly #report: (progress: Progress) => void;
  readonly #messages: () => string;
  #release: (() => void) | undefined;
  #limit: NodeJS.Timeout | undefined;
  #reports: NodeJS.Timeout | undefined;
  #last = 0;

  constructor(report: (progress: Progress) => void, messages: () => string) {
    this.#report = report;
    this.#messages = messages;
  }

  /**
   * Begins a question to the user. `ask` counts the question and returns the function that releases
   * its place. If the user changes the arguments, the gate asks again, which is still the same
   * question.
   * @throws what `ask` throws
   */
  begin(ask: () => () => void, limitMs: number, onLimit: () => void): void {
    if (this.#release !== undefined) return;
    this.#release = ask();
    this.#limit = setTimeout(onLimit, limitMs);
    this.#reports = setInterval(() => this.#notify(), reportMs);
    this.#notify();
  }

  /** True if the user was asked. */
  get wasAsked(): boolean {
    return this.#release !== undefined;
  }

  /** Idempotent. */
  end(): void {
    clearTimeout(this.#limit);
    clearInterval(this.#reports);
    this.#release?.();
  }

  /** Passes on the server's progress. It has to grow, whatever was reported before. */
  passOn({ progress, ...rest }: Progress): void {
    this.#last = progress > this.#last ? progress : this.#last + step;
    this.#report({ ...rest, progress: this.#last });
  }

  #notify(): void {
    this.#last += step;
    this.#report({ progress: this.#last, message: this.#messages() });
  }
}
