import { end, type Exchanging, isCall, isGet, json, odd, stateful, text } from './oddExchanges';

/** How servers refuse a revision or lose a session, in other ways than the specification has. */
export const sessions: readonly Exchanging[] = [
  ...[400, 200].map((status) => deniesOnce(status)),
  odd(
    'knows 2025-03-26 only, and says so in words',
    stateful,
    ({ message: { method, params } }) =>
      method === 'initialize' && params?.['protocolVersion'] !== '2025-03-26',
    (response, { message: { id } }) => {
      const error = { code: -32602, message: 'Unsupported protocol version' };
      response.writeHead(200, json).end(text({ jsonrpc: '2.0', id, error }));
    },
  ),
  odd('somebody else has its stream (409)', stateful, isGet, end(409)),
];

/** The session is lost at the first call, which is said as python-sdk does. */
function deniesOnce(status: number): Exchanging {
  const make = () => {
    let isDone = false;
    return (exchange: Parameters<typeof isCall>[0]) => {
      if (isDone || !isCall(exchange)) return false;
      isDone = true;
      const error = { code: -32600, message: 'Session not found' };
      const body = text({ jsonrpc: '2.0', id: 'server-error', error });
      exchange.response.writeHead(status, json).end(body);
      return true;
    };
  };
  return { name: `a lost session in words (${status})`, only: stateful, make };
}
