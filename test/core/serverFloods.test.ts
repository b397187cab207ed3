import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { isMcpError } from '../../src/core/errors';
import type { HttpBody } from '../../src/core/http/httpBody';
import { SseStream } from '../../src/core/http/sseStream';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import { NdjsonReader } from '../../src/core/stdio/ndjsonReader';
import { RecordingLog } from './wire';

/** What a server writes without end once it has shaken hands, and how much of it may come. */
const floods = {
  'lines that are no JSON': { line: 'zzz\\n', flood: 'garbage' },
  'lines that look like JSON': { line: '{zzz\\n', flood: 'garbage' },
  'JSON that is no message': { line: '17\\n', flood: 'garbage' },
  'objects that are no message': { line: '{"level":"info"}\\n', flood: 'garbage' },
  'batches of numbers': { line: `[${'1,'.repeat(200)}1]\\n`, flood: 'garbage' },
  'one long batch': { line: `[${'1,'.repeat(20_000)}1]\\n`, flood: 'batch' },
  'a batch of many notifications': {
    line: `[${'{"jsonrpc":"2.0","method":"notifications/x"},'.repeat(2_000)}1]\\n`,
    flood: 'batch',
  },
  'questions for the person': {
    line: '{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}\\n',
    flood: 'requests',
  },
  'questions for a model': {
    line: '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}\\n',
    flood: 'requests',
  },
  'questions for roots': {
    line: '{"jsonrpc":"2.0","id":1,"method":"roots/list"}\\n',
    flood: 'requests',
  },
  pings: { line: '{"jsonrpc":"2.0","id":1,"method":"ping"}\\n', flood: 'requests' },
  'batches of pings': {
    line: `[${'{"jsonrpc":"2.0","id":1,"method":"ping"},'.repeat(500)}1]\\n`,
    flood: 'requests',
  },
} as const;

/** Speaks MCP over stdio, and after `tools/list` writes this line for ever, or so often. */
function serverOf(line: string, times: number): string {
  return `
const chunk = '${line}'.repeat(Math.max(1, Math.min(${times}, Math.floor(65536 / ${line.length}))));
let left = Math.ceil(${times} * ${line.length} / chunk.length);
const flood = () => {
  while (left > 0 && process.stdout.write(chunk)) left -= 1;
  if (left > 0) process.stdout.once('drain', flood);
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (text) => {
  const { id, method } = JSON.parse(text);
  const send = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  if (method === 'initialize') send({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'flood', version: '1' } });
  else if (method === 'tools/list') { send({ tools: [] }); flood(); }
  else if (id !== undefined && method !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
});
process.stdin.on('end', () => process.exit());
`;
}

async function connected(line: string, times = Infinity) {
  const script = serverOf(line, times).replaceAll('Infinity', '1e15');
  const log = new RecordingLog();
  const client = await connectStdio({
    command: process.execPath,
    args: ['-e', script],
    env: {},
    era: 'stateful',
    log,
    clientInfo: { name: 'window', title: 'Window', version: '1' },
  });
  const closed = new Promise<unknown>((resolve) => client.onDidClose(resolve));
  return { client, closed };
}

describe('A server that floods its connection', () => {
  for (const [what, { line, flood }] of Object.entries(floods)) {
    it(`is disconnected, with the reason: ${what}`, async () => {
      const { client, closed } = await connected(line);
      client.listTools().catch(() => undefined);
      const reason = await closed;
      assert.ok(isMcpError(reason, 'serverFlood'), String(reason));
      assert.equal(reason.facts.flood, flood);
      await client.close();
    });
  }

  it('stays connected if it only logs its start to stdout, or asks a few hundred times', async () => {
    for (const [line, times] of [
      ['starting …\\n', 2_000],
      ['{"jsonrpc":"2.0","id":1,"method":"ping"}\\n', 700],
      [
        '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\\n',
        50_000,
      ],
    ] as const) {
      const { client } = await connected(line, times);
      assert.deepEqual((await client.listTools()).tools, []);
      assert.deepEqual((await client.listTools()).tools, []);
      await client.close();
    }
  });

  it('leaves other work a turn between its lines, however small they are', async () => {
    const stream = new PassThrough();
    const values: unknown[] = [];
    // Each line costs a millisecond of work, whatever it is.
    const spend = (value: unknown): void => {
      const until = performance.now() + 1;
      while (performance.now() < until);
      values.push(value);
    };
    const reader = new NdjsonReader(stream, {
      maxMessageBytes: 1_000_000,
      maxMessageValues: 1_000,
      onGarbage: spend,
    });
    reader.listen(spend);
    stream.write(`${'z\n1\n'.repeat(100)}{"cut`);
    const seen: number[] = [];
    while (values.length < 200) {
      await nextRound();
      if (values.length !== seen.at(-1)) seen.push(values.length);
    }
    assert.ok(seen.length >= 6, `${seen.length} turns: ${seen.join(' ')}`);
    stream.write('":1}\n');
    stream.end('last');
    await new Promise<void>((resolve) => reader.onClose(() => resolve()));
    assert.deepEqual(values.slice(0, 4), ['z', 1, 'z', 1]);
    assert.deepEqual(values.slice(200), [{ cut: 1 }, 'last']);
  });

  it('leaves other work a turn between its events, and all are read if it has exited meanwhile', async () => {
    const message = new PassThrough();
    const seen: number[] = [];
    const events: string[] = [];
    const stream = new SseStream(
      { maxMessageBytes: 1_000_000, maxMessageValues: 1_000 },
      (type) => {
        const until = performance.now() + 0.1;
        while (performance.now() < until);
        events.push(type);
      },
    );
    const ended = stream.read(message as unknown as HttpBody);
    message.write('data: {"id":1}\n\n'.repeat(5_000));
    while (events.length < 2_000) {
      await nextRound();
      if (events.length !== seen.at(-1)) seen.push(events.length);
    }
    assert.ok(seen.length >= 4, `${seen.length} turns: ${seen.join(' ')}`);
    message.destroy();
    await ended;
    assert.equal(events.length, 5_000);
  });

  it('has all of its lines read if it has exited before their turn', async () => {
    const stream = new PassThrough();
    const values: unknown[] = [];
    const reader = new NdjsonReader(stream, {
      maxMessageBytes: 1_000_000,
      maxMessageValues: 1_000,
      onGarbage: () => undefined,
    });
    reader.listen((value: unknown) => {
      const until = performance.now() + 1;
      while (performance.now() < until);
      values.push(value);
    });
    stream.write('1\n'.repeat(100));
    await nextRound();
    stream.destroy();
    await new Promise<void>((resolve) => reader.onClose(() => resolve()));
    assert.equal(values.length, 100);
  });
});
