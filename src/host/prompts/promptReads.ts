import { randomUUID } from 'node:crypto';
import { CancellationToken } from 'vscode-jsonrpc/node';
import type { PromptArguments } from '../../core/client';
import { McpError, toMcpError } from '../../core/errors';
import type { JsonObject } from '../../core/json/jsonValue';
import type { ServerPrompt } from '../../core/parse/promptsAndResources';
import { riskOf } from '../../core/risk';
import { CallDeadline } from '../../core/rpc/callDeadline';
import type { CallOutcome, CallRequest } from '../calls/call';
import { isClientOf, toOutcome, type CallControls } from '../calls/gate';
import type { OngoingCall } from '../calls/ongoingCall';
import type { RunningCalls } from '../calls/runningCalls';
import { timeLimitOf, type CallLimits } from '../calls/timeLimits';
import type { ServerRegistry } from '../connections/registry';
import type { ToolEntry } from '../connections/snapshot';
import type { HistoryRecorder } from '../history/historyRecorder';
import type { CallRecorder } from '../journal/callRecorder';
import type { PromptLists } from '../resources/serverLists';

export interface PromptReadsOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'client'>;
  readonly lists: Pick<PromptLists, 'of'>;
  readonly calls: Pick<RunningCalls, 'begin' | 'sent' | 'end'>;
  readonly recorder: Pick<CallRecorder, 'read'>;
  readonly history: Pick<HistoryRecorder, 'decided' | 'ended'>;
  readonly limits: () => CallLimits;
}

/**
 * Gets prompts for the user. They are calls of the view and the history like those of tools. A
 * prompt does nothing, so neither rules nor the user are asked; the journal records that it was
 * read.
 */
export class PromptReads {
  readonly #options: PromptReadsOptions;

  constructor(options: PromptReadsOptions) {
    this.#options = options;
  }

  /** `request.tool` is the name of the prompt. Never rejects: the outcome contains errors. */
  async call(
    request: CallRequest,
    { token = CancellationToken.None }: Pick<CallControls, 'token'> = {},
  ): Promise<CallOutcome> {
    const { calls, recorder, history } = this.#options;
    const callId = randomUUID();
    const asked: CallRequest = { ...request, isPrompt: true };
    const ongoing = calls.begin(callId, asked, token);
    const got = await this.#get(ongoing, asked);
    const outcome: CallOutcome = { ...got, callId, isPrompt: true };
    await Promise.all([recorder.read(asked, outcome), history.ended(callId, asked, outcome)]);
    calls.end(ongoing, outcome);
    return outcome;
  }

  async #get(ongoing: OngoingCall, request: CallRequest): Promise<CallOutcome> {
    const { registry, lists, calls, history, limits } = this.#options;
    const { server, tool: name, arguments: given } = request;
    const begunAt = performance.now();
    const elapsedMs = () => Math.round(performance.now() - begunAt);
    try {
      const config = registry.find(server)?.config;
      const client = registry.client(server);
      if (config === undefined) throw new McpError('unknownServer', { detail: server });
      const listed = lists.of(server).entries.find((each) => each.name === name);
      const entry = promptEntry(server, listed ?? { name, arguments: [] });
      const texts = promptTexts(given);
      ongoing.found(config, entry);
      await history.decided({
        callId: ongoing.id,
        question: { entry, arguments: texts, argumentsJson: JSON.stringify(texts ?? {}) },
        secrets: request.secrets ?? [],
      });
      const deadline = new CallDeadline(timeLimitOf(request, limits()).ms, limits().callCeilingMs);
      ongoing.sending(deadline, () => isClientOf(registry, server, client));
      calls.sent(ongoing);
      const result = await client.getPrompt(name, texts, { token: ongoing.token, deadline });
      const judged = { violations: [], missingStructuredContent: false };
      return { kind: 'result', result, entry, durationMs: elapsedMs(), ...judged };
    } catch (thrown) {
      return toOutcome(toMcpError(thrown), elapsedMs());
    }
  }
}

/** Returns the arguments of a prompt as the schema of a tool, so that fields can be made of them. */
function promptSchema({ arguments: all }: Pick<ServerPrompt, 'arguments'>): JsonObject {
  const properties = all.map(({ name, title, description }): [string, JsonObject] => [
    name,
    {
      type: 'string',
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    },
  ]);
  const required = all.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

/** Prompts take strings only. */
function promptTexts(given: CallRequest['arguments']): PromptArguments | undefined {
  const texts = Object.entries(given ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

/** Returns a prompt as an entry of a list of tools, for the lists and documents of calls. */
function promptEntry(serverId: string, prompt: ServerPrompt): ToolEntry {
  const { name, title, description } = prompt;
  const annotations = { readOnlyHint: true };
  const tool = {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: promptSchema(prompt),
    annotations,
    callable: false,
    problems: [],
  };
  return { serverId, tool, risk: riskOf(annotations) };
}
