import assert from 'node:assert/strict';
import { Emitter, type CancellationToken } from 'vscode-jsonrpc/node';
import type { ElicitationRequest, ElicitationResult } from '../../src/core/input/elicitation';
import type { InputHandler } from '../../src/core/input/inputHandler';
import { statefulRevisions } from '../../src/core/types';
import type { ReceivedMessage } from '../servers/scripted';
import { Connections, receivedBy, textOf } from './connections';
import { assertValidMessage } from './mcpSchema';
import { whileStopped } from './stoppedClock';
import { outcome } from './wire';

const connections = new Connections({ era: 'stateful' });

const form = {
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string', default: 'Ada' } } },
};

/** A server that sends `requests` when `ask` is called, and answers that call with the answers. */
function asking(requests: readonly object[], revision = '2025-11-25'): string {
  return `(server) => {
    server.revision = ${JSON.stringify(revision)};
    const requests = ${JSON.stringify(requests)};
    server.on('tools/call', (message) => {
      if (message.params.name === 'unanswered') return;
      requests.forEach((request, index) => server.send({ id: 'r' + index, ...request }));
      const wait = setInterval(() => {
        const answers = server.received.filter((it) => it.method === undefined);
        if (answers.length < requests.length) return;
        clearInterval(wait);
        server.text(message, JSON.stringify(answers));
      }, 1);
    });
  }`;
}

/** Asks nobody: questions wait until the test answers them. */
class Desk implements InputHandler {
  readonly shown: ElicitationRequest[] = [];
  readonly tokens: CancellationToken[] = [];
  mostAtOnce = 0;
  #open = 0;
  readonly #onShown = new Emitter<void>();
  readonly #answer: (request: ElicitationRequest) => Promise<ElicitationResult>;

  constructor(answer: (request: ElicitationRequest) => Promise<ElicitationResult>) {
    this.#answer = answer;
  }

