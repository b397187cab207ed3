import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ToolResult } from '../../src/core/types';
import { type CallAnswer, type CallOutcome, type CallRequest } from '../../src/host/calls/call';
import { combineJournals } from '../../src/host/calls/callJournal';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import type { Gate } from '../../src/host/calls/gate';
import type { History } from '../../src/host/history/history';
import { HistoryRecorder } from '../../src/host/history/historyRecorder';
import {
  replaceMarkers,
  withoutMarkers,
  repeatsSecret,
  storedArguments,
} from '../../src/host/history/storedArguments';
import { RawJson } from '../../src/core/json/rawJson';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { scripted, type Script } from '../servers/scripted';
import { assertEach, assertNone } from '../assertions';
import { filesIn, historyIn } from './pastCalls';
import { useFolders } from './testFolders';
import { grantOf, ruleOf, SteeredConsent } from './steeredConsent';
import { SteeredServers } from './steeredServers';
import { busiestCount } from '../workCount';
import { gateWith } from './steeredGate';

const script: Script = (server) => {
  const secret = { type: 'string', format: 'password' };
  const inputSchema = {
    type: 'object',
    properties: {
      user: { type: 'string' },
      password: secret,
      keys: { type: 'array', items: secret },
      nested: { type: 'object', properties: { pin: { type: 'string', writeOnly: true } } },
    },
  };
  server.tools = [
    { name: 'enter', inputSchema, annotations: { title: 'Come in' } },
    { name: 'look', inputSchema, annotations: { readOnlyHint: true } },
    { name: 'repeat', inputSchema },
    { name: 'refuse', inputSchema },
    { name: 'environment', inputSchema },
  ];
  server.on('tools/call', (message) => {
    const { name, arguments: given } = Object(message.params);
    const text = JSON.stringify(given);
    if (name === 'refuse') {
      server.send({ id: message.id, error: { code: -32_000, message: `no: ${text}` } });
    } else if (name === 'repeat') server.text(message, `you said ${text}`);
    else if (name === 'environment') server.text(message, 'TOKEN=t0ken-known');
    else server.text(message, 'welcome');
  });
};

