import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { McpError } from '../../src/core/errors';
import { RequestRefused } from '../../src/core/rpc/serverRequests';
import { until } from '../waiting';
import { whileStopped, type StoppedClock } from './stoppedClock';
import { answerTo, outcome, useWires } from './wire';

const cancelledMessage = (requestId: unknown, reason: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, reason },
});

const wired = useWires();
const tick = (method: string) => ({ jsonrpc: '2.0', method });

/** Timers that keep the process alive. */
const holding = () => process.getActiveResourcesInfo().filter((it) => it === 'Timeout').length;

describe('Rpc: requests', () => {
  it('have ids from 0, always an object as params, and are answered in any order', async () => {
    const wire = wired();
    const both = Promise.all([wire.request('a'), wire.request('b', {}, { x: 1 })]);
    assert.deepEqual(await wire.nextMessages(), [
      { jsonrpc: '2.0', id: 0, method: 'a', params: {} },
      { jsonrpc: '2.0', id: 1, method: 'b', params: { x: 1 } },
    ]);
    wire.send(answerTo(1, { b: 1 }), answerTo(0, { a: 1 }));
    assert.deepEqual(await both, [{ a: 1 }, { b: 1 }]);
  });

  it('reject with the unchanged error of the server', async () => {
    const wire = wired();
    const failing = wire.request();
    const error = { code: -32097, message: 'no <b>such</b>', data: { supported: ['x'] } };
    wire.send({ jsonrpc: '2.0', id: 0, error });
    await assert.rejects(failing, (thrown: unknown) => {
      assert.ok(thrown instanceof McpError);
      assert.equal(thrown.code, 'serverError');
      assert.deepEqual(thrown.facts, {
        detail: 'no <b>such</b>',
        rpcCode: -32097,
        rpcData: { supported: ['x'] },
      });
      return true;
    });
  });

  for (const [what, members, expected] of [
    ['a code that is no number', { error: { code: 'E1', message: 'm' } }, 'serverError m'],
    ['an error that is no object', { error: 'bad' }, 'serverError "bad"'],
    ['an error without a message', { error: { code: 5 } }, 'serverError 5 {"code":5}'],
    ['both result and error', { result: {}, error: { code: 1, message: 'm' } }, 'both'],
    ['neither result nor error', {}, 'neither'],
    ['no jsonrpc member', { jsonrpc: undefined, result: {} }, '"jsonrpc" is not "2.0"'],
    ['error beside a null result', { result: null, error: { code: 1, message: 'm' } }, ' 1 m'],
  ] as const) {
    it(`fail at once at an answer with ${what}, and the connection stays open`, async () => {
      const wire = wired();
      const failing = outcome(wire.request());
      wire.send({ jsonrpc: '2.0', id: 0, ...members });
      const text = String(await failing);
      assert.ok(text.includes(expected), text);
      const next = wire.request();
      wire.send(answerTo(1, 'fine'));
      assert.equal(await next, 'fine');
    });
  }

  it('accept a null error beside a result', async () => {
    const wire = wired();
    const answer = wire.request();
    wire.send({ ...answerTo(0, { ok: true }), error: null });
    assert.deepEqual(await answer, { ok: true });
  });

  it('accept their id as a string, and the log says so once (R-104)', async () => {
    const wire = wired();
    const both = Promise.all([wire.request(), wire.request()]);
    wire.send(answerTo('0', 'zero'), answerTo('1', 'one'));
    assert.deepEqual(await both, ['zero', 'one']);
    assert.equal(wire.log.lines.filter((line) => line.includes('strings for numbers')).length, 1);
  });

  it('are not affected by unknown answers, duplicates, and ids of other types', async () => {
    const wire = wired();
    const answer = wire.request();
    for (const id of [99, -1, 0.5, true, [0], { id: 0 }, '00x', '']) {
      wire.send(answerTo(id, 'wrong'));
    }
    wire.send(answerTo(0, 'right'), answerTo(0, 'again'), { jsonrpc: '2.0', id: 0, error: {} });
    assert.equal(await answer, 'right');
  });

  it('reject with the error of the parser', async () => {
    const wire = wired();
    const failing = wire.rpc.request('a', {}, () => {
      throw new McpError('invalidResult', { detail: 'shape' });
    });
    wire.send(answerTo(0, 1));
    assert.equal(await outcome(failing), 'invalidResult shape');
  });

  it('reject with the reason if they cannot be written', async () => {
    const wire = wired();
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    assert.match(String(await outcome(wire.request('a', {}, cyclic))), /^writeFailed .*circular/);
  });

  it('settle in the turn of their answer, after the notifications before it', async () => {
    const wire = wired();
    const seen: unknown[] = wire.notifications;
    const answer = wire.request().then((result) => seen.push(result));
    await wire.nextMessages();
    wire.toClient.resume();
    wire.toClient.emit(
      'data',
      Buffer.from(
        [tick('before'), answerTo(0, 'answer'), tick('after')]
          .map((message) => JSON.stringify(message) + '\n')
          .join(''),
      ),
    );
    await Promise.resolve();
    await answer;
    assert.deepEqual(seen, ['before', 'after', 'answer']);
  });
});

