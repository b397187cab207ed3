import { CancellationTokenSource, type CancellationToken } from 'vscode-jsonrpc/node';
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

/** What Toolgate has to say to an agent, each in one sentence. */
export interface AgentMessages {
  /** Why nothing came of a call. */
  readonly refused: (server: string, outcome: CallOutcome) => string;
  /** Nobody answered the question in time. */
  readonly unanswered: () => string;
  /** There is no such tool, or none that an agent may ask for. */
  readonly noSuchTool: (name: string) => string;
  /** The person does not want the tool to be seen now; it was before. */
  readonly leftOut: (name: string) => string;
  /** While the person is asked. */
  readonly waiting: () => string;
}

export interface AgentCallOptions {
  readonly access: Pick<
    AgentAccess,
    'toolsOf' | 'prepare' | 'listAnnounced' | 'start' | 'isExposed' | 'isShown' | 'isLeftOut'
  >;
  readonly gate: Pick<Gate, 'call'>;
  readonly floods: Pick<AgentRateLimit, 'ask' | 'call'>;
  readonly words: AgentMessages;
  /** Milliseconds after which an agent hears that nobody answered. */
  readonly answerWithinMs: () => number;
  /** Keeps what came back where the person finds it. Rejections are nobody's concern here. */
  readonly keep: (outcome: CallOutcome) => Promise<unknown>;
  /** Where it is told that the person has just agreed to a call, and may be asked to sign in for it. */
  readonly occasions?: Pick<SignInOccasions, 'during'>;
  /** Where what nobody answered is left to the person. */
  readonly drafts: Pick<AgentDrafts, 'add'>;
}

/** One wish of an agent. */
export interface AgentWish {
  /** As it knows the tool. */
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** What it calls itself, made fit to be shown. */
  readonly client: string;
  readonly report: (progress: Progress) => void;
  /** Told what the server says of the task that it made of the call. */
  readonly onTask?: (task: TaskState) => void;
}

/** What takes part while the gate looks at a call of an agent. */
interface ObservedCall {
  readonly server: string;
  readonly client: string;
  readonly waiting: Waiting;
  readonly agreement: Agreement;
  readonly giveUp: () => void;
}

/** So often an agent hears that its question waits. */
const reportMs = 5_000;
/** What progress grows by while nobody knows how much there is to do. */
const step = 1e-6;

/** Calls of the agents of one path: every one goes through the gate, and comes back as an answer. */
export class AgentCalls {
  readonly #options: AgentCallOptions;
  readonly #server: string | undefined;
  /** What names stood for that were listed before; their servers may have stopped since. */
  readonly #listed = new Map<string, Pick<AgentTool, 'server' | 'tool'>>();
  #lastListed: readonly AgentTool[] | undefined;

  /** `server`: the only one whose tools are meant; absent: all exposed ones, by joined names. */
  constructor(options: AgentCallOptions, server?: string) {
    this.#options = options;
    this.#server = server;
  }

