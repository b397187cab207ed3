import assert from 'node:assert/strict';
import { QuestionAnswers } from '../../src/core/callFiles/questionAnswers';
import type { CallAnswer, CallOutcome, CallQuestion, CallRequest } from '../../src/host/calls/call';
import { CallApproval } from '../../src/host/calls/callApproval';
import type { Gate } from '../../src/host/calls/gate';
import { ruleOf, SteeredConsent } from './steeredConsent';
import { SteeredServers } from './steeredServers';
import { gateWith } from './steeredGate';
import { assertNone } from '../assertions';

const no: CallAnswer = { kind: 'no' };

describe('Consent to several calls at once', () => {
  let servers: SteeredServers;
  let steered: SteeredConsent;
  let asked: CallQuestion[];
  let gate: Gate;

  before(async () => {
    servers = new SteeredServers();
    servers.configure(servers.config('a'), servers.config('b'));
    await servers.registry.start('a');
    await servers.registry.start('b');
  });
  after(() => servers.end());
  beforeEach(() => {
    asked = [];
    steered = new SteeredConsent();
    gate = gateWith(steered, {
      registry: servers.registry,
      confirm: async (question) => {
        asked.push(question);
        return no;
      },
    });
  });

  const echo = (n: unknown = 1, more: Partial<CallRequest> = {}): CallRequest => ({
    server: 'a',
    tool: 'echo',
    arguments: { n },
    origin: 'file',
    ...more,
  });

  /** How each went, and how many were asked about. */
  async function kinds(...outcomes: Promise<CallOutcome>[]): Promise<[string[], number]> {
    const all = await Promise.all(outcomes);
    return [all.map(({ kind }) => kind), asked.length];
  }

  it('runs no call that would ask if no user can be asked', async () => {
    const quietly = (request: CallRequest) => gate.call(request, { mayAsk: false });
    assert.deepEqual(await kinds(quietly(echo())), [['denied'], 0]);
    steered.rules = [ruleOf('allow')];
    assert.deepEqual(await kinds(quietly(echo())), [['result'], 0]);
  });

  it('opens no question for other calls if no user can be asked', async () => {
    const approval = new CallApproval(await gate.preview(echo()));
    const other = gate.call(echo(2), { approval, mayAsk: false });
    assert.deepEqual(await kinds(other), [['denied'], 0]);
    assert.deepEqual(await kinds(gate.call(echo(), { approval, mayAsk: false })), [['denied'], 0]);
    const again = new CallApproval(await gate.preview(echo()));
    assert.deepEqual(await kinds(gate.call(echo(), { approval: again, mayAsk: false })), [
      ['result'],
      0,
    ]);
  });

  it('does not cover other answers to the server’s questions than the shown ones', async () => {
    const withSize = (size: number) =>
      echo(1, { answers: new QuestionAnswers([{ action: 'accept', content: { size } }]) });
    const approvalOf = async (request: CallRequest) =>
      new CallApproval(await gate.preview(request));
    const [seen, other] = [await approvalOf(withSize(1)), await approvalOf(withSize(2))];
    const called = gate.call(withSize(1), { approval: seen, mayAsk: false });
    const refused = gate.call(withSize(1), { approval: other, mayAsk: false });
    assert.deepEqual(await kinds(called, refused), [['result', 'denied'], 0]);
  });

  it('is asked for with the question of the gate, and sends nothing', async () => {
    const before = servers.received('a').length;
    const question = await gate.preview(echo());
    await servers.registry.client('a').ping();
    assert.equal(question.argumentsJson, '{"n":1}');
    assert.equal(question.decision.effect, 'ask');
    const sent = servers.received('a').slice(before);
    assertNone(sent, (line) => line.startsWith('called'));
    assert.deepEqual([asked.length, steered.kept], [0, []]);
    await assert.rejects(gate.preview(echo('x', { tool: 'gone' })));
  });

  it('lets the shown call run, once', async () => {
    const approval = new CallApproval(await gate.preview(echo()));
    assert.deepEqual(await kinds(gate.call(echo(), { approval })), [['result'], 0]);
    assert.deepEqual(await kinds(gate.call(echo(), { approval })), [['denied'], 1]);
  });

  it('does not cover other arguments, servers, tools or origins', async () => {
    const others = [
      echo(2),
      echo(1, { server: 'b' }),
      echo(1, { origin: 'api' }),
      echo(1, { fileValues: ['env'] }),
      echo(1, { isForeign: true }),
    ];
    for (const other of others) {
      asked = [];
      const approval = new CallApproval(await gate.preview(echo()));
      assert.deepEqual(await kinds(gate.call(other, { approval })), [['denied'], 1]);
      // It was for the first question, whatever that was.
      assert.deepEqual(await kinds(gate.call(echo(), { approval })), [['denied'], 2]);
    }
  });

  it('does not cover a second call at the same time', async () => {
    const approval = new CallApproval(await gate.preview(echo()));
    const [inside, outside] = [gate.call(echo(), { approval }), gate.call(echo())];
    assert.deepEqual(await kinds(inside, outside), [['result', 'denied'], 1]);
  });

  it('ends when a rule is added, or the tool changes', async () => {
    const seen = await gate.preview(echo());
    steered.rules = [ruleOf('ask')];
    assert.deepEqual(await kinds(gate.call(echo(), { approval: new CallApproval(seen) })), [
      ['denied'],
      1,
    ]);
    steered.rules = [ruleOf('deny')];
    assert.deepEqual(await kinds(gate.call(echo(), { approval: new CallApproval(seen) })), [
      ['denied'],
      1,
    ]);
    steered.rules = [];
    steered.pin = { kind: 'new' };
    assert.deepEqual(await kinds(gate.call(echo(), { approval: new CallApproval(seen) })), [
      ['denied'],
      2,
    ]);
  });
});