describe('Rpc: cancellation', () => {
  it('rejects without waiting for a reply, notifies the server, and ignores its answer', async () => {
    const wire = wired();
    const source = new CancellationTokenSource();
    const cancelled = outcome(wire.request('a', { token: source.token }));
    await wire.nextMessages();
    source.cancel();
    assert.equal(await cancelled, 'cancelled');
    assert.deepEqual(await wire.nextMessages(), [cancelledMessage(0, 'Cancelled')]);
    wire.send(answerTo(0, 'late'));
    const next = wire.request();
    wire.send(answerTo(1, 'next'));
    assert.equal(await next, 'next');
    assert.deepEqual(wire.log.lines, []);
  });

  it('sends nothing if the token was already cancelled', async () => {
    const wire = wired();
    const source = new CancellationTokenSource();
    source.cancel();
    assert.equal(await outcome(wire.request('a', { token: source.token })), 'cancelled');
    void outcome(wire.request('b'));
    assert.deepEqual(await wire.nextMessages(), [
      { jsonrpc: '2.0', id: 0, method: 'b', params: {} },
    ]);
  });

  it('sends nothing after the answer', async () => {
    const wire = wired();
    const source = new CancellationTokenSource();
    const answer = wire.request('a', { token: source.token });
    await wire.nextMessages();
    wire.send(answerTo(0, 'done'));
    assert.equal(await answer, 'done');
    source.cancel();
    void outcome(wire.request('b'));
    assert.equal((await wire.nextMessages()).length, 1);
  });
});