describe('The history record of a call', () => {
  const newFolder = useFolders('history');
  let servers: SteeredServers;
  let folder: string;
  let history: History;
  let gate: Gate;
  /** What the person answers, one after the other, the last one again and again. */
  let answers: CallAnswer[];
  let steered: SteeredConsent;
  let calls: RunningCalls;
  let recorder: HistoryRecorder;

  before(async () => {
    servers = new SteeredServers();
    const { command, args } = scripted(script);
    const transport = { kind: 'stdio' as const, command, args, env: {} };
    servers.configure({ ...servers.config('door'), label: 'Front door', transport });
    await servers.registry.start('door');
  });
  after(() => servers.end());
  beforeEach(() => {
    folder = newFolder();
    ({ history } = historyIn(folder));
    steered = new SteeredConsent();
    answers = [{ kind: 'run' }];
    calls = new RunningCalls();
    const known = new SecretValues();
    known.add('t0ken-known');
    recorder = new HistoryRecorder({
      history,
      calls,
      titleOf: (tool) => tool.annotations.title ?? tool.name,
      known,
      pathOf: (callId) => `/door/calls/${callId}`,
    });
    gate = gateWith(steered, {
      registry: servers.registry,
      confirm: () => {
        const [next = { kind: 'no' as const }, ...rest] = answers;
        if (rest.length > 0) answers = rest;
        return Promise.resolve(next);
      },
      journal: combineJournals(steered, recorder),
      calls,
    });
  });
  afterEach(() => calls.dispose());

  async function call(tool: string, more: Partial<CallRequest> = {}): Promise<CallOutcome> {
    const outcome = await gate.call({ server: 'door', tool, origin: 'tree', ...more });
    await history.stop();
    return outcome;
  }
  const only = () => {
    const [past, ...others] = history.calls;
    assert.ok(past);
    assert.deepEqual(others, []);
    return past;
  };
  const secrets = ['s3cret-word', 'k3y-one', 'k3y-two', 'p1n-4711'];
  const [password, one, two, pin] = secrets;
  const secretArguments = { user: 'ann', password, keys: [one, two], nested: { pin } };
  const onDisk = () =>
    filesIn(folder)
      .map((file) => readFileSync(path.join(folder, file), 'utf8'))
      .join('\n');

  it('does not exist for an agent’s call that was never sent', async () => {
    const wish = { server: 'door', origin: 'agent' } as const;
    answers = [{ kind: 'no' }, { kind: 'run' }];
    await gate.call({ ...wish, tool: 'look' });
    await gate.call({ ...wish, tool: 'look', arguments: { user: 7 } });
    await gate.call({ ...wish, tool: 'nothing' });
    assert.deepEqual(history.calls, []);
    assert.equal(steered.recorded.length, 1);
    await call('look', { origin: 'agent' });
    assert.deepEqual([only().origin, only().outcome], ['agent', 'result']);
  });

  it('says that arguments came from another origin, also after a restart', async () => {
    await call('look', { arguments: { user: 'ann' } });
    assert.equal(only().isForeign, undefined);
    await call('look', { arguments: { user: 'bob' }, isForeign: true });
    const { history: later } = historyIn(folder);
    await later.read();
    assert.deepEqual(
      Object.fromEntries(later.calls.map((each) => [each.arguments?.['user'], each.isForeign])),
      { ann: undefined, bob: true },
    );
  });

  it('names tool, server, arguments, time and outcome', async () => {
    const outcome = await call('enter', { arguments: { user: 'ann' } });
    const { startedAt, sentAt, endedAt, durationMs, bytes, ...rest } = only();
    assert.ok(
      startedAt <= (sentAt ?? 0) && (sentAt ?? 0) <= endedAt && durationMs >= 0 && bytes > 0,
    );
    assert.deepEqual(rest, {
      callId: outcome.callId,
      server: 'door',
      tool: 'enter',
      serverLabel: 'Front door',
      toolTitle: 'Come in',
      origin: 'tree',
      outcome: 'result',
      decision: { effect: 'ask', cause: { kind: 'noRule' } },
      arguments: { user: 'ann' },
      answer: {
        path: `/door/calls/${outcome.callId}`,
        isExternal: true,
        violations: [],
        missingStructuredContent: false,
      },
    });
    assert.deepEqual((await history.answerOf(only())).content, [{ type: 'text', text: 'welcome' }]);
  });

  it('contains the sent arguments if the user edited them', async () => {
    answers = [{ kind: 'edited', arguments: { user: 'eve' } }, { kind: 'run' }];
    await call('enter', { arguments: {} });
    assert.deepEqual(only().arguments, { user: 'eve' });
  });

  it('says that it was refused, denied or impossible, and that nothing was sent', async () => {
    answers = [{ kind: 'no' }];
    await call('enter', { arguments: { user: 'ann' } });
    steered.rules = [ruleOf('deny')];
    await call('enter');
    await call('gone', { arguments: { what: 'ever' } });
    const facts = history.calls
      .toReversed()
      .map(({ outcome, error, sentAt, arguments: given, argumentsOmitted }) => [
        outcome,
        error?.code,
        sentAt,
        given,
        argumentsOmitted,
      ]);
    assert.deepEqual(
      new Set(facts.map((each) => JSON.stringify(each))),
      new Set([
        JSON.stringify(['denied', undefined, undefined, { user: 'ann' }, undefined]),
        JSON.stringify(['denied', undefined, undefined, undefined, undefined]),
        JSON.stringify(['failed', 'unknownTool', undefined, undefined, 'unknown']),
      ]),
    );
  });

  it('names the rule or permission that decided, also after a restart', async () => {
    await call('gone');
    steered.grant = grantOf({ id: 'g1', createdAt: 5 });
    await call('enter');
    steered.rules = [ruleOf('deny', 2, { reason: 'Not here.' })];
    await call('enter');
    const { history: later } = historyIn(folder);
    await later.read();
    assert.deepEqual(
      new Set(later.calls.map(({ decision }) => JSON.stringify(decision))),
      new Set([
        undefined,
        JSON.stringify({
          effect: 'allow',
          cause: { kind: 'grant', id: 'g1', scope: 'tool', duration: 'session', createdAt: 5 },
        }),
        JSON.stringify({
          effect: 'deny',
          cause: { kind: 'rule', place: { scope: 'user', index: 2 }, reason: 'Not here.' },
        }),
      ]),
    );
  });

  it('contains no secret arguments, in any way', async () => {
    await call('enter', { arguments: secretArguments });
    const { arguments: given, hasSecrets } = only();
    assert.deepEqual(
      [given, hasSecrets],
      [
        {
          user: 'ann',
          password: '(secret)',
          keys: ['(secret)', '(secret)'],
          nested: { pin: '(secret)' },
        },
        true,
      ],
    );
    await call('repeat', { arguments: secretArguments });
    await call('refuse', { arguments: secretArguments });
    assert.equal(history.calls.length, 3);
    const repeated = history.calls.find(({ tool }) => tool === 'repeat');
    assert.equal(repeated?.answer?.omitted, 'secret');
    const refused = history.calls.find(({ tool }) => tool === 'refuse');
    assert.deepEqual(
      [refused?.error?.code, refused?.error?.facts.detail],
      ['serverError', undefined],
    );
    const text = onDisk();
    assert.ok(text.includes('ann'));
    assertNone(secrets, (each) => text.includes(each));
  });

  it('contains no value from outside a call file', async () => {
    const given = {
      arguments: { user: 'ann:fr0m-env:9', password: 'x' },
      secrets: ['fr0m-env', '9'],
    };
    await call('repeat', given);
    assert.deepEqual(only().arguments, { user: '(secret)', password: '(secret)' });
    assert.equal(only().answer?.omitted, 'secret');
    assert.ok(!onDisk().includes('fr0m-env'));
  });

  it('returns the secrets of a call as long as the session lasts', async () => {
    await call('repeat', { arguments: secretArguments, secrets: ['fr0m-env'] });
    const { callId } = only();
    assert.deepEqual(
      [...(recorder.secretsOf(callId) ?? [])].toSorted(),
      ['fr0m-env', ...secrets].toSorted(),
    );
    assert.equal(recorder.secretsOf('another'), undefined);
  });

  it('contains no other known secret, anywhere', async () => {
    await call('enter', { arguments: { user: 'Bearer t0ken-known' } });
    await call('refuse', { arguments: { user: 'Bearer t0ken-known' } });
    assertEach(history.calls, ({ arguments: given, hasSecrets }) => [given, hasSecrets], [
      [{ user: '(secret)' }, true],
      [{ user: '(secret)' }, true],
    ]);
    assert.ok(!onDisk().includes('t0ken'));
  });

  it('contains no answer with another known secret', async () => {
    await call('environment');
    assert.equal(only().answer?.omitted, 'secret');
    assert.ok(!onDisk().includes('t0ken'));
  });

  it('contains the server’s messages and answer if no argument was secret', async () => {
    await call('repeat', { arguments: { user: 'ann' } });
    assert.equal(only().answer?.omitted, undefined);
    await call('refuse', { arguments: { user: 'ann' } });
    assert.match(onDisk(), /no: \{\\"user\\":\\"ann\\"\}/);
  });

  it('can be used again without the secrets, or with placeholders', () => {
    const kept = { a: '(secret)', b: ['(secret)', 1], c: { d: '(secret)', e: 'f' } };
    assert.deepEqual(withoutMarkers(kept), { b: [1], c: { e: 'f' } });
    assert.deepEqual(
      replaceMarkers(kept, (name) => `<${name}>`),
      { a: '<a>', b: ['<b>', 1], c: { d: '<d>', e: 'f' } },
    );
  });
});

