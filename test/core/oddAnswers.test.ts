import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { stringifyExactly } from '../../src/core/json/writtenNumber';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import { scripted, type Script } from '../servers/scripted';
import { until } from '../waiting';
import { whileStopped } from './stoppedClock';
import { answerTo, failureOf, outcome, RecordingLog, useWires, type Wire } from './wire';

/** What comes while the request with id 0 waits alone, and what it ends with. */
const lines: Readonly<Record<string, readonly [line: string, end: RegExp]>> = {
  NaN: ['{"jsonrpc":"2.0","id":0,"result":{"a":NaN}}', /^invalidResult .*"a":NaN/s],
  'NaN before its id': ['{"jsonrpc":"2.0","result":{"a":[NaN,1]},"id":0}', /^invalidResult .*NaN/s],
  'NaN, with an id as text': ['{"jsonrpc":"2.0","id":"0","result":{"a":NaN}}', /^invalidResult/],
  Infinity: ['{"result":{"a":-Infinity},"id":0,"jsonrpc":"2.0"}', /^invalidResult .*-Infinity/s],
  undefined: ['{"jsonrpc":"2.0","id":0,"result":undefined}', /^invalidResult .*undefined/s],
  'a dictionary of Python': [
    "{'jsonrpc': '2.0', 'id': 0, 'result': {'t': \"it's\", 'x': None}}",
    /^invalidResult .*None/s,
  ],
  'a raw newline': ['{"jsonrpc":"2.0","id":0,"result":{"t":"a\nb"}}', /^invalidResult .*"t":"a$/s],
  'a raw newline before its id': [
    '{"jsonrpc":"2.0","result":{"t":"a\nb"},"id":0}',
    /^invalidResult .*"t":"a$/s,
  ],
  'a raw tab': ['{"jsonrpc":"2.0","id":0,"result":{"t":"a\tb"}}', /^invalidResult .*a\tb/s],
  'a missing bracket': ['{"jsonrpc":"2.0","id":0,"result":{"c":[1}}', /^invalidResult .*\[1/s],
  'a missing bracket before its id': [
    '{"jsonrpc":"2.0","result":{"c":[1},"id":0}',
    /^invalidResult .*\[1/s,
  ],
  'a missing end': ['{"jsonrpc":"2.0","id":0,"result":{"c":[1]}', /^invalidResult .*\[1\]/s],
  'a broken error': [
    '{"jsonrpc":"2.0","id":null,"error":{"code":NaN,"message":"full"}}',
    /^invalidResult .*full/s,
  ],
  'an error with id null': [
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"full"}}',
    /^serverError -32603 full$/,
  ],
  'an error without id': [
    '{"jsonrpc":"2.0","error":{"code":-1,"message":"x"}}',
    /^serverError -1 x$/,
  ],
  'an answer without id': ['{"jsonrpc":"2.0","result":{"a":"b"}}', /^invalidResult .*"a":"b"/s],
};

/** What ends nothing, whoever waits. */
const others: Readonly<Record<string, string>> = {
  'the id of another request': '{"jsonrpc":"2.0","id":7,"result":{"a":NaN}}',
  'an id further in': '{"level":"x","result":{"id":0,"a":NaN}}',
  'an id in a text': '{"text":"\\"id\\":0,","result":NaN}',
  'a request of the server': '{"jsonrpc":"2.0","id":0,"method":"ping","params":NaN}',
  'a notification as a dictionary of Python':
    "{'jsonrpc': '2.0', 'method': 'x', 'params': {'id': 0}}",
  'a notification': '{"jsonrpc":"2.0","method":"notifications/x","params":{"result":NaN}}',
  'a log in JSON': '{"id":0,"result":NaN,"level":"info"}',
  'a log with a copy of an answer': 'sent {"jsonrpc":"2.0","id":0,"result":NaN}',
  'a line that is cut before it says what it is': '{"jsonrpc":"2.0","id":0',
  'neither result nor error': '{"jsonrpc":"2.0"}',
  'an id of no request': '{"jsonrpc":"2.0","id":"x","result":{}}',
};

const wired = useWires();

/** What a request that only its own answer should end ends with, when that comes after `line`. */
async function afterLine(wire: Wire, id: number, asked: Promise<unknown>, line: string) {
  wire.raw(`${line}\n`);
  wire.send({ jsonrpc: '2.0', id, result: { own: true } });
  assert.deepEqual(await outcome(asked), { own: true });
}

describe('An invalid answer, or one without an id,', () => {
  for (const [what, [line, end]] of Object.entries(lines)) {
    it(`ends the waiting request at once, with its text: ${what}`, async () => {
      const wire = wired();
      const asked = wire.request();
      await wire.nextMessages();
      wire.raw(`${line}\n`);
      wire.send({ jsonrpc: '2.0', id: 0, result: 'too late' });
      assert.match(String(await outcome(asked)), end);
    });
  }

  for (const [what, line] of Object.entries(others)) {
    it(`ends nothing: ${what}`, async () => {
      const wire = wired();
      const asked = wire.request();
      await wire.nextMessages();
      await afterLine(wire, 0, asked, line);
    });
  }

  const idless = '{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}';
  for (const line of [idless, '{"jsonrpc":"2.0","result":NaN}']) {
    it(`ends none of several waiting requests: ${line}`, async () => {
      const wire = wired();
      const [one, other] = [wire.request(), wire.request()];
      await wire.nextMessages();
      await afterLine(wire, 0, one, line);
      await afterLine(wire, 1, other, '');
    });

    it(`ends nothing if it may belong to a notification: ${line}`, async () => {
      const wire = wired();
      wire.rpc.notify('notifications/initialized');
      const asked = wire.request();
      await afterLine(wire, 0, asked, line);
      const next = wire.request();
      wire.raw(`${line}\n`);
      wire.send({ jsonrpc: '2.0', id: 1, result: 'too late' });
      assert.match(String(await outcome(next)), /^serverError|^invalidResult/);
    });

    it(`ends nothing if it may belong to a cancelled request: ${line}`, () =>
      whileStopped(async (clock) => {
        const wire = wired();
        const overdue = outcome(wire.request('a', { timeoutMs: 10 }));
        clock.advance(20);
        assert.equal(await overdue, 'timeout');
        await afterLine(wire, 1, wire.request(), line);
      }));
  }

  it('ends the request that it names among several', async () => {
    const wire = wired();
    const [one, other] = [wire.request(), wire.request()];
    await wire.nextMessages();
    wire.raw('{"jsonrpc":"2.0","id":1,"result":NaN}\n');
    assert.match(String(await outcome(other)), /^invalidResult/);
    await afterLine(wire, 0, one, '');
  });

  const servers: Readonly<Record<string, Script>> = {
    NaN: (server) => {
      server.tools = [{ name: 'one', inputSchema: { type: 'object' } }];
      server.on('tools/call', ({ id }) =>
        server.raw(`{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[],"x":NaN}}\n`),
      );
    },
    'id: null': (server) => {
      server.tools = [{ name: 'one', inputSchema: { type: 'object' } }];
      server.on('tools/call', () =>
        server.raw('{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"NaN"}}\n'),
      );
    },
  };
  for (const [what, script] of Object.entries(servers)) {
    it(`ends a call of a tool of a real process: ${what}`, async () => {
      const client = await connectStdio({
        ...scripted(script),
        era: 'stateful',
        log: new RecordingLog(),
        clientInfo: { name: 'window', title: 'Window', version: '1' },
      });
      const { tools } = await client.listTools();
      assert.equal(tools.length, 1);
      const [, facts] = await failureOf(client.callTool('one', {}));
      assert.match(facts.detail ?? '', /NaN/);
      await client.close();
    });
  }
});

describe('An answer whose id is written with a fraction of zero', () => {
  const answers: Readonly<Record<string, (id: string) => string>> = {
    'of a list': (id) => `{"jsonrpc":"2.0","id":${id},"result":{"tools":[]}}`,
    'of a call': (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"x":1.0}}`,
    'in a batch': (id) => `[{"jsonrpc":"2.0","id":${id},"result":{"tools":[]}}]`,
    'of a call in a batch': (id) => `[{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}]`,
    'with an error in a batch': (id) =>
      `[{"jsonrpc":"2.0","id":${id},"error":{"code":-32000.0,"message":"no"}}]`,
  };
  for (const [what, answer] of Object.entries(answers)) {
    it(`ends its request: ${what}`, async () => {
      const wire = wired();
      const [one, other] = [wire.request(), wire.request()].map(outcome);
      await wire.nextMessages();
      wire.raw(`${answer('1.0')}\n`);
      wire.send(answerTo(1, 'too late'), answerTo(0, 'own'));
      assert.notEqual(await other, 'too late');
      assert.equal(await one, 'own');
    });
  }

  it('has the numbers of its result as they were written', async () => {
    const wire = wired();
    const asked = wire.request();
    await wire.nextMessages();
    wire.raw('[{"jsonrpc":"2.0","id":0.0,"result":{"content":[],"x":1.0}}]\n');
    assert.equal(stringifyExactly(await asked), '{"content":[],"x":1.0}');
  });

  it('is reported as an error if it is one, also in a batch', async () => {
    const wire = wired();
    const asked = outcome(wire.request());
    await wire.nextMessages();
    wire.raw('[{"jsonrpc":"2.0","id":0.0,"error":{"code":-32000.0,"message":"no"}}]\n');
    assert.equal(await asked, 'serverError -32000 no');
  });
});

describe('A late answer', () => {
  for (const id of [0, '0']) {
    it(`to a cancelled request is reported, with the id ${JSON.stringify(id)}`, async () => {
      const wire = wired();
      const source = new CancellationTokenSource();
      const late: unknown[] = [];
      const options = {
        token: source.token,
        onLateAnswer: (result: unknown) => late.push(result),
      };
      const request = outcome(wire.rpc.request('tools/call', {}, (result) => result, options));
      source.cancel();
      assert.equal(await request, 'cancelled');
      wire.send({ jsonrpc: '2.0', id, result: { task: { taskId: 't' } } });
      await until(() => late.length > 0);
      assert.deepEqual(late, [{ task: { taskId: 't' } }]);
      assert.deepEqual(
        wire.log.lines.filter((line) => line.includes('without the id')),
        [],
      );
    });
  }
});