describe('Rpc: deadlines', () => {
  for (const [how, pass] of [
    ['one by one', (clock: StoppedClock) => clock.advance(90)],
    ['all at once, after a stall', (clock: StoppedClock) => clock.jump(5_000)],
  ] as const) {
    it(`reject with timeout and its limit, and notify the server; shorter ones first, ${how}`, async () => {
      const wire = wired();
      await whileStopped(async (clock) => {
        const ended: string[] = [];
        const request = (method: string, timeoutMs: number) =>
          wire.request(method, { timeoutMs }).catch((error: unknown) => {
            assert.ok(error instanceof McpError);
            ended.push(`${method} ${error.code} ${error.facts.limit}`);
          });
        const all = Promise.all([request('long', 90), request('short', 30), request('mid', 60)]);
        assert.equal((await wire.nextMessages()).length, 3);
        pass(clock);
        await all;
        assert.deepEqual(ended, ['short timeout 30', 'mid timeout 60', 'long timeout 90']);
        assert.deepEqual(
          await wire.nextMessages(),
          [1, 2, 0].map((id) => cancelledMessage(id, 'Timed out')),
        );
      });
    });
  }

  it('do not fire early', async () => {
    const wire = wired();
    await whileStopped(async (clock) => {
      const answer = wire.request('a', { timeoutMs: 30 });
      await wire.nextMessages();
      clock.advance(29);
      wire.send(answerTo(0, 'in time'));
      assert.equal(await answer, 'in time');
    });
  });

  it('apply to requests without one', async () => {
    const wire = wired({
      requestTimeoutMs: 20,
    });
    assert.equal(await outcome(wire.request()), 'timeout');
  });

  it('share one timer, which does not keep a process alive', async () => {
    const wire = wired();
    let timers = 0;
    const count = (_id: number, type: string) => (timers += type === 'Timeout' ? 1 : 0);
    const hook = createHook({ init: count }).enable();
    const before = holding();
    for (let i = 0; i < 100; i += 1) void outcome(wire.request());
    hook.disable();
    assert.deepEqual([timers, holding() - before], [1, 0]);
    wire.end();
  });

  it('restart at each progress report, up to the ceiling', async () => {
    const wire = wired({ callCeilingMs: 220 });
    await whileStopped(async (clock) => {
      const reports: unknown[] = [];
      const onProgress = (report: unknown) => {
        reports.push(report);
        clock.advance(50);
      };
      const slow = wire.request('a', { timeoutMs: 60, onProgress });
      const [sent] = await wire.nextMessages();
      assert.deepEqual(sent, {
        jsonrpc: '2.0',
        id: 0,
        method: 'a',
        params: { _meta: { progressToken: 0 } },
      });
      const progress = (count: number) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 0, progress: count, total: 9 },
      });
      // Each comes 50 ms after the one before it, and the ceiling 20 ms after the last one.
      wire.send(...[0.5, 1, 1.5, 2, 2.5].map(progress));
      assert.equal(await outcome(slow), 'timeout');
      assert.deepEqual(reports[0], { progress: 0.5, total: 9 });
      assert.equal(reports.length, 5);
    });
  });
});

describe('Rpc: progress', () => {
  it('reaches only the request with that token, of that type, while it waits (R-457)', async () => {
    const wire = wired();
    const seen: string[] = [];
    const listen = (name: string) => ({
      onProgress: (report: { progress: number }) => seen.push(`${name} ${report.progress}`),
    });
    const first = wire.request('a', listen('a'));
    const second = wire.request('b', listen('b'));
    const report = (params: unknown) =>
      wire.send({ jsonrpc: '2.0', method: 'notifications/progress', params });
    report({ progressToken: 1, progress: 1 });
    report({ progressToken: '0', progress: 2 });
    report({ progressToken: 9, progress: 3 });
    report({ progressToken: 0, progress: 'x' });
    report(null);
    report([0, 1]);
    report({ progressToken: 0, progress: 4 });
    wire.send(answerTo(0, {}));
    report({ progressToken: 0, progress: 5 });
    wire.send(answerTo(1, {}));
    await Promise.all([first, second]);
    assert.deepEqual(seen, ['b 1', 'a 4']);
  });

  it('continues if a listener throws', async () => {
    const wire = wired();
    const answer = wire.request('a', {
      onProgress: () => {
        throw new Error('listener');
      },
    });
    const params = { progressToken: 0, progress: 1 };
    wire.send({ jsonrpc: '2.0', method: 'notifications/progress', params });
    wire.send(answerTo(0, 'fine'));
    assert.equal(await answer, 'fine');
    assert.deepEqual(wire.log.lines, ['error reading: internal: listener']);
  });
});

