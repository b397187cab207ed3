import { boundedJson } from '../json/boundedJson';
import { isObject, type UnknownObject, isSameJson, isContainer } from '../json/shapes';
import { isServerRequestId, keyOfId } from '../rpc/incoming';
import type { RecordedMessage } from './recordedLine';
import { createHash } from 'node:crypto';
import { isNumber } from '../json/writtenNumber';

/** A message to send in response to a client's message. */
export interface ReplayedMessage {
  /** Milliseconds after the request, as recorded. */
  readonly afterMs: number;
  readonly message: object;
  /** For a question of the server, the time when the client answered it. Absent if it never did. */
  readonly answeredMs?: number;
}

/** A request of the recording, and all that the server sent until its next answer. */
interface Exchange {
  readonly method: string;
  readonly params: UnknownObject;
  wasUsed: boolean;
  readonly at: number;
  /** See {@link keyOfId}, like every id and token that is compared here. */
  readonly key: unknown;
  readonly sent: RecordedMessage[];
  /** The times at which its questions were answered, by the keys of their ids. */
  readonly answeredAt: Map<unknown, number>;
}

/** An error code in JSON-RPC's range for servers. */
const notRecorded = -32_001;
const methodNotFound = -32_601;
const maxShownChars = 300;
/**
 * Methods whose answer depends on the parameters, so that another request's answer would be wrong.
 */
const byParams: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'tasks/get',
  'tasks/result',
  'tasks/update',
  'tasks/cancel',
]);
const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

/**
 * Answers a client like the recorded server: with the answers to the same method and parameters in
 * their order, and the last one again when all were used. For methods that only describe the
 * server, the method alone has to match, except for later pages of a list. A request that was not
 * recorded gets an error that names the nearest one.
 */
export class Replay {
  readonly #exchanges: RecordedRequests;

  /** @param messages The messages of one server. */
  constructor(messages: readonly RecordedMessage[]) {
    this.#exchanges = new RecordedRequests(exchangesOf(messages));
  }

  /** Returns the messages to send, in order. Empty if the message needs no answer. Never throws. */
  answer(message: unknown): readonly ReplayedMessage[] {
    if (!isObject(message)) return [];
    const { id, method, params } = message;
    if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return [];
    const asked = isObject(params) ? params : {};
    const exchange = this.#find(method, asked);
    if (exchange === undefined) return [this.#unrecorded(id, method, asked)];
    exchange.wasUsed = true;
    const sent = exchange.sent.flatMap(({ at, message: recorded }): ReplayedMessage[] =>
      recorded === undefined
        ? []
        : [
            {
              afterMs: Math.max(0, at - exchange.at),
              message: readdressed(recorded, exchange, id, asked),
              ...answeredMs(recorded, exchange),
            },
          ],
    );
    // A request that is still open was never answered. Otherwise, if its answer is missing, there
    // is none to send.
    const isAnswered = exchange.sent.some(({ message: recorded }) =>
      isAnswerTo(recorded, exchange),
    );
    if (isAnswered || method.startsWith('subscriptions/')) return sent;
    const code = dependsOnParams(method, asked) ? notRecorded : methodNotFound;
    return [...sent, refusal(id, code, 'its answer was not recorded')];
  }

  #unrecorded(id: string | number, method: string, params: UnknownObject): ReplayedMessage {
    const calls = this.#exchanges.ofMethod('tools/call');
    const isFirstPage = method === 'tools/list' && !isLaterPage(params);
    const result = isFirstPage ? calledTools(calls.map((each) => each.params)) : undefined;
    if (result === undefined) {
      const code = dependsOnParams(method, params) ? notRecorded : methodNotFound;
      return refusal(id, code, this.#why(method, params));
    }
    return { afterMs: 0, message: { jsonrpc: '2.0', id, result } };
  }

  #find(method: string, params: UnknownObject): Exchange | undefined {
    const found = this.#exchanges.find(method, params);
    if (found !== undefined || dependsOnParams(method, params)) return found;
    return this.#exchanges.findByMethod(method);
  }

  #why(method: string, params: UnknownObject): string {
    const ofMethod = this.#exchanges.ofMethod(method);
    const nearest =
      ofMethod.find((each) => nameKeys.some((key) => isSameName(each.params[key], params[key]))) ??
      ofMethod[0];
    const wanted = `${method} ${shown(params)} was not recorded`;
    return nearest === undefined ? wanted : `${wanted}; the nearest is ${shown(nearest.params)}`;
  }
}

