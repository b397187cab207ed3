import { CancellationToken } from 'vscode-jsonrpc/node';
import type { CallOptions, ListOptions, RequestOptions } from '../client';
import { orCancelled } from '../rpc/cancellation';
import type { Era, EraContext, EraSink, Session } from './era';
import { McpError } from '../errors';
import { FreshCache, ttlOf } from './freshCache';
import {
  answerRound,
  InputRequired,
  parseInputRequired,
  waitForServer,
} from '../input/inputRounds';
import type { RoundParams } from '../input/inputRounds';
import { listAllTools } from '../parse/listTools';
import { MirroredArguments } from '../http/mirroredArguments';
import type { DiscoverResult } from './parseDiscover';
import { parseReadResult, parseToolPage, parseToolResult } from '../parse/parseResults';
import type { RequestParams } from '../rpc/rpc';
import { boundedJson, isObject } from '../parse/shapes';
import { explainStatelessError, isHeaderMismatch, isRevisionRefused } from './statelessErrors';
import { requestMeta, statelessRevision } from './statelessMeta';
import { ToolsSubscription } from './subscription';
import type { ResourceContents, ToolList, ToolResult } from '../types';

/** Rounds of one call; wizards have fewer steps. */
const maxRounds = 25;
/** How long the first list waits for the subscription, so that no change falls between them. */
const listAfterMs = 1_000;
const maxCachedReads = 32;
/** Larger contents are not worth their memory. */
const maxCachedChars = 1024 * 1024;

/**
 * The revision without a session: every request says who asks and what the asker can do, and the
 * server asks back by its results. We write requests and cancellations, never an answer.
 *
 * Spec: 2026-07-28 basic
 */
export class StatelessEra implements Era, EraSink {
  readonly kind = 'stateless';
  readonly session: Session;
  readonly #context: EraContext;
  readonly #meta: RequestParams;
  readonly #subscription: ToolsSubscription | undefined;
  readonly #mirrored: MirroredArguments | undefined;
  readonly #lists = new FreshCache<ToolList>(1);
  readonly #reads = new FreshCache<readonly ResourceContents[]>(maxCachedReads);
  #hasListed = false;
  /** Counts what makes a list that is under way old before it is there. */
  #changes = 0;

  constructor(context: EraContext, discovered: DiscoverResult) {
    const { supportedVersions: _, ...rest } = discovered;
    this.session = { revision: statelessRevision, ...rest };
    this.#context = context;
    this.#meta = requestMeta(context);
    this.#mirrored = context.isHttp ? new MirroredArguments(context.log) : undefined;
    // They are a violation of the protocol; an answer would be another.
    context.enter(this, 'drop');
    if (rest.capabilities.toolsListChanged) this.#subscription = this.#subscribe();
  }

  async listTools(options: ListOptions | undefined): Promise<ToolList> {
    const known = options?.isRefresh === true ? undefined : this.#lists.get('');
    if (known !== undefined) return known;
    if (!this.#hasListed) await this.#waitForSubscription(options);
    this.#hasListed = true;
    const changes = this.#changes;
    let ttlMs = Infinity;
    const parsePage = (result: unknown) => {
      ttlMs = Math.min(ttlMs, ttlOf(result));
      return parseToolPage(complete(result));
    };
    const list = await listAllTools((cursor) =>
      this.#send('tools/list', cursor === undefined ? {} : { cursor }, parsePage, options),
    );
    const adopted = { ...list, tools: this.#mirrored?.adopt(list.tools) ?? list.tools };
    // A list with problems is worth another try whenever somebody wants it.
    const holdsMs = changes === this.#changes && list.problems.length === 0 ? ttlMs : 0;
    this.#lists.set('', adopted, holdsMs);
    return adopted;
  }

  callTool(
    name: string,
    args: object | undefined,
    options: CallOptions | undefined,
  ): Promise<ToolResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    if (this.#mirrored !== undefined) {
      return this.#callMirrored(this.#mirrored, name, args, params, options);
    }
    return this.#inRounds('tools/call', params, parseToolResult, name, options);
  }

  async #callMirrored(
    mirrored: MirroredArguments,
    name: string,
    args: object | undefined,
    params: RequestParams,
    options: CallOptions | undefined,
  ): Promise<ToolResult> {
    const call = () => {
      const withHeaders = mirrored.withHeaders(params, name, args);
      return this.#inRounds('tools/call', withHeaders, parseToolResult, name, options);
    };
    try {
      return await call();
    } catch (error) {
      if (!isHeaderMismatch(error)) throw error;
      // Refused before anything was done: our list may be older than the server's.
      await this.listTools({ ...withToken(options), isRefresh: true });
      return call();
    }
  }