describe('Secrets in an answer', () => {
  const nothing = new SecretValues();
  const knowing = (...secrets: readonly string[]): SecretValues => {
    const values = new SecretValues();
    for (const secret of secrets) values.add(secret);
    return values;
  };
  const answered = (answer: object): ToolResult => ({ content: [], isError: false, ...answer });

  it('are found anywhere, in any form', async () => {
    const base64 = Buffer.from('user:s3cret-word').toString('base64');
    const bytes = Buffer.from(`${'ü'.repeat(300_000)}s3cret-word`);
    for (const answer of [
      { content: [{ type: 'text', text: 'it is s3cret-word.' }] },
      { content: [{ type: 'text', text: bytes }] },
      { content: [{ type: 'text', text: base64 }] },
      { structuredContent: { list: [{ 's3cret-word': 1 }] } },
      { meta: { deep: [['s3cret-word']] } },
      { structuredContent: new RawJson([Buffer.from('["\\u00733cret-w\\u006frd"]')], 2) },
      { structuredContent: new RawJson([Buffer.from('["'), 's3cret-word', Buffer.from('"]')], 2) },
    ]) {
      assert.equal(await repeatsSecret(answered(answer), ['s3cret-word'], nothing), true);
      assert.equal(await repeatsSecret(answered(answer), [], knowing('s3cret-word')), true);
      assert.equal(await repeatsSecret(answered(answer), ['another'], knowing('other')), false);
      assert.equal(await repeatsSecret(answered(answer), [], nothing), false);
    }
  });

  it('are found in any part of a large text, also by the beginning of a very long one', async () => {
    const long = Array.from({ length: 20_000 }, (_, index) => index).join();
    for (const before of [0, 262_100, 262_139, 262_144, 524_287]) {
      for (const secret of ['s3cret-word', long]) {
        const text = `${'x'.repeat(before)}${secret}${'y'.repeat(300_000)}`;
        for (const each of [text, Buffer.from(text)]) {
          const answer = answered({ content: [{ type: 'text', text: each }] });
          assert.equal(await repeatsSecret(answer, [secret], nothing), true);
        }
      }
    }
  });

  it('are not searched if there are too many: such an answer counts as secret', async () => {
    const secrets = Array.from({ length: 201 }, (_, index) => `secret-${index}`);
    assert.equal(await repeatsSecret(answered({}), secrets, nothing), true);
    assert.equal(await repeatsSecret(answered({}), secrets.slice(1), nothing), false);
  });

  it('are searched without blocking', async () => {
    const text = 'nothing to see here, '.repeat(1_000_000);
    const answer = answered({ content: [{ type: 'text', text }] });
    let turns = 0;
    const count = setInterval(() => (turns += 1), 1);
    const found = await repeatsSecret(answer, ['s3cret-word'], nothing);
    clearInterval(count);
    assert.deepEqual([found, turns > 0], [false, true]);
  });
});