  async list(): Promise<readonly AgentTool[]> {
    const { access } = this.#options;
    await access.prepare(this.#server);
    const tools = await access.toolsOf(this.#server);
    // The same list, as most are that are asked for again.
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
  async call(wish: AgentWish, token: CancellationToken): Promise<AgentAnswer> {
    const { access, floods, words } = this.#options;
    const source = new CancellationTokenSource();
    const outer = token.onCancellationRequested(() => source.cancel());
    try {
      floods.call(wish.client);
      const isLeftOut = (tool: Pick<AgentTool, 'server' | 'tool'> | undefined): boolean =>
        tool !== undefined && access.isExposed(tool.server) && access.isLeftOut(tool);
      if (isLeftOut(this.#listed.get(wish.name))) return refusal(words.leftOut(wish.name));
      const tool = await this.#find(wish.name, token);
      if (tool === undefined) return refusal(words.noSuchTool(wish.name));
      // The person may have chosen another set while its server started.
      if (isLeftOut(tool)) return refusal(words.leftOut(wish.name));
      return await this.#pass(tool, wish, source);
    } catch (thrown) {
      const outcome = { kind: 'failed', error: toMcpError(thrown), violations: [] } as const;
      const server = this.#listed.get(wish.name)?.server ?? this.#server ?? '';
      return refusal(words.refused(server, { ...outcome, durationMs: 0 }));
    } finally {
      outer.dispose();
      source.dispose();
    }
  }

  /** The tool of this name; a server that would have it is started first. */
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
    { arguments: given, client, report, onTask }: AgentWish,
    source: CancellationTokenSource,
  ): Promise<AgentAnswer> {
    const { gate, words } = this.#options;
    const waiting = new Waiting(report, words.waiting);
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
    // Also where it throws: an agreement that does not end would let the server ask for a sign-in at any time.
    const outcome = await ended.finally(() => {
      waiting.end();
      agreement.end();
    });
    if (outcome.kind === 'cancelled' && isUnanswered) {
      this.#leave(outcome.callId, server, tool, given);
      return refusal(words.unanswered());
    }
    return this.#answered(server, outcome);
  }

  #observe({ server, client, waiting, agreement, giveUp }: ObservedCall): CallObserver {
    const { floods, access, answerWithinMs } = this.#options;
    return {
      onAsking: () => waiting.begin(() => floods.ask(client), answerWithinMs(), giveUp),
      // It may wait for its turn then, which is nobody's patience.
      onAnswered: () => waiting.end(),
      recheck: () => {
        if (!access.isExposed(server)) throw new McpError('notExposed');
      },
      onSending: () => {
        if (waiting.wasAsked) agreement.begin();
      },
    };
  }

  /** To the person, as it was. */
  #leave(callId: string | undefined, server: string, tool: string, given: unknown): void {
    const { value } = freezeArguments(given);
    const draft = { server, tool, ...(value === undefined ? {} : { arguments: value }) };
    if (callId !== undefined) this.#options.drafts.add({ callId, ...draft });
  }

  async #answered(server: string, outcome: CallOutcome): Promise<AgentAnswer> {
    if (outcome.kind !== 'result' && outcome.kind !== 'toolError') {
      return refusal(this.#options.words.refused(server, outcome));
    }
    this.#options.keep(outcome).catch(() => undefined);
    const { structuredContent } = outcome.result;
    // What is far above what an agent may have is not even made.
    const isFar =
      structuredContent instanceof RawJson && structuredContent.byteLength > maxMadeBytes;
    const whole = isFar ? outcome : await withStructuredValue(outcome);
    return toAgentAnswer('result' in whole ? whole.result : outcome.result);
  }
}

/** Of structured content that is kept as text; an agent gets less of an answer, but formatted anew. */
const maxMadeBytes = 8 * 1024 * 1024;

/** The time from a yes of the person on, in which they may be asked to sign in for the call. */
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

/** What an agent hears before its call is sent, and the end of its patience. */
class Waiting {
  readonly #report: (progress: Progress) => void;
  readonly #words: () => string;
  #release: (() => void) | undefined;
  #limit: NodeJS.Timeout | undefined;
  #reports: NodeJS.Timeout | undefined;
  #last = 0;

  constructor(report: (progress: Progress) => void, words: () => string) {
    this.#report = report;
    this.#words = words;
  }

  /**
   * The person is asked. `ask` counts the question and returns what gives its place back; once more
   * when they have changed the arguments, it is the same question.
   * @throws what `ask` throws
   */
  begin(ask: () => () => void, limitMs: number, onLimit: () => void): void {
    if (this.#release !== undefined) return;
    this.#release = ask();
    this.#limit = setTimeout(onLimit, limitMs);
    this.#reports = setInterval(() => this.#tell(), reportMs);
    this.#tell();
  }

  /** Whether there was a question at all. */
  get wasAsked(): boolean {
    return this.#release !== undefined;
  }

  /** Idempotent. */
  end(): void {
    clearTimeout(this.#limit);
    clearInterval(this.#reports);
    this.#release?.();
  }

  /** What the server reports; it has to grow, whatever was said before it. */
  passOn({ progress, ...rest }: Progress): void {
    this.#last = progress > this.#last ? progress : this.#last + step;
    this.#report({ ...rest, progress: this.#last });
  }

  #tell(): void {
    this.#last += step;
    this.#report({ progress: this.#last, message: this.#words() });
  }
}