  get nextShown(): Promise<void> {
    return new Promise((resolve) => this.#onShown.event(() => resolve()));
  }

  async elicit(request: ElicitationRequest, token: CancellationToken): Promise<ElicitationResult> {
    this.shown.push(request);
    this.tokens.push(token);
    this.#open += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#open);
    this.#onShown.fire();
    const result = await this.#answer(request);
    this.#open -= 1;
    return result;
  }
}

const accepting = () =>
  new Desk(async (request) =>
    request.mode === 'form' ? { action: 'accept', content: { name: 'Eve' } } : { action: 'accept' },
  );

describe('Requests of a server of the stateful era', () => {
  afterEach(() => connections.close());

  for (const revision of statefulRevisions) {
    it(`are offered and answered as in ${revision}`, async () => {
      const onDidChangeRoots = new Emitter<void>();
      const input: InputHandler = {
        elicit: async () => ({ action: 'accept', content: { name: 'Eve' } }),
        roots: async () => [{ uri: 'file:///a%20b', name: 'a b' }],
        onDidChangeRoots: onDidChangeRoots.event,
      };
      const requests = [
        { method: 'roots/list' },
        { method: 'elicitation/create', params: form },
        { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
      ];
      const client = await connections.to(asking(requests, revision), { input });
      const answers: ReceivedMessage[] = JSON.parse(await textOf(client.callTool('ask', {})));
      onDidChangeRoots.fire();
      const received = await receivedBy(client);
      for (const message of received) assertValidMessage('2025-11-25', message);
      const hasElicitation = revision >= '2025-06';
      assert.deepEqual(received[0]?.params?.capabilities, {
        elicitation: { form: {}, url: {} },
        roots: { listChanged: true },
      });
      assert.ok(received.some((it) => it.method === 'notifications/roots/list_changed'));
      const byId = Object.fromEntries(answers.map((it) => [it.id, it.result ?? it.error]));
      assert.deepEqual(byId['r0'], { roots: [{ uri: 'file:///a%20b', name: 'a b' }] });
      assert.deepEqual(
        byId['r1'],
        hasElicitation
          ? { action: 'accept', content: { name: 'Eve' } }
          : { code: -32601, message: 'Elicitation is not supported' },
      );
      assert.deepEqual(byId['r2'], {
        code: -32601,
        message: 'Sampling is not supported: this client has no language model',
      });
    });
  }

  it('are offered in an older revision without newer members', async () => {
    const capabilities: unknown[] = [];
    for (const revision of ['2025-06-18', '2025-03-26']) {
      const script = `(server) => server.on('initialize', (message) => {
        if (message.params.protocolVersion === '${revision}') {
          server.reply(message, { protocolVersion: '${revision}', capabilities: { tools: {} } });
        } else server.fail(message, -32602, 'no', { supported: ['${revision}'] });
      })`;
      const client = await connections.to(script, { input: accepting() });
      capabilities.push((await receivedBy(client))[1]?.params?.capabilities);
    }
    assert.deepEqual(capabilities, [{ elicitation: {} }, {}]);
  });

  it('are refused by a client that hides its support for them', async () => {
    const input: InputHandler = {
      elicit: () => assert.fail('the user was asked'),
      roots: () => assert.fail('roots were read'),
    };
    const requests = [{ method: 'roots/list' }, { method: 'elicitation/create', params: form }];
    const claimed = { elicitation: false, roots: false };
    const client = await connections.to(asking(requests), { input, claimed });
    const answers: ReceivedMessage[] = JSON.parse(await textOf(client.callTool('ask', {})));
    assert.deepEqual(
      answers.map(({ error }) => Object(error).code),
      [-32601, -32601],
    );
    assert.deepEqual((await receivedBy(client))[0]?.params?.capabilities, {});
  });

  it('ask one question at a time, and a flood is refused (R-525)', async () => {
    const broker = accepting();
    const requests = Array.from({ length: 60 }, () => ({
      method: 'elicitation/create',
      params: form,
    }));
    const client = await connections.to(asking(requests), { input: broker });
    const answers: ReceivedMessage[] = JSON.parse(await textOf(client.callTool('ask', {})));
    assert.equal(broker.mostAtOnce, 1);
    assert.ok(broker.shown.length <= 30 && broker.shown.length >= 10, `${broker.shown.length}`);
    const refused = answers.filter((it) => it.error !== undefined);
    assert.equal(refused.length, 60 - broker.shown.length);
    assert.deepEqual(refused[0]?.error, { code: -32603, message: 'Too many questions at once' });
  });

  it('are refused with the reason if no user can be asked', async () => {
    const odd = { type: 'object', properties: { o: 5 } };
    const requests = [
      { method: 'elicitation/create', params: { message: 'm', requestedSchema: odd } },
      { method: 'elicitation/create', params: { message: 'm', mode: 'voice' } },
      { method: 'elicitation/create' },
      { method: 'tasks/list' },
    ];
    const broker = accepting();
    const client = await connections.to(asking(requests), { input: broker });
    const answers: ReceivedMessage[] = JSON.parse(await textOf(client.callTool('ask', {})));
    const errors = Object.fromEntries(answers.map((it) => [it.id, Object(it.error)]));
    assert.deepEqual(
      ['r0', 'r1', 'r2', 'r3'].map((id) => `${errors[id].code} ${errors[id].message}`),
      [
        '-32602 o: not a schema',
        '-32602 unknown mode',
        '-32602 params are not an object',
        '-32601 Method not found',
      ],
    );
    assert.deepEqual(broker.shown, []);
  });

  it('are refused politely if there is no handler', async () => {
    const requests = [{ method: 'elicitation/create', params: form }, { method: 'roots/list' }];
    const client = await connections.to(asking(requests));
    const answers: ReceivedMessage[] = JSON.parse(await textOf(client.callTool('ask', {})));
    assert.deepEqual(
      answers.map((it) => Object(it.error).code),
      [-32601, -32601],
    );
    assert.deepEqual((await receivedBy(client))[0]?.params?.capabilities, {});
  });

  it('get no notification of changed folders that were not declared (R-490)', async () => {
    const changes = new Emitter<void>();
    const handler = accepting();
    const input: InputHandler = {
      elicit: (request, token) => handler.elicit(request, token),
      onDidChangeRoots: changes.event,
    };
    const client = await connections.to(asking([]), { input });
    changes.fire();
    const received = await receivedBy(client);
    assert.equal(Object(received[0]?.params?.capabilities).roots, undefined);
    assert.ok(!received.some(({ method }) => method === 'notifications/roots/list_changed'));
  });

  it('pause the time limits of our requests while the user decides (R-474)', async () => {
    const requests = [{ method: 'elicitation/create', params: form }];
    await whileStopped(async (clock) => {
      const broker = new Desk(async () => {
        clock.advance(500);
        return { action: 'decline' };
      });
      const client = await connections.to(asking(requests), { input: broker });
      const answers = JSON.parse(await textOf(client.callTool('ask', {}, { timeoutMs: 250 })));
      assert.deepEqual(answers[0].result, { action: 'decline' });
      const unanswered = outcome(client.callTool('unanswered', {}, { timeoutMs: 250 }));
      clock.advance(250);
      assert.equal(await unanswered, 'timeout');
    });
  });

  it('that are withdrawn close their question, and are not answered (R-468)', async () => {
    const broker = new Desk(() => new Promise(() => undefined));
    const client = await connections.to(
      (server) => {
        server.on('tools/call', (message) => {
          const { name } = message.params ?? {};
          if (name === 'ask')
            server.send({
              id: 'r',
              method: 'elicitation/create',
              params: { message: 'm', requestedSchema: { type: 'object' } },
            });
          if (name === 'take back') {
            const params = { requestId: 'r', reason: 'changed my mind' };
            server.send({ method: 'notifications/cancelled', params });
            server.send({ method: 'notifications/cancelled', params: { requestId: 'unknown' } });
          }
          server.text(message, JSON.stringify(server.received));
        });
      },
      { input: broker },
    );
    const shown = broker.nextShown;
    await client.callTool('ask', {});
    await shown;
    const gone = new Promise((resolve) => broker.tokens[0]?.onCancellationRequested(resolve));
    await client.callTool('take back', {});
    await gone;
    await client.ping();
    assert.deepEqual(
      connections.log.lines.filter((line) => line.includes('took back')),
      ['info the server took back a request: changed my mind'],
    );
    assert.deepEqual(
      (await receivedBy(client)).filter((it) => it.method === undefined),
      [],
    );
  });

  it('for a web page are answered without content, and their end is reported for opened ones only', async () => {
    const completed: string[] = [];
    const input: InputHandler = {
      elicit: async () => ({ action: 'accept', content: { leak: 'x' } }),
      elicitationCompleted: (id) => completed.push(id),
    };
    const client = await connections.to(
      (server) => {
        server.on('tools/call', (message) => {
          const { name } = message.params ?? {};
          if (name === 'ask')
            server.send({
              id: 'r',
              method: 'elicitation/create',
              params: { mode: 'url', message: 'm', url: 'https://a.example/', elicitationId: 'e1' },
            });
          if (name === 'done') {
            for (const elicitationId of ['e0', 'e1', 'e1', 5]) {
              server.send({
                method: 'notifications/elicitation/complete',
                params: { elicitationId },
              });
            }
          }
          server.text(message, JSON.stringify(server.received));
        });
      },
      { input },
    );
    await client.callTool('ask', {});
    await client.ping();
    const answer = (await receivedBy(client)).find((it) => it.method === undefined);
    assert.deepEqual(answer?.result, { action: 'accept' });
    await client.callTool('done', {});
    assert.deepEqual(completed, ['e1']);
  });

  it('from error -32042 before a call lead to the page, and the caller repeats the call', async () => {
    const broker = accepting();
    const client = await connections.to(
      (server) => {
        server.on('tools/call', (message) => {
          const elicitations = [
            { mode: 'url', elicitationId: 'e1', url: 'https://a.example/c', message: 'Sign in' },
            { mode: 'url', url: 'not a url', message: 'x' },
          ];
          server.fail(message, -32042, 'Sign in first', { elicitations });
        });
      },
      { input: broker },
    );
    assert.equal(
      await outcome(client.callTool('a', {})),
      'browserStepRequired -32042 Sign in first',
    );
    assert.deepEqual(broker.shown, [
      { mode: 'url', message: 'Sign in', url: 'https://a.example/c', elicitationId: 'e1' },
    ]);
  });

  it('for log messages are answered with the level that the user set', async () => {
    const client = await connections.to(() => undefined, { logLevel: 'notice' });
    const setLevel = (await receivedBy(client)).find((it) => it.method === 'logging/setLevel');
    assert.deepEqual(setLevel?.params, { level: 'notice' });
    const silent = await connections.to(
      (server) => {
        server.capabilities = { tools: {} };
      },
      { logLevel: 'notice' },
    );
    assert.ok(!(await receivedBy(silent)).some((it) => it.method === 'logging/setLevel'));
  });
});