describe('Arguments with very many secrets', () => {
  const schema = { properties: { tokens: { writeOnly: true } } };
  const texts = (length: number, word: string) =>
    Array.from({ length }, (_, index) => `${word} ${index}`);
  const redact = (text: string) => text.replace('known', '(secret)');

  it('are not stored at all, and take work in proportion to their number', async () => {
    const others = texts(3_000, 'other');
    for (const given of [
      { tokens: texts(3_000, 'token'), others },
      { tokens: texts(201, 'token'), others },
      { rows: texts(3_000, 'known'), others },
    ]) {
      const count = await busiestCount(() => {
        const { value, hasSecrets, secrets } = storedArguments(given, schema, [], redact);
        assert.deepEqual([value, hasSecrets], [undefined, true]);
        assert.ok(secrets.length > 200);
      });
      assert.ok(count < 100_000, `${count} steps`);
    }
  });

  it('are stored if there are 200 at most, however many texts those replace', async () => {
    const given = { tokens: texts(200, 'token'), again: ['token 1', 'x'] };
    const { value, secrets } = storedArguments(given, schema, [], redact);
    assert.equal(secrets.length, 200);
    assert.deepEqual(value?.['again'], ['(secret)', 'x']);
    const same = { tokens: Array.from({ length: 3_000 }, () => 'token') };
    const count = await busiestCount(() => {
      assert.deepEqual(storedArguments(same, schema, [], redact).secrets, ['token']);
    });
    assert.ok(count < 100_000, `${count} steps`);
  });
});