describe('Rpc: the end of a connection', () => {
  it('settles every pending request with the reason, and every later one', async () => {
    const wire = wired();
    const ended = new Promise((resolve) => wire.rpc.onDidEnd(resolve));
    const pending = [wire.request(), wire.request()].map(outcome);
    await wire.nextMessages();
    wire.toClient.end();
    assert.deepEqual(await Promise.all(pending), ['connectionClosed', 'connectionClosed']);
    const reason = await ended;
    assert.ok(reason instanceof McpError);
    assert.equal(reason.facts.exitCode, 7);
    assert.equal(await outcome(wire.request()), 'connectionClosed');
    assert.deepEqual(wire.closes, ['orderly']);
  });

  it('at our own request settles them too and gives no reason', async () => {
    const wire = wired();
    const reasons: unknown[] = [];
    wire.rpc.onDidEnd((reason) => reasons.push(reason));
    const pending = outcome(wire.request());
    wire.end();
    wire.end();
    assert.equal(await pending, 'connectionClosed');
    assert.deepEqual(reasons, [undefined]);
    assert.equal(await outcome(wire.request()), 'connectionClosed');
    wire.rpc.notify('a');
  });

  it('follows if the server no longer reads', async () => {
    const wire = wired();
    const pending = outcome(wire.request());
    wire.fromClient.destroy(new Error('EPIPE'));
    assert.equal(await pending, 'connectionClosed');
  });

  it('follows with messageTooLarge at a message over the limit, at once', async () => {
    const wire = wired({ maxMessageBytes: 100 });
    const pending = outcome(wire.request());
    wire.send(answerTo(0, 'x'.repeat(200)));
    assert.equal(await pending, 'messageTooLarge');
    assert.deepEqual(wire.closes, ['atOnce']);
  });
});

describe('Rpc: messages of a server', () => {
  it('are ignored if they are hostile $/ messages', async () => {
    const wire = wired();
    const answer = wire.request();
    for (const params of [undefined, null, { id: 0 }, []]) {
      wire.send({ jsonrpc: '2.0', method: '$/cancelRequest', params });
      wire.send({ jsonrpc: '2.0', method: '$/progress', params });
      wire.send({ jsonrpc: '2.0', id: 5, method: '$/x', params });
    }
    wire.send(answerTo(0, 'fine'));
    assert.equal(await answer, 'fine');
    assert.deepEqual([wire.notifications, wire.garbage, wire.log.lines], [[], [], []]);
  });

  it('are split if they are batches (R-100)', async () => {
    const wire = wired();
    const both = Promise.all([wire.request(), wire.request()]);
    wire.send([answerTo(1, 'b'), { jsonrpc: '2.0', method: 'n' }, answerTo(0, 'a'), 5, [[]]], []);
    assert.deepEqual(await both, ['a', 'b']);
    assert.deepEqual([wire.notifications, wire.garbage], [['n'], ['5', '[[]]']]);
  });

  it('are notifications also with a null id', async () => {
    const wire = wired();
    wire.send({ jsonrpc: '2.0', id: null, method: 'notifications/x', params: null });
    const answer = wire.request();
    wire.send(answerTo(0, {}));
    await answer;
    assert.deepEqual([wire.notifications, wire.garbage], [['notifications/x'], []]);
  });

  it('are kept as garbage if they are JSON but no message', async () => {
    const wire = wired();
    const lines = ['{"level":"info","msg":"x"}', '{"method":"GET","path":"/"}', 'null', '"a"'];
    lines.push(
      '{"jsonrpc":"2.0","id":null,"method":"a"}',
      '{"jsonrpc":"2.0","id":{},"method":"a"}',
    );
    wire.raw([...lines, 'Ready.'].join('\n') + '\n');
    const answer = wire.request();
    wire.send(answerTo(0, {}));
    await answer;
    assert.deepEqual(wire.garbage, [...lines, 'Ready.']);
  });

  it('are answered if they are requests: with a result, a refusal, or -32601', async () => {
    const wire = wired({
      answerRequest: (method) => {
        if (method === 'ping') return {};
        throw new RequestRefused(-32601, 'Method not found');
      },
    });
    const ask = async (id: unknown, method: string): Promise<unknown> => {
      wire.send({ jsonrpc: '2.0', id, method });
      return (await wire.nextMessages())[0];
    };
    assert.deepEqual(await ask(0, 'ping'), { jsonrpc: '2.0', id: 0, result: {} });
    assert.deepEqual(await ask('s', 'sampling/createMessage'), {
      jsonrpc: '2.0',
      id: 's',
      error: { code: -32601, message: 'Method not found' },
    });
  });

  it('are answered without the text of an internal exception (R-109)', async () => {
    const wire = wired({
      answerRequest: () => {
        throw new Error('ENOENT /home/me/secret');
      },
    });
    wire.send({ jsonrpc: '2.0', id: 1, method: 'a' });
    assert.deepEqual(await wire.nextMessages(), [
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } },
    ]);
    assert.match(wire.log.lines.join(), /\/home\/me\/secret/);
  });

  it('do not accumulate in a flood of requests', async () => {
    const wire = wired({ answerRequest: () => new Promise<object>(() => undefined) });
    const requests = Array.from({ length: 1_500 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'a',
    }));
    wire.send(...requests);
    const refused: unknown[] = [];
    while (refused.length < 500) refused.push(...(await wire.nextMessages()));
    assert.deepEqual(
      refused.map((message) => JSON.stringify(message).includes('Too many requests')),
      Array.from({ length: 500 }, () => true),
    );
  });

  it('are traced completely, both ways, only while there is a listener', async () => {
    const wire = wired();
    wire.log.isOn = true;
    const answer = wire.request();
    wire.send(answerTo(0, {}));
    await answer;
    assert.deepEqual(wire.log.traces, [
      'sent {"jsonrpc":"2.0","id":0,"method":"a","params":{}}',
      'received {"jsonrpc":"2.0","id":0,"result":{}}',
    ]);
  });
});