function exchangesOf(messages: readonly RecordedMessage[]): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  const open = new OpenExchanges();
  /** Requests of the server without an answer so far, by the keys of their ids. */
  const questions = new Map<unknown, Exchange>();
  let last: Exchange | undefined;
  for (const recorded of messages) {
    const { message, to, at } = recorded;
    if (message === undefined || !isObject(message)) continue;
    const { id, method, params } = message;
    const isId = isServerRequestId(id);
    const key = keyOfId(id);
    if (to === 'server' && typeof method === 'string' && isId) {
      const given = isObject(params) ? params : {};
      last = { at, key, method, params: given, sent: [], answeredAt: new Map(), wasUsed: false };
      exchanges.push(last);
      open.add(last);
    } else if (to === 'client') {
      const isAnswer = isId && method === undefined;
      const owner = (isAnswer ? open.takeAnswered(key) : open.ownerOf(message)) ?? last;
      owner?.sent.push(recorded);
      if (isId && !isAnswer && owner !== undefined) questions.set(key, owner);
    } else if (isId) {
      questions.get(key)?.answeredAt.set(key, at);
      questions.delete(key);
    }
  }
  return exchanges;
}

/** Requests without an answer so far, by the ids and tokens of later messages. */
class OpenExchanges {
  readonly #byId = new Map<unknown, Exchange>();
  readonly #byToken = new Map<unknown, Exchange>();

  add(exchange: Exchange): void {
    this.#byId.set(exchange.key, exchange);
    const token = keyOfId(tokenOf(exchange.params));
    if (token !== undefined) this.#byToken.set(token, exchange);
  }

  /** Returns the request with this id and closes it. */
  takeAnswered(key: unknown): Exchange | undefined {
    const exchange = this.#byId.get(key);
    if (exchange === undefined) return undefined;
    this.#byId.delete(key);
    const token = keyOfId(tokenOf(exchange.params));
    // Another request may use the token by now.
    if (this.#byToken.get(token) === exchange) this.#byToken.delete(token);
    return exchange;
  }

  /** Returns the request that a notification belongs to. */
  ownerOf({ params }: UnknownObject): Exchange | undefined {
    if (!isObject(params)) return undefined;
    const { progressToken, _meta: meta } = params;
    const subscription = isObject(meta) ? meta[subscriptionKey] : undefined;
    return this.#byToken.get(keyOfId(progressToken)) ?? this.#byId.get(keyOfId(subscription));
  }
}

function tokenOf({ _meta: meta }: UnknownObject): unknown {
  return isObject(meta) ? meta['progressToken'] : undefined;
}

function answeredMs(message: object, { at, answeredAt }: Exchange): { answeredMs?: number } {
  if (!isObject(message) || message['method'] === undefined) return {};
  const answered = answeredAt.get(keyOfId(message['id']));
  return answered === undefined ? {} : { answeredMs: Math.max(0, answered - at) };
}

/** Adapts a message to the id and token of the current request. */
function readdressed(
  message: object,
  exchange: Exchange,
  id: string | number,
  params: UnknownObject,
): object {
  if (isAnswerTo(message, exchange)) return { ...message, id };
  const given = isObject(message) ? message['params'] : undefined;
  if (!isObject(given)) return message;
  const { progressToken, _meta: meta } = given;
  const isProgress =
    progressToken !== undefined && keyOfId(progressToken) === keyOfId(tokenOf(exchange.params));
  const isOfSubscription = isObject(meta) && keyOfId(meta[subscriptionKey]) === exchange.key;
  return {
    ...message,
    params: {
      ...given,
      ...(isProgress ? { progressToken: tokenOf(params) } : {}),
      ...(isOfSubscription ? { _meta: { ...meta, [subscriptionKey]: id } } : {}),
    },
  };
}

function isAnswerTo(message: object | undefined, { key }: Exchange): boolean {
  return isObject(message) && keyOfId(message['id']) === key && message['method'] === undefined;
}

function dependsOnParams(method: string, params: UnknownObject): boolean {
  return byParams.has(method) || isLaterPage(params);
}

/** The first page would name this page again, so a client would ask for it without end. */
function isLaterPage({ cursor }: UnknownObject): boolean {
  return cursor !== undefined;
}

function refusal(id: string | number, code: number, why: string): ReplayedMessage {
  return { afterMs: 0, message: { jsonrpc: '2.0', id, error: { code, message: why } } };
}

const nameKeys = ['name', 'uri'] as const;

function isSameName(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && one === other;
}

function withoutMeta(params: UnknownObject): UnknownObject {
  const { _meta: _, ...rest } = params;
  return rest;
}

function shown(params: UnknownObject): string {
  return boundedJson(withoutMeta(params), maxShownChars);
}

const maxTools = 1_000;
const description = 'Was called in the recording, which does not hold its definition.';

/**
 * Makes an answer to `tools/list` from the called tools, for recordings without one. Only the names
 * of these tools are known. Returns `undefined` if no tool was called.
 */
function calledTools(calls: readonly UnknownObject[]): object | undefined {
  const names = new Set(
    calls.flatMap(({ name }) => (typeof name === 'string' && name !== '' ? [name] : [])),
  );
  if (names.size === 0) return undefined;
  const tools = [...names]
    .slice(0, maxTools)
    .map((name) => ({ name, description, inputSchema: { type: 'object' } }));
  return { tools };
}

/** Requests with equal parameters, in the order of the recording. */
interface SameExchanges {
  readonly params: UnknownObject;
  readonly exchanges: Queue;
}

/**
 * Finds the recorded request that a client repeats, by its method and parameters or by its method
 * alone. The time for it does not grow with the recording.
 */
class RecordedRequests {
  readonly #byMethod = new Map<string, Queue>();
  /** Keyed by a digest of method and parameters, which may collide. */
  readonly #byParams = new Map<string, SameExchanges[]>();