  async readResource(
    uri: string,
    options: RequestOptions | undefined,
  ): Promise<readonly ResourceContents[]> {
    const known = this.#reads.get(uri);
    if (known !== undefined) return known;
    let ttlMs = 0;
    let rounds = 0;
    const parse = (result: unknown) => {
      ttlMs = ttlOf(result);
      return parseReadResult(result, uri);
    };
    const onRound = () => (rounds += 1);
    const read = this.#inRounds('resources/read', { uri }, parse, undefined, options, onRound);
    const contents = await read;
    // What input led to is for this once.
    this.#reads.set(uri, contents, rounds === 0 && isSmall(contents) ? ttlMs : 0);
    return contents;
  }

  /** There is no ping any more; every server answers `server/discover`. */
  ping(options: RequestOptions | undefined): Promise<void> {
    return this.#send('server/discover', {}, (result) => void complete(result), options);
  }

  take(method: string, params: unknown): void {
    if (method === 'notifications/message') this.#context.events.logged(params);
    else this.#subscription?.take(method, params);
  }

  answer(): never {
    throw new McpError('internal', { detail: 'requests are dropped in this era' });
  }

  dispose(): void {
    this.#subscription?.dispose();
    this.#lists.clear();
    this.#reads.clear();
  }

  #subscribe(): ToolsSubscription {
    const { rpc, log, limits, isHttp, events } = this.#context;
    const onToolsChanged = () => {
      this.#changes += 1;
      this.#lists.clear();
      events.toolsChanged();
    };
    const onOpen = () => {
      if (this.#hasListed) onToolsChanged();
    };
    const wiring = { rpc, log, isHttp, meta: this.#meta, times: limits };
    return new ToolsSubscription({ ...wiring, onOpen, onToolsChanged });
  }

  async #waitForSubscription(options: ListOptions | undefined): Promise<void> {
    if (this.#subscription === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, listAfterMs);
    });
    try {
      await orCancelled(Promise.race([this.#subscription.settled, passed]), options?.token);
    } finally {
      clearTimeout(timer);
    }
  }

  #send<T>(
    method: string,
    params: RequestParams,
    parse: (result: unknown) => T,
    options: CallOptions | undefined,
  ): Promise<T> {
    const { rpc } = this.#context;
    const sent = { ...params, _meta: this.#meta };
    return rpc.request(method, sent, parse, options, (error) => {
      if (!isRevisionRefused(error)) return explain(error);
      // Once, even with the version that was just refused.
      return rpc.request(method, sent, parse, options, explain);
    });
  }

  /** A request that the server may answer with questions, again and again. */
  async #inRounds<T>(
    method: string,
    params: RequestParams,
    parse: (result: unknown) => T,
    tool: string | undefined,
    options: CallOptions | undefined,
    onRound?: () => void,
  ): Promise<T> {
    const parseRound = (result: unknown) =>
      isObject(result) && result.resultType === 'input_required'
        ? parseInputRequired(result)
        : parse(complete(result));
    let outcome = await this.#send(method, params, parseRound, options);
    if (!(outcome instanceof InputRequired)) return outcome;
    const clock = new RoundClock(this.#context.limits.callCeilingMs);
    let waits = 0;
    for (let round = 0; outcome instanceof InputRequired; round += 1) {
      if (round === maxRounds) throw new McpError('tooManyRounds', { limit: maxRounds });
      onRound?.();
      waits = outcome.requests === undefined ? waits + 1 : 0;
      const added: RoundParams = await clock.without(this.#answer(outcome, waits, tool, options));
      clock.check();
      outcome = await this.#send(method, { ...params, ...added }, parseRound, options);
    }
    return outcome;
  }

  async #answer(
    required: InputRequired,
    waits: number,
    tool: string | undefined,
    options: CallOptions | undefined,
  ): Promise<RoundParams> {
    const token = options?.token ?? CancellationToken.None;
    if (waits > 0) await waitForServer(waits, token);
    return answerRound(required, { desk: this.#context.input, tool, token });
  }
}

/** The time of one call, without what passed between its rounds: a person may think long. */
class RoundClock {
  #endsAt: number;
  readonly #limitMs: number;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#endsAt = performance.now() + limitMs;
  }

  async without<T>(answering: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const answer = await answering;
    this.#endsAt += performance.now() - startedAt;
    return answer;
  }

  /** @throws {McpError} timeout */
  check(): void {
    if (performance.now() > this.#endsAt) throw new McpError('timeout', { limit: this.#limitMs });
  }
}

/** A result that is whole; others are invalid where this stands. */
function complete(result: unknown): unknown {
  if (!isObject(result)) return result;
  const { resultType } = result;
  if (resultType === undefined || resultType === 'complete') return result;
  throw new McpError('invalidResult', { detail: `resultType is ${boundedJson(resultType, 100)}` });
}

function isSmall(contents: readonly ResourceContents[]): boolean {
  const sizes = contents.map(({ text, blob }) => (text ?? blob ?? '').length);
  return sizes.reduce((sum, size) => sum + size, 0) <= maxCachedChars;
}

function explain(error: McpError): never {
  throw explainStatelessError(error);
}

function withToken(options: RequestOptions | undefined): RequestOptions {
  return options?.token === undefined ? {} : { token: options.token };
}
