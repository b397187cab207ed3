import assert from 'node:assert/strict';
import {
  agentRule,
  agentRuleEffect,
  canHaveAgentRule,
  hasStricterRule,
} from '../../src/host/agents/agentToolRule';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import { CancellationToken } from 'vscode-jsonrpc/node';
import { AgentDrafts } from '../../src/host/agents/agentDrafts';
import { bookOf } from './ruleCases';
import { assertEach } from '../assertions';

const look = { server: 'shop', tool: 'look', level: 'readOnly' } as const;
const sell = { server: 'shop', tool: 'sell', level: 'additive' } as const;
const burn = { server: 'shop', tool: 'burn', level: 'destructive' } as const;

describe('The rule for agents and one tool', () => {
  it('allows a tool for its current risk, and denies it for any', () => {
    const about = { origin: 'agent', server: 'shop' };
    const some = ['readOnly', 'additive'];
    assertEach([look, sell, burn], (tool) => agentRule('allow', tool), [
      { effect: 'allow', ...about, tool: 'look', risk: 'readOnly' },
      { effect: 'allow', ...about, tool: 'sell', risk: some },
      { effect: 'allow', ...about, tool: 'burn' },
    ]);
    assert.deepEqual(agentRule('ask', look), { effect: 'ask', ...about, tool: 'look', risk: some });
    assert.deepEqual(agentRule('deny', look), { effect: 'deny', ...about, tool: 'look' });
  });

  it('is recognized, and no other rule is mistaken for it', () => {
    const rule = agentRule('ask', look);
    assert.equal(agentRuleEffect(rule, look), 'ask');
    const others = [
      { ...rule, tool: 'sell' },
      { ...rule, origin: ['agent'] },
      { ...rule, when: { '/path': { exists: true } } },
      { ...rule, reason: 'mine' },
      { ...rule, effect: 'maybe' },
      null,
      'ask',
    ];
    assertEach(
      others,
      (each) => agentRuleEffect(each, look),
      others.map(() => undefined),
    );
  });

  it('is not written for a tool whose name would be a pattern, or has hidden characters', () => {
    const names = ['look', 'look*', 'l?ok', '', 'a\u202Eb', 'x'.repeat(300)];
    const allowed = names.filter((tool) => canHaveAgentRule({ server: 'shop', tool }));
    assert.deepEqual(allowed, ['look']);
  });

  it('is weaker than a stricter rule that always matches the tool', () => {
    const deny = bookOf({ user: [{ effect: 'deny', tool: 'l*' }] }).rules;
    const some = [{ effect: 'deny', tool: 'l*', when: { '/a': { exists: true } } }];
    const mine = [{ effect: 'deny', origin: 'person' }];
    assert.equal(hasStricterRule('ask', look, deny), true);
    assert.equal(hasStricterRule('deny', look, deny), false);
    assert.equal(hasStricterRule('allow', sell, deny), false);
    assert.equal(hasStricterRule('allow', look, bookOf({ user: some }).rules), false);
    assert.equal(hasStricterRule('allow', look, bookOf({ user: mine }).rules), false);
  });
});

describe('Unanswered calls of agents', () => {
  const draft = (callId: string, text = '') => ({
    callId,
    server: 'shop',
    tool: 'sell',
    arguments: { text },
  });
  const kept = (drafts: AgentDrafts, ids: string): string =>
    ids
      .split('')
      .filter((id) => drafts.find(id) !== undefined)
      .join('');

  it('are the newest ones, within limits of number and size', () => {
    const drafts = new AgentDrafts({ drafts: 3, chars: 100 });
    for (const id of 'abcd') drafts.add(draft(id));
    assert.equal(kept(drafts, 'abcd'), 'bcd');
    drafts.add(draft('e', 'y'.repeat(70)));
    assert.equal(kept(drafts, 'abcde'), 'de');
    drafts.add(draft('f', 'y'.repeat(200)));
    assert.equal(kept(drafts, 'abcdef'), 'de');
    drafts.add(draft('g'));
    assert.deepEqual(drafts.find('g')?.arguments, { text: '' });
    drafts.dispose();
  });

  it('are deleted with their arguments when the calls are removed', () => {
    const drafts = new AgentDrafts();
    for (const id of 'abc') drafts.add(draft(id));
    let changes = 0;
    drafts.onDidChange(() => changes++);
    drafts.forget(['b', 'x']);
    assert.equal(kept(drafts, 'abc'), 'ac');
    drafts.forget(['x']);
    drafts.forget();
    assert.deepEqual([kept(drafts, 'abc'), changes], ['', 2]);
    drafts.dispose();
  });

  it('stay in the list however many calls end after them', () => {
    const drafts = new AgentDrafts();
    const calls = new RunningCalls((id) => drafts.find(id) !== undefined);
    const end = (id: string): void => {
      const request = { server: 'shop', tool: 'sell', origin: 'agent' } as const;
      const call = calls.begin(id, request, CancellationToken.None);
      calls.end(call, { kind: 'cancelled', durationMs: 0 });
    };
    end('draft');
    drafts.add(draft('draft'));
    end('other');
    for (let count = 0; count < 60; count += 1) end(`later ${count}`);
    const ids = calls.ended.map(({ id }) => id);
    assert.equal(ids.length, 51);
    assert.ok(ids.includes('draft') && !ids.includes('other'));
    calls.dispose();
    drafts.dispose();
  });
});
