import assert from 'node:assert/strict';
import type { CallAnswer, CallOutcome, CallQuestion } from '../../src/host/calls/call';
import type { PinState } from '../../src/host/consent/facts/callFacts';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import type { Gate } from '../../src/host/calls/gate';
import { grantOf, ruleOf, SteeredConsent } from './steeredConsent';
import { SteeredServers } from './steeredServers';
import { toolOf } from './treeFixtures';
import { gateWith } from './steeredGate';
import { assertEach } from '../assertions';

const yes: CallAnswer = { kind: 'run' };
const changed: PinState = { kind: 'changed', before: toolOf('echo'), fields: ['description'] };

describe('The gate, with rules, permissions and pins', () => {
  let servers: SteeredServers;
  let steered: SteeredConsent;
  let questions: CallQuestion[];
  let answers: CallAnswer[];
  let gate: Gate;
  let running: RunningCalls;

  before(async () => {
    servers = new SteeredServers();
    servers.configure(servers.config('a'));
    await servers.registry.start('a');
  });
  after(() => servers.end());
  beforeEach(() => {
    questions = [];
    answers = [yes];
    steered = new SteeredConsent();
    gate = gateWith(steered, {
      registry: servers.registry,
      confirm: async (question) => {
        questions.push(question);
        return answers.shift() ?? { kind: 'no' };
      },
      calls: (running = new RunningCalls()),
    });
  });

  const calls = () => servers.received('a').filter((line) => line.startsWith('called '));

  /** How it went, how often a person was asked, and what reached the server. */
  async function call(n: unknown = 1): Promise<[outcome: string, asked: number, sent: string[]]> {
    const before = calls().length;
    const outcome: CallOutcome = await gate.call({
      server: 'a',
      tool: 'echo',
      arguments: { n },
      origin: 'api',
    });
    await servers.registry.client('a').ping();
    const kind = outcome.kind === 'failed' ? `failed ${outcome.error.code}` : outcome.kind;
    return [kind, questions.length, calls().slice(before)];
  }
  const sent = ['called echo {"n":1}'];

  it('makes calls without a question if a rule or a permission allows them', async () => {
    steered.rules = [ruleOf('allow')];
    assert.deepEqual(await call(), ['result', 0, sent]);
    steered.rules = [];
    steered.grant = grantOf();
    assert.deepEqual(await call(), ['result', 0, sent]);
    assert.deepEqual(steered.kept, ['used g']);
  });

  it('asks about environment variables even if the call is allowed, and remembers no answer', async () => {
    steered.rules = [ruleOf('allow')];
    steered.grant = grantOf();
    const withEnvironment = {
      server: 'a',
      tool: 'echo',
      arguments: { n: 1 },
      origin: 'file' as const,
      fileValues: ['env'] as const,
    };
    answers = [{ kind: 'edited', arguments: { n: 2 } }, { kind: 'no' }];
    assert.equal((await gate.call(withEnvironment)).kind, 'denied');
    assertEach(questions, ({ decision, offered }) => [decision.cause.kind, offered.length], [
      ['fileValues', 0],
      ['fileValues', 0],
    ]);
    answers = [yes];
    assert.equal((await gate.call(withEnvironment)).kind, 'result');
    steered.rules = [ruleOf('allow'), ruleOf('deny')];
    assert.equal((await gate.call(withEnvironment)).kind, 'denied');
    assert.equal(questions.length, 3);
  });

  it('refuses calls that a rule denies, asks nothing, and names the rule', async () => {
    steered.rules = [ruleOf('allow'), ruleOf('deny', 3)];
    steered.grant = grantOf();
    assert.deepEqual(await call(), ['denied', 0, []]);
    const outcome = await gate.call({
      server: 'a',
      tool: 'echo',
      arguments: { n: 1 },
      origin: 'api',
    });
    assert.deepEqual(outcome.kind === 'denied' && outcome.decision?.cause, {
      kind: 'rule',
      rule: ruleOf('deny', 3),
    });
  });

  it('reports for each ended call what decided about it', async () => {
    await call();
    steered.grant = grantOf();
    await call();
    steered.rules = [ruleOf('deny')];
    await call();
    assertEach(running.ended, ({ decision }) => decision?.cause.kind, ['rule', 'grant', 'noRule']);
  });

  it('asks about a new or changed tool even if the call is allowed, and knows it after a yes', async () => {
    steered.rules = [ruleOf('allow')];
    steered.grant = grantOf();
    for (const pin of [{ kind: 'new' } as const, changed]) {
      steered.pin = pin;
      questions = [];
      answers = [yes];
      assert.deepEqual(await call(), ['result', 1, sent]);
      assert.deepEqual(questions[0]?.decision.pin, pin);
    }
    assert.deepEqual(steered.kept, ['accepted a echo', 'accepted a echo']);
    answers = [{ kind: 'no' }];
    assert.deepEqual((await call())[0], 'denied');
    assert.equal(steered.kept.length, 2);
  });

  it('stores a permission that the user chooses, and calls even if it cannot be stored', async () => {
    answers = [{ kind: 'run', remember: { scope: 'tool', duration: 'always' } }];
    assert.deepEqual(await call(), ['result', 1, sent]);
    assert.deepEqual(steered.kept, ['tool always echo api']);
    answers = [{ kind: 'run', remember: { scope: 'readOnlyTools', duration: 'session' } }];
    assert.deepEqual((await call())[0], 'result');
    assert.deepEqual(steered.problems.map(String), ['Error: disk full, 0 tools']);
  });

  it('offers a permission only if that would save a question', async () => {
    await call();
    steered.rules = [ruleOf('ask')];
    await call();
    assertEach(questions, ({ offered }) => offered.length, [1, 0]);
  });

  it('checks changed arguments like any others, and asks about them', async () => {
    answers = [{ kind: 'edited', arguments: { n: 2 } }, yes];
    assert.deepEqual(await call(), ['result', 2, ['called echo {"n":2}']]);
    assert.deepEqual(
      [questions.map((question) => question.argumentsJson), steered.facts.at(-1)?.arguments],
      [['{"n":1}', '{"n":2}'], { n: 2 }],
    );
    answers = [{ kind: 'edited', arguments: { n: 'two' } }, yes];
    assert.deepEqual((await call()).slice(0, 1), ['failed invalidArguments']);
    steered.rules = [ruleOf('ask')];
    answers = [{ kind: 'edited', arguments: { n: 3 } }, yes];
    steered.onDecide = () => {
      if (steered.facts.at(-1)?.arguments['n'] === 3) steered.rules = [ruleOf('deny')];
    };
    assert.deepEqual((await call())[0], 'denied');
  });

  it('refuses calls that a rule denies which was added during the question', async () => {
    steered.onDecide = () => {
      if (questions.length > 0) steered.rules = [ruleOf('deny')];
    };
    assert.deepEqual(await call(), ['denied', 1, []]);
  });

  it('asks if the data for the decision cannot be read, and still applies deny rules', async () => {
    steered.rules = new Error('no rules');
    steered.grant = grantOf();
    assert.deepEqual(await call(), ['result', 1, sent]);
    steered.rules = [ruleOf('allow')];
    steered.pin = new Error('no pins');
    answers = [{ kind: 'no' }];
    assert.deepEqual(await call(), ['denied', 2, []]);
    assertEach(questions, ({ decision }) => decision.cause, [
      { kind: 'unreadable', detail: 'Error: no rules' },
      { kind: 'unreadable', detail: 'Error: no pins' },
    ]);
    steered.rules = [ruleOf('deny')];
    assert.deepEqual(await call(), ['denied', 2, []]);
    steered.rules = [ruleOf('allow')];
    steered.pin = { kind: 'known' };
    steered.risk = new Error('no risks');
    assert.deepEqual(await call(), ['denied', 3, []]);
  });

  it('records every decision before anything is sent, and every outcome', async () => {
    await call();
    answers = [{ kind: 'no' }];
    await call();
    steered.rules = [ruleOf('deny')];
    await call();
    await call('not a number');
    assertEach(steered.recorded, ({ decision, answer }) => [decision.effect, answer], [
      ['ask', 'run'],
      ['ask', 'no'],
      ['deny', undefined],
    ]);
    assertEach(steered.outcomes, ([, kind]) => kind, ['result', 'denied', 'denied', 'failed']);
    assert.deepEqual(
      steered.recorded.map(({ callId }) => callId),
      steered.outcomes.slice(0, 3).map(([callId]) => callId),
    );
  });

  it('sends nothing that must be recorded and cannot be', async () => {
    steered.journalError = new Error('disk full');
    assert.deepEqual(await call(), ['failed internal', 1, []]);
    steered.rules = [ruleOf('allow')];
    assert.deepEqual(await call(), ['failed internal', 1, []]);
  });
});
