import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Subject } from './subject';

// The physical limit: a bare pipe, or a bare keep-alive HTTP client, with one JSON.stringify and
// one JSON.parse a message and no safety whatever, but as fast as we know how: the messages of a turn go
// out in one write, and the lines of a chunk are made text together.

/** Hands over every line that comes, without its newline. */
function takeLines(stream: Readable, take: (line: string) => void): void {
  let parts: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(10);
    if (end < 0) {
      parts.push(chunk);
      return;
    }
    let start = 0;
    if (parts.length > 0) {
      start = chunk.indexOf(10) + 1;
      const line = Buffer.concat([...parts, chunk.subarray(0, start - 1)]);
      parts = [];
      take(line.toString());
    }
    if (start <= end) for (const line of chunk.toString('utf8', start, end).split('\n')) take(line);
    if (end + 1 < chunk.length) parts.push(chunk.subarray(end + 1));
  });
}

/** What writes a line, together with the others of its turn. */
function lineWriter(stream: Writable): (line: string) => void {
  let queued = '';
  const flush = (): void => {
    stream.write(queued);
    queued = '';
  };
  return (line) => {
    if (queued === '') process.nextTick(flush);
    queued += line + '\n';
  };
}

interface Answer {
  readonly id?: number;
  readonly result: { readonly tools: readonly unknown[]; readonly content: readonly unknown[] };
}

type Send = (method: string, params: object) => Promise<Answer>;

const toSubject = (send: Send, close: () => Promise<void>): Subject => ({
  listTools: async () => (await send('tools/list', {})).result.tools,
  callTool: async (name, args) => (await send('tools/call', { name, arguments: args })).result,
  close,
});

const initializeParams = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'limit', version: '1' },
};

export async function connectStdio(command: string, args: readonly string[]): Promise<Subject> {
  const child = spawn(command, [...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, (answer: Answer) => void>();
  let nextId = 0;

  takeLines(child.stdout, (line) => {
    const message = JSON.parse(line) as Answer;
    if (message.id === undefined) return;
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  const write = lineWriter(child.stdin);
  const send: Send = (method, params) => {
    const id = nextId++;
    write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve) => waiting.set(id, resolve));
  };

  await send('initialize', initializeParams);
  write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return toSubject(send, async () => {
    // The last message goes out with those of its turn.
    await nextRound();
    child.stdin.end();
    await once(child, 'exit');
  });
}

export async function connectHttp(url: string): Promise<Subject> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port, pathname } = new URL(url);
  const target = { method: 'POST', agent, hostname, port, path: pathname };
  let nextId = 0;

  const post = (body: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': Buffer.byteLength(body),
      };
      const outgoing = request({ ...target, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        // Of an event, its only line of data.
        const isEvent = response.headers['content-type'] === 'text/event-stream';
        const from = isEvent ? 'event: message\ndata: '.length : 0;
        response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8', from)));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const send: Send = async (method, params) =>
    JSON.parse(await post(JSON.stringify({ jsonrpc: '2.0', id: nextId++, method, params })));

  await send('initialize', initializeParams);
  await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return toSubject(send, async () => agent.destroy());
}