  constructor(exchanges: readonly Exchange[]) {
    for (const exchange of exchanges) {
      const { method } = exchange;
      const ofMethod = this.#byMethod.get(method) ?? new Queue();
      this.#byMethod.set(method, ofMethod);
      ofMethod.all.push(exchange);
      const params = comparable(exchange.params);
      const digest = digestOf(method, params);
      if (digest === undefined) continue;
      const alike = this.#byParams.get(digest) ?? [];
      this.#byParams.set(digest, alike);
      let same = alike.find((each) => isSameJson(each.params, params));
      if (same === undefined) alike.push((same = { params, exchanges: new Queue() }));
      same.exchanges.all.push(exchange);
    }
  }

  /** Returns the next unused request with these parameters, or else the last one. */
  find(method: string, params: UnknownObject): Exchange | undefined {
    const asked = comparable(params);
    const alike = this.#byParams.get(digestOf(method, asked) ?? '') ?? [];
    return alike.find((each) => isSameJson(each.params, asked))?.exchanges.next;
  }

  /** Returns the next unused request with this method, or else the last one. */
  findByMethod(method: string): Exchange | undefined {
    return this.#byMethod.get(method)?.next;
  }

  ofMethod(method: string): readonly Exchange[] {
    return this.#byMethod.get(method)?.all ?? [];
  }
}

/** Requests can be used through another queue in the meantime. */
class Queue {
  readonly all: Exchange[] = [];
  #first = 0;

  get next(): Exchange | undefined {
    while (this.all[this.#first]?.wasUsed === true) this.#first += 1;
    return this.all[this.#first] ?? this.all.at(-1);
  }
}

/**
 * Removes what a recording does not have: the user's answers, and the state of calls with several
 * rounds. Also removes empty arguments, which some clients omit.
 */
function comparable(params: UnknownObject): UnknownObject {
  const { inputResponses, requestState: _, _meta: __, arguments: given, ...rest } = params;
  const isEmpty = given === undefined || (isObject(given) && Object.keys(given).length === 0);
  return {
    ...rest,
    ...(isEmpty ? {} : { arguments: given }),
    isAnswered: inputResponses !== undefined,
  };
}

/** More deeply nested values equal nothing; see {@link isSameJson}. */
const maxDepth = 500;

/**
 * Equal for parameters that {@link isSameJson} considers equal; `undefined` for those that equal
 * nothing.
 */
function digestOf(method: string, params: UnknownObject): string | undefined {
  const hash = createHash('sha256');
  hash.update(`${method.length}:${method}`);
  return addTo(hash, params, 0) ? hash.digest('base64') : undefined;
}

/** Returns false if the value is nested too deeply. */
function addTo(hash: ReturnType<typeof createHash>, value: unknown, depth: number): boolean {
  if (depth > maxDepth) return false;
  if (isNumber(value)) hash.update(`n${Number(String(value))};`);
  else if (typeof value === 'string') hash.update(`s${value.length}:${value}`);
  else if (typeof value === 'boolean' || value === null) hash.update(`${value};`);
  else if (!isContainer(value)) hash.update('b;');
  else if (Array.isArray(value)) {
    hash.update(`l${value.length};`);
    return value.every((item: unknown) => addTo(hash, item, depth + 1));
  } else {
    const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
    hash.update(`o${members.length};`);
    return members.every(([name, member]: [string, unknown]) => {
      hash.update(`${name.length}:${name}`);
      return addTo(hash, member, depth + 1);
    });
  }
  return true;
}
