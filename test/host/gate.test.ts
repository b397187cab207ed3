import assert from 'node:assert/strict';
import { CancellationTokenSource, type CancellationToken } from 'vscode-jsonrpc/node';
import type { CallAnswer, CallOutcome, CallQuestion, CallRequest } from '../../src/host/calls/call';
import type { Gate } from '../../src/host/calls/gate';
import { whileStopped } from '../core/stoppedClock';
import { assertNone } from '../assertions';
import { callLimits } from './callLimits';
import { SteeredConsent } from './steeredConsent';
import { SteeredServers } from './steeredServers';
import { gateWith } from './steeredGate';

/** The kind, and of a failure the code. */
function told(outcome: CallOutcome): string {
  return outcome.kind === 'failed' ? `failed ${outcome.error.code}` : outcome.kind;
}

const yes: CallAnswer = { kind: 'run' };

/** An answer that the types forbid. */
const odd = async (json: string): Promise<CallAnswer> => JSON.parse(json);

describe('The gate', () => {
  let servers: SteeredServers;
  let questions: CallQuestion[];
  let answer: (question: CallQuestion, token: CancellationToken) => Promise<CallAnswer>;
  let callTimeoutMs: number;
  let steered: SteeredConsent;
  let gate: Gate;

  before(async () => {
    servers = new SteeredServers();
    servers.configure(servers.config('a'), servers.config('stopped'));
    await servers.registry.start('a');
  });
  after(() => servers.end());
  beforeEach(async () => {
    await servers.registry.start('a');
    questions = [];
    answer = () => Promise.resolve(yes);
    callTimeoutMs = 10_000;
    steered = new SteeredConsent();
    gate = gateWith(steered, {
      registry: servers.registry,
      confirm: (question, token) => {
        questions.push(question);
        return answer(question, token);
      },
      limits: () => callLimits(callTimeoutMs),
    });
  });

  /** Takes whatever an extension may hand over, types or not. */
  function call(tool: string, given?: unknown, token?: CancellationToken): Promise<CallOutcome> {
    const request: CallRequest = { server: 'a', tool, origin: 'palette' };
    const whole = given === undefined ? request : Object.assign(request, { arguments: given });
    return gate.call(whole, { token });
  }
  const calls = () => servers.received('a').filter((line) => line.startsWith('called '));

  /** What came out, what was asked, and what reached the server meanwhile. */
  async function seen(outcome: () => Promise<CallOutcome>): Promise<[string, number, string[]]> {
    const before = calls().length;
    const kind = told(await outcome());
    // Whatever was sent before this ping is written down before its answer.
    await servers.registry.client('a').ping();
    return [kind, questions.length, calls().slice(before)];
  }

  const on = (server: string, tool = 'echo') =>
    seen(() => gate.call({ server, tool, origin: 'api', arguments: { n: 1 } }));

  /** Kind, places that violate the schema, whether content is missing, whether the schema is bad. */
  async function judged(given: object, tool = 'structured') {
    const outcome = await call(tool, given);
    assert.ok(outcome.kind === 'result' || outcome.kind === 'toolError');
    const { violations, missingStructuredContent, schemaError } = outcome;
    return [
      outcome.kind,
      violations.map((violation) => violation.pointer),
      missingStructuredContent,
      schemaError !== undefined,
    ];
  }

  it('finds a tool that its server announced a moment ago, unless it is not listed', async () => {
    const tools = [{ name: 'fresh', inputSchema: { type: 'object' } }];
    await servers.steer('a', { tools, announce: 1 });
    const [fresh, missing] = await Promise.all([call('fresh', {}), call('stale', {})]);
    assert.deepEqual([told(fresh), told(missing)], ['result', 'failed unknownTool']);
  });

  it('accepts a missing required default, says so in the question, and sends the given arguments', async () => {
    const limit = { type: 'integer', default: 10 };
    const inputSchema = {
      type: 'object',
      properties: { query: { type: 'string' }, limit },
      required: ['query', 'limit'],
    };
    await servers.steer('a', { tools: [{ name: 'search', inputSchema }] });
    await servers.registry.refreshTools('a');
    const outcome = await call('search', { query: 'a' });
    assert.equal(told(outcome), 'result');
    const [question] = questions;
    assert.deepEqual(question?.defaults, [{ pointer: '/limit', value: 10 }]);
    assert.equal(question?.argumentsJson, '{"query":"a"}');
    assert.equal(told(await call('search', { query: 'a', limit: 'x' })), 'failed invalidArguments');
    assert.equal(told(await call('search', {})), 'failed invalidArguments');
    assert.equal(questions.length, 1);
    await call('search', { query: 'a', limit: 2 });
    assert.equal(questions[1]?.defaults, undefined);
    assert.deepEqual(calls().slice(-2), [
      'called search {"query":"a"}',
      'called search {"query":"a","limit":2}',
    ]);
    // The next run has the tools that the other tests know.
    await servers.registry.stop('a');
  });

  it('sends exactly what was shown, once, after a yes', async () => {
    const given = {
      n: 1,
      text: 'ä\u0000\ud800',
      nested: [{ a: null }, 1e21],
      ['__proto__']: { x: 1 },
    };
    const json = JSON.stringify(given);
    assert.deepEqual(await seen(() => call('echo', given)), ['result', 1, [`called echo ${json}`]]);
    const { argumentsJson, config, entry, origin, schemaProblem } = questions[0] ?? assert.fail();
    assert.deepEqual(
      [argumentsJson, config.id, entry.tool.name, origin, schemaProblem],
      [json, 'a', 'echo', 'palette', undefined],
    );
  });

  it('sends nothing without a yes', async () => {
    const answers: [string, () => Promise<CallAnswer>][] = [
      ['denied', () => Promise.resolve<CallAnswer>({ kind: 'no' })],
      ['denied', () => odd('null')],
      ['denied', () => odd('true')],
      ['failed internal', () => Promise.reject(new Error('no window'))],
      [
        'failed internal',
        () => {
          throw new Error('at once');
        },
      ],
    ];
    for (const [kind, wanted] of answers) {
      answer = wanted;
      questions = [];
      assert.deepEqual(await seen(() => call('echo', { n: 1 })), [kind, 1, []]);
    }
  });

  it('keeps missing arguments missing, and empty ones empty', async () => {
    assert.deepEqual(await seen(() => call('structured')), [
      'result',
      1,
      ['called structured undefined'],
    ]);
    assert.deepEqual([questions[0]?.arguments, questions[0]?.argumentsJson], [undefined, '{}']);
    assert.deepEqual((await seen(() => call('structured', {})))[2], ['called structured {}']);
  });

  it('asks about nothing that is not callable', async () => {
    assert.deepEqual(await on('nobody'), ['failed unknownServer', 0, []]);
    assert.deepEqual(await on('stopped'), ['failed notRunning', 0, []]);
    assert.deepEqual(await on('a', 'nothing'), ['failed unknownTool', 0, []]);
    assert.deepEqual(await on('a', 'unusable'), ['failed unusableTool', 0, []]);
  });

  it('asks about no arguments that the schema refuses', async () => {
    for (const given of [undefined, {}, { n: '1' }, { n: null }]) {
      assert.deepEqual(await seen(() => call('echo', given)), ['failed invalidArguments', 0, []]);
    }
    const outcome = await call('echo', { n: '1' });
    assert.deepEqual(outcome.kind === 'failed' && outcome.violations.map((v) => v.pointer), ['/n']);
  });

  it('asks about no arguments that are not JSON, and says where', async () => {
    const cycle: Record<string, unknown> = { n: 1 };
    cycle['self'] = cycle;
    const mib = 'x'.repeat(1024 * 1024);
    let laughs: unknown = 'ha';
    for (let level = 0; level < 40; level++) laughs = [laughs, laughs];
    let deep: unknown = 1;
    for (let level = 0; level < 300; level++) deep = [deep];
    // A hundred gigabytes of JSON, which nobody must try to write.
    const unfolding = Array.from({ length: 100_000 }, () => mib);
    const cases: [unknown, string | undefined][] = [
      [null, ''],
      [[], ''],
      ['{}', ''],
      [new Map(), ''],
      [{ n: Number.NaN }, '/n'],
      [{ n: 1, a: { 'b/c~': new Date(0) } }, '/a/b~1c~0'],
      [{ n: 1, list: [1, undefined] }, '/list/1'],
      [{ n: 1, list: Object.assign([], { length: 2 ** 32 - 1 }) }, '/list/0'],
      [{ n: 1, f: () => 1 }, '/f'],
      [{ n: 1, s: Symbol('x') }, '/s'],
      [{ n: 1, toJSON: () => ({ n: 2 }) }, '/toJSON'],
      [{ n: 1, deep }, undefined],
      [cycle, undefined],
      [{ n: 1, laughs }, undefined],
      [{ n: 1, large: 'x'.repeat(33 * 1024 * 1024) }, ''],
      [{ n: 1, unfolding }, ''],
      [Object.defineProperty({}, 'n', { enumerable: true, get: () => assert.fail('read') }), ''],
      [new Proxy({}, { ownKeys: () => assert.fail('read') }), ''],
    ];
    for (const [given, pointer] of cases) {
      const outcome = await call('echo', given);
      assert.equal(told(outcome), 'failed invalidArguments');
      const first = outcome.kind === 'failed' ? outcome.violations[0] : undefined;
      if (pointer !== undefined) assert.equal(first?.pointer, pointer);
      if (given instanceof Object && 'unfolding' in given)
        assert.equal(first?.message, 'too large');
    }
    assert.deepEqual(
      [questions.length, calls().some((line) => line.includes('"n":2'))],
      [0, false],
    );
  });

  it('removes undefined values before it asks', async () => {
    const [, , sent] = await seen(() => call('echo', { n: 1, gone: undefined }));
    assert.deepEqual([questions[0]?.argumentsJson, sent], ['{"n":1}', ['called echo {"n":1}']]);
  });

  it('sends what was confirmed, however the caller changes it meanwhile', async () => {
    const given = { n: 1, nested: { list: [1] } };
    answer = (question) => {
      given.n = 666;
      given.nested.list.push(666);
      assert.throws(() => Object.assign(question.arguments?.['nested'] ?? {}, { list: 666 }));
      assert.throws(() => Object.assign(question, { arguments: { n: 666 } }));
      return Promise.resolve(yes);
    };
    const [, , sent] = await seen(() => call('echo', given));
    assert.deepEqual(sent, ['called echo {"n":1,"nested":{"list":[1]}}']);
  });

  it('reads computed properties of the caller only once', async () => {
    let reads = 0;
    const given = {
      get n() {
        return ++reads;
      },
    };
    assert.deepEqual((await seen(() => call('echo', given)))[2], ['called echo {"n":1}']);
    assert.equal(reads, 1);
  });

  it('sends nothing if it is cancelled before or during the question, and does not wait for the answer', async () => {
    const cancelled = new CancellationTokenSource();
    cancelled.cancel();
    assert.deepEqual(await seen(() => call('echo', { n: 1 }, cancelled.token)), [
      'cancelled',
      0,
      [],
    ]);

    const source = new CancellationTokenSource();
    let late: ((decision: CallAnswer) => void) | undefined;
    let heard = 0;
    answer = (_, token) => {
      token.onCancellationRequested(() => (heard += 1));
      setImmediate(() => source.cancel());
      return new Promise((resolve) => {
        late = resolve;
      });
    };
    assert.deepEqual(await seen(() => call('echo', { n: 1 }, source.token)), ['cancelled', 1, []]);
    assert.equal(heard, 1);
    assert.deepEqual(
      await seen(async () => {
        late?.(yes);
        return { kind: 'denied', durationMs: 0 };
      }),
      ['denied', 1, []],
    );
  });

  it('sends nothing if answer and cancellation arrive together', async () => {
    const source = new CancellationTokenSource();
    answer = () => {
      const answered = Promise.resolve(yes);
      // Runs before whoever waits for the answer, which is a yes nevertheless.
      void answered.then(() => source.cancel());
      return answered;
    };
    assert.deepEqual(await seen(() => call('echo', { n: 1 }, source.token)), ['cancelled', 1, []]);
  });

  it('sends nothing if the server stopped or restarted during the question', async () => {
    answer = async () => {
      await servers.registry.stop('a');
      return yes;
    };
    assert.equal(told(await call('echo', { n: 41 })), 'failed notRunning');
    await servers.registry.start('a');
    answer = async () => {
      await servers.registry.restart('a');
      return yes;
    };
    assert.equal(told(await call('echo', { n: 42 })), 'failed connectionClosed');
    await servers.registry.client('a').ping();
    assertNone(calls(), (line) => /4[12]/.test(line));
  });

  for (const moment of ['the person read', 'that was written down'] as const) {
    it(`sends nothing if the tool changed or was removed while ${moment}`, async () => {
      const changes: [object[], string][] = [
        [
          [{ name: 'echo', description: 'deletes everything', inputSchema: {} }],
          'failed toolChanged',
        ],
        [[], 'failed unknownTool'],
        [[{ name: 'echo', inputSchema: 5 }], 'failed unusableTool'],
      ];
      for (const [tools, expected] of changes) {
        await servers.registry.restart('a');
        const change = async () => {
          await servers.steer('a', { tools });
          await servers.registry.refreshTools('a');
        };
        if (moment === 'the person read') answer = () => change().then(() => yes);
        else steered.onRecord = change;
        assert.equal(told(await call('echo', { n: 43 })), expected);
      }
      await servers.registry.restart('a');
      assertNone(calls(), (line) => line.includes('43'));
    });
  }

  it('calls a tool that was listed again unchanged during the question', async () => {
    answer = async () => {
      await servers.registry.refreshTools('a');
      return yes;
    };
    assert.equal((await seen(() => call('echo', { n: 1 })))[0], 'result');
  });

  it('asks, and says so, if the schema of the arguments is invalid', async () => {
    assert.deepEqual(await seen(() => call('oddSchema', { a: 1 })), [
      'result',
      1,
      ['called oddSchema {"a":1}'],
    ]);
    assert.match(questions[0]?.schemaProblem ?? '', /#\/none/);
  });

  it('validates structured content, but not that of an error', async () => {
    assert.deepEqual(
      [
        await judged({ structuredContent: { n: 1 } }),
        await judged({ structuredContent: { n: '1' } }),
        await judged({}),
        await judged({ structuredContent: { n: '1' }, isError: true }),
        await judged({ isError: true }),
        await judged({ isError: 'true', structuredContent: { n: 0 } }),
        await judged({}, 'oddOutput'),
        await judged({ n: 1 }, 'echo'),
      ],
      [
        ['result', [], false, false],
        ['result', ['/n'], false, false],
        ['result', [], true, false],
        ['toolError', [], false, false],
        ['toolError', [], false, false],
        ['result', [], false, false],
        ['result', [], false, true],
        ['result', [], false, false],
      ],
    );
  });

  it('passes on progress, errors of the server, and the time limit', async () => {
    const progress: unknown[] = [];
    const onProgress = (report: unknown) => void progress.push(report);
    await gate.call({ server: 'a', tool: 'progressing', origin: 'tree', onProgress });
    assert.deepEqual(progress, [{ progress: 1, total: 2 }]);
    assert.equal(told(await call('refused')), 'failed serverError');
    callTimeoutMs = 50;
    const outcome = await call('never');
    assert.equal(told(outcome), 'failed timeout');
    assert.ok(outcome.durationMs >= 49, `${outcome.durationMs}`);
  });

  it('settles a cancelled call at once and notifies the server', async () => {
    const source = new CancellationTokenSource();
    const outcome = call('never', { mine: 1 }, source.token);
    await servers.untilReceived('a', 'called never {"mine":1}');
    source.cancel();
    assert.equal(told(await outcome), 'cancelled');
    await servers.untilReceived('a', 'notifications/cancelled');
  });

  it('does not count the time of the question', async () => {
    await whileStopped(async (clock) => {
      answer = async () => {
        clock.advance(400);
        return yes;
      };
      const outcome = await call('echo', { n: 1 });
      assert.deepEqual([told(outcome), outcome.durationMs], ['result', 0]);
    });
  });
});
