import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { answerTo, OddMessage, Place } from './oddMessages';

/** One request over HTTP, and how a server like all others answers it. */
export interface Exchange {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  /** Empty without a body. */
  readonly message: OddMessage;
  readonly response: ServerResponse;
  /** The answer to the message; undefined to what needs none. */
  readonly answer: ReturnType<typeof answerTo>;
  readonly session: string;
  usual(): void;
}

/** An oddity in how a message goes over HTTP. */
export interface Exchanging {
  readonly name: string;
  readonly only: (place: Place) => boolean;
  /** For one server; the function returns whether it has taken the exchange. */
  readonly make: (place: Place) => (exchange: Exchange) => boolean;
}

export const json = { 'Content-Type': 'application/json' };
const streamable = (place: Place) => place.startsWith('HTTP ');
export const stateful = (place: Place) => streamable(place) && place.endsWith('stateful');
const inJson = (place: Place) => place.startsWith('HTTP JSON');
const inEvents = (place: Place) => place.startsWith('HTTP events');
const statefulJson = (place: Place) => place === 'HTTP JSON, stateful';

type Answer = (response: ServerResponse, exchange: Exchange) => void;
export const end =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** Answers in its own way to what fits, like all others to the rest. */
export function odd(
  name: string,
  only: Exchanging['only'],
  fits: (exchange: Exchange) => boolean,
  answer: Answer,
): Exchanging {
  const take = (exchange: Exchange) => {
    if (!fits(exchange)) return false;
    answer(exchange.response, exchange);
    return true;
  };
  return { name, only, make: () => take };
}

export const isGet = ({ method }: Exchange) => method === 'GET';
export const isCall = ({ message }: Exchange) => message.method === 'tools/call';
const isProbe = ({ message }: Exchange) => message.method === 'server/discover';
const isNote = ({ method, message }: Exchange) => method === 'POST' && message.id === undefined;
const isAnswered = ({ answer }: Exchange) => answer !== undefined;
export const text = (answer: object | undefined) => JSON.stringify(answer);

/** With the session of the handshake, whatever else is odd. */
function head(response: ServerResponse, { message, session }: Exchange, headers: object): void {
  const own = message.method === 'initialize' ? { 'Mcp-Session-Id': session } : {};
  response.writeHead(200, { ...own, ...headers });
}
const answered =
  (headers: Readonly<Record<string, string>>, body = text): Answer =>
  (response, exchange) => {
    head(response, exchange, headers);
    response.end(body(exchange.answer));
  };
const asJson = (type: string, body = text) => answered({ 'Content-Type': type }, body);
const internalError = '{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal"},"id":0}';
const page = { 'Content-Type': 'text/html' };

const streams: readonly (readonly [string, Answer])[] = [
  ['404', end(404, {}, 'Not Found')],
  ['404 with an error', end(404, json, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"x"}}')],
  ['400', end(400)],
  ['500', end(500)],
  ['a page', end(200, page, '<h1>Hello</h1>')],
  ['JSON', end(200, json, '{}')],
  ['204', end(204)],
  ['a stream that ends at once', end(200, { 'Content-Type': 'text/event-stream' })],
  ['a broken connection', (response) => response.destroy()],
  ['silence', () => undefined],
];

const probes: readonly (readonly [string, Answer])[] = [
  ['an empty 500', end(500)],
  ['a 500 with an error', end(500, json, internalError)],
  ['a page with 502', end(502, page, '<h1>Bad Gateway</h1>')],
  ['a 501', end(501, {}, 'Not Implemented')],
  ['a 503', end(503)],
  ['an empty 404', end(404)],
  ['a 400 with words', end(400, {}, 'No valid session ID')],
  ['an empty 200', end(200)],
  ['a page with 200', end(200, page, '<h1>Hello</h1>')],
  ['an empty 202', end(202)],
  ['a 204', end(204)],
  ['a stream without events', end(200, { 'Content-Type': 'text/event-stream' })],
  ['a broken connection', (response) => response.destroy()],
];

const takings: readonly (readonly [string, Answer])[] = [
  ['an empty 202', end(202)],
  ['a 202 with words', end(202, { 'Content-Type': 'text/plain' }, 'Accepted')],
  ['a 202 with JSON', end(202, json, '{"status":"accepted"}')],
  ['a stream that ends at once', end(200, { 'Content-Type': 'text/event-stream' })],
];

const notes: readonly (readonly [string, Answer])[] = [
  ['an empty 200', end(200)],
  ['204', end(204)],
  ['a 202 with words', end(202, {}, 'Accepted')],
  ['a 202 with JSON', end(202, json, '{"jsonrpc":"2.0","id":null,"result":{}}')],
  ['a 200 with JSON', end(200, json, '{}')],
];

/** Ends its calls in the given way, and answers them on the stream of the session. */
function answersElsewhere(name: string, take: Answer): Exchanging {
  return {
    name: `calls get ${name}, and their result comes on the stream`,
    only: statefulJson,
    make: () => {
      let stream: ServerResponse | undefined;
      return (exchange) => {
        const { response, answer } = exchange;
        if (isGet(exchange)) {
          stream = response;
          response.writeHead(200, { 'Content-Type': 'text/event-stream' });
          response.flushHeaders();
        } else if (isCall(exchange)) {
          take(response, exchange);
          setTimeout(() => stream?.write(`data: ${text(answer)}\n\n`), 40);
        } else return false;
        return true;
      };
    },
  };
}