describe('Requests of the server', () => {
  const ids = ['9007199254740993', '1.0', '1e2', '12345678901234567890', '7', '"1.0"'];
  for (const id of ids) {
    it(`are answered with their id as written: ${id}`, async () => {
      const wire = wired({ answerRequest: () => ({}) });
      const request = `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
      wire.raw(`${request}\n`);
      assert.equal(await wire.nextText(), `{"jsonrpc":"2.0","id":${id},"result":{}}\n`);
      wire.raw(`[${request}]\n`);
      assert.equal(await wire.nextText(), `{"jsonrpc":"2.0","id":${id},"result":{}}\n`);
    });
  }

  it('are cancelled by their id only, although JavaScript rounds it to that of another', async () => {
    const cancelled: string[] = [];
    const asked: string[] = [];
    const wire = wired({
      answerRequest: (method, _params, token) =>
        new Promise(() => {
          asked.push(method);
          token.onCancellationRequested(() => cancelled.push(method));
        }),
    });
    wire.raw('{"jsonrpc":"2.0","id":9007199254740993,"method":"one"}\n');
    wire.raw('{"jsonrpc":"2.0","id":9007199254740992,"method":"other"}\n');
    wire.raw('{"jsonrpc":"2.0","id":5.0,"method":"third"}\n');
    await until(() => asked.length === 3);
    for (const id of ['9007199254740993', '5']) {
      wire.raw(
        `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}\n`,
      );
    }
    await until(() => cancelled.includes('third'));
    assert.deepEqual(cancelled, ['one', 'third']);
  });

  it('are not answered if they were cancelled before it was known whether the server may send any', async () => {
    const asked: string[] = [];
    const wire = wired({ answerRequest: (method) => ({ [asked.push(method)]: method }) });
    wire.rpc.handleRequests('hold');
    wire.raw('{"jsonrpc":"2.0","id":1,"method":"one"}\n');
    wire.raw('{"jsonrpc":"2.0","id":2.0,"method":"two"}\n');
    wire.send(cancelledMessage(2, 'changed my mind'), cancelledMessage(3, 'unknown'));
    await until(() => wire.notifications.length === 1);
    wire.rpc.handleRequests('answer');
    assert.deepEqual(await wire.nextMessages(), [{ jsonrpc: '2.0', id: 1, result: { 1: 'one' } }]);
    assert.deepEqual(asked, ['one']);
    assert.deepEqual(wire.log.lines, ['info the server took back a request: changed my mind']);
  });
});
