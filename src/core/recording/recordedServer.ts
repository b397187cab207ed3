import { boundedJson, isObject, type UnknownObject } from '../json/shapes';
import { isSameJson } from '../json/sameJson';
import type { RecordedMessage } from './recordedLine';

/** What is sent back for one message of the client. */
export interface ReplayedMessage {
  /** Milliseconds after the request, as it was recorded. */
  readonly afterMs: number;
  readonly message: object;
}

/** A request of the recording, and all that came for the client until the next answer. */
interface Exchange {
  readonly at: number;
  readonly id: string | number;
  readonly method: string;
  readonly params: UnknownObject;
  readonly sent: RecordedMessage[];
  wasUsed: boolean;
}

/** What JSON-RPC leaves to servers. */
const notRecorded = -32_001;
const methodNotFound = -32_601;
const maxShownChars = 300;
const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

/**
 * Answers what a client asks as a server answered before: a request with the same method and
 * arguments, one after the other where there were several, and the last of them again once all were
 * given. For anything but calls of tools the method alone is enough. What was not recorded is an
 * error that shows what comes nearest.
 */
export class Replay {
  readonly #exchanges: readonly Exchange[];

  /** The messages of one server. */
  constructor(messages: readonly RecordedMessage[]) {
    this.#exchanges = exchangesOf(messages);
  }

  /** What is to be sent, in this order; nothing for what wants no answer. Never throws. */
  answer(message: unknown): readonly ReplayedMessage[] {
    if (!isObject(message)) return [];
    const { id, method, params } = message;
    if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return [];
    const asked = isObject(params) ? params : {};
    const exchange = this.#find(method, asked);
    if (exchange === undefined) return [refusal(id, method, this.#why(method, asked))];
    exchange.wasUsed = true;
    const sent = exchange.sent.flatMap(({ at, message: recorded }): ReplayedMessage[] =>
      recorded === undefined
        ? []
        : [
            {
              afterMs: Math.max(0, at - exchange.at),
              message: readdressed(recorded, exchange, id, asked),
            },
          ],
    );
    // One that stays open was never answered; any other whose answer is not there has none to give.
    const isAnswered = exchange.sent.some(({ message: recorded }) =>
      isAnswerTo(recorded, exchange.id),
    );
    if (isAnswered || method.startsWith('subscriptions/')) return sent;
    return [...sent, refusal(id, method, 'its answer was not recorded')];
  }

  #find(method: string, params: UnknownObject): Exchange | undefined {
    const ofMethod = this.#exchanges.filter((each) => each.method === method);
    const same = ofMethod.filter((each) =>
      isSameJson(withoutMeta(each.params), withoutMeta(params)),
    );
    const found = same.find(({ wasUsed }) => !wasUsed) ?? same.at(-1);
    if (found !== undefined || method === 'tools/call') return found;
    return ofMethod.find(({ wasUsed }) => !wasUsed) ?? ofMethod.at(-1);
  }

  #why(method: string, params: UnknownObject): string {
    const ofMethod = this.#exchanges.filter((each) => each.method === method);
    const nearest = ofMethod.find((each) => each.params['name'] === params['name']) ?? ofMethod[0];
    const wanted = `${method} ${shown(params)} was not recorded`;
    return nearest === undefined ? wanted : `${wanted}; the nearest is ${shown(nearest.params)}`;
  }
}

function exchangesOf(messages: readonly RecordedMessage[]): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  const open = new OpenExchanges();
  let last: Exchange | undefined;
  for (const recorded of messages) {
    const { message, to, at } = recorded;
    if (message === undefined || !isObject(message)) continue;
    const { id, method, params } = message;
    const isId = typeof id === 'string' || typeof id === 'number';
    if (to === 'server' && typeof method === 'string' && isId) {
      last = { at, id, method, params: isObject(params) ? params : {}, sent: [], wasUsed: false };
      exchanges.push(last);
      open.add(last);
    } else if (to === 'client') {
      const isAnswer = isId && method === undefined;
      const owner = isAnswer ? open.takeAnswered(id) : open.ownerOf(message);
      (owner ?? last)?.sent.push(recorded);
    }
  }
  return exchanges;
}

/** Requests without an answer yet, by what later messages name them by. */
class OpenExchanges {
  readonly #byId = new Map<unknown, Exchange>();
  readonly #byToken = new Map<unknown, Exchange>();

  add(exchange: Exchange): void {
    this.#byId.set(exchange.id, exchange);
    const token = tokenOf(exchange.params);
    if (token !== undefined) this.#byToken.set(token, exchange);
  }

  /** The request with this id, which is not open from here on. */
  takeAnswered(id: string | number): Exchange | undefined {
    const exchange = this.#byId.get(id);
    if (exchange === undefined) return undefined;
    this.#byId.delete(id);
    const token = tokenOf(exchange.params);
    // Another request may have it by now.
    if (this.#byToken.get(token) === exchange) this.#byToken.delete(token);
    return exchange;
  }

  /** The request that a notification says it belongs to. */
  ownerOf({ params }: UnknownObject): Exchange | undefined {
    if (!isObject(params)) return undefined;
    const { progressToken, _meta: meta } = params;
    const subscription = isObject(meta) ? meta[subscriptionKey] : undefined;
    return this.#byToken.get(progressToken) ?? this.#byId.get(subscription);
  }
}

function tokenOf({ _meta: meta }: UnknownObject): unknown {
  return isObject(meta) ? meta['progressToken'] : undefined;
}

/** The message as it has to be for the request that is answered now. */
function readdressed(
  message: object,
  exchange: Exchange,
  id: string | number,
  params: UnknownObject,
): object {
  if (isAnswerTo(message, exchange.id)) return { ...message, id };
  const given = isObject(message) ? message['params'] : undefined;
  if (!isObject(given)) return message;
  const { progressToken, _meta: meta } = given;
  const isProgress = progressToken !== undefined && progressToken === tokenOf(exchange.params);
  const isOfSubscription = isObject(meta) && meta[subscriptionKey] === exchange.id;
  return {
    ...message,
    params: {
      ...given,
      ...(isProgress ? { progressToken: tokenOf(params) } : {}),
      ...(isOfSubscription ? { _meta: { ...meta, [subscriptionKey]: id } } : {}),
    },
  };
}

function isAnswerTo(message: object | undefined, id: string | number): boolean {
  return isObject(message) && message['id'] === id && message['method'] === undefined;
}

function refusal(id: string | number, method: string, why: string): ReplayedMessage {
  const code = method === 'tools/call' ? notRecorded : methodNotFound;
  return { afterMs: 0, message: { jsonrpc: '2.0', id, error: { code, message: why } } };
}

function withoutMeta(params: UnknownObject): UnknownObject {
  const { _meta: _, ...rest } = params;
  return rest;
}

function shown(params: UnknownObject): string {
  return boundedJson(withoutMeta(params), maxShownChars);
}