/** Forgets its session once, before the first call. */
function forgets(name: string, deny: Answer): Exchanging {
  return {
    name: `a session that is lost, told by ${name}`,
    only: stateful,
    make: () => {
      let isLost = false;
      let hasLost = false;
      return (exchange) => {
        if (isCall(exchange) && !hasLost) isLost = hasLost = true;
        if (exchange.message.method === 'initialize') isLost = false;
        if (!isLost || exchange.method !== 'POST') return false;
        deny(exchange.response, exchange);
        return true;
      };
    },
  };
}

function redirects(status: number): Exchanging {
  const fits = ({ path }: Exchange) => path === '/mcp';
  return odd(`every request is sent to another path by ${status}`, streamable, fits, (response) =>
    response.writeHead(status, { Location: '/mcp/' }).end(),
  );
}

export const exchangings: readonly Exchanging[] = [
  ...streams.map(([name, answer]) => odd(`the stream gets ${name}`, stateful, isGet, answer)),
  {
    name: 'the stream is there once, then 404',
    only: stateful,
    make: () => {
      let gets = 0;
      return (exchange) => {
        if (!isGet(exchange)) return false;
        gets += 1;
        if (gets > 1) exchange.response.writeHead(404).end();
        else
          exchange.response
            .writeHead(200, { 'Content-Type': 'text/event-stream' })
            .end('retry: 1\n\n');
        return true;
      };
    },
  },
  ...probes.map(([name, answer]) =>
    odd(`the question for the era gets ${name}`, statefulJson, isProbe, answer),
  ),
  ...takings.map(([name, answer]) => answersElsewhere(name, answer)),
  ...notes.map(([name, answer]) => odd(`notifications get ${name}`, statefulJson, isNote, answer)),
  odd(
    'notifications get no answer',
    (place) => stateful(place) || place === 'HTTP+SSE',
    ({ message: { method, id } }) => method !== undefined && id === undefined,
    () => undefined,
  ),
  forgets('an empty 404', end(404)),
  forgets('a 404 with an error', end(404, json, internalError)),
  forgets(
    'a 400 with words about the session',
    end(
      400,
      json,
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"No valid session ID"},"id":null}',
    ),
  ),
  ...[
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json ;  charset=utf-8; x=y',
  ].map((type) => odd(`the type ${type}`, inJson, isAnswered, asJson(type))),
  ...['text/event-stream; charset=utf-8', 'TEXT/Event-Stream;charset=UTF-8'].map((type) =>
    odd(
      `the type ${type}`,
      inEvents,
      isAnswered,
      asJson(type, (it) => `data: ${text(it)}\n\n`),
    ),
  ),
  odd('JSON as text/plain', inJson, isAnswered, asJson('text/plain')),
  odd(
    'JSON with a byte order mark',
    inJson,
    isAnswered,
    asJson('application/json', (it) => `\uFEFF${text(it)}`),
  ),
  odd(
    'JSON with empty lines round it',
    inJson,
    isAnswered,
    asJson('application/json', (it) => `\n\n${text(it)}\n\n`),
  ),
  odd('answers with status 201', inJson, isAnswered, (response, exchange) => {
    response.setHeader('Mcp-Session-Id', exchange.session);
    response.writeHead(201, json).end(text(exchange.answer));
  }),
  odd('JSON byte by byte', inJson, isAnswered, (response, exchange) => {
    head(response, exchange, json);
    for (const byte of Buffer.from(text(exchange.answer) ?? ''))
      response.write(Buffer.from([byte]));
    response.end();
  }),
  odd(
    'a connection for each answer',
    streamable,
    () => true,
    (response, exchange) => {
      response.setHeader('Connection', 'close');
      exchange.usual();
    },
  ),
  odd(
    'a session in every answer',
    stateful,
    () => true,
    (response, exchange) => {
      response.setHeader('mcp-session-id', exchange.session);
      exchange.usual();
    },
  ),
  {
    name: 'another session id in every answer, of which the last one counts',
    only: stateful,
    make: () => {
      let current: string | undefined;
      let count = 0;
      return (exchange) => {
        const { method, message, headers, response } = exchange;
        if (method !== 'POST' || message.method === 'server/discover') return false;
        if (message.method !== 'initialize' && headers['mcp-session-id'] !== current) {
          response.writeHead(404).end();
          return true;
        }
        current = `session-${(count += 1)}`;
        const { answer } = exchange;
        response.writeHead(answer === undefined ? 202 : 200, {
          ...json,
          'Mcp-Session-Id': current,
        });
        response.end(text(answer));
        return true;
      };
    },
  },
  odd(
    'DELETE gets a broken connection',
    stateful,
    ({ method }) => method === 'DELETE',
    (response) => response.destroy(),
  ),
  redirects(307),
  redirects(308),
  odd(
    'words after HTTP+SSE messages were taken',
    (place) => place === 'HTTP+SSE',
    ({ method, path }) => method === 'POST' && path !== '/mcp',
    (response, exchange) => {
      const writeHead = response.writeHead.bind(response, 200);
      Reflect.set(response, 'writeHead', () => writeHead());
      exchange.usual();
    },
  ),
];
