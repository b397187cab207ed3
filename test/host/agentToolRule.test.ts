import assert from 'node:assert/strict';
import {
  agentRule,
  agentRuleEffect,
  canHaveAgentRule,
  isOverruled,
} from '../../src/host/agents/agentToolRule';
import { AgentDrafts } from '../../src/host/agents/agentDrafts';
import { bookOf } from './ruleCases';

const look = { server: 'shop', tool: 'look', level: 'readOnly' } as const;
const sell = { server: 'shop', tool: 'sell', level: 'additive' } as const;
const burn = { server: 'shop', tool: 'burn', level: 'destructive' } as const;

describe('The rule for agents and one tool', () => {
  it('opens a tool for the risk that it has now, and closes it for any', () => {
    const about = { origin: 'agent', server: 'shop' };
    const some = ['readOnly', 'additive'];
    assert.deepEqual(
      [look, sell, burn].map((tool) => agentRule('allow', tool)),
      [
        { effect: 'allow', ...about, tool: 'look', risk: 'readOnly' },
        { effect: 'allow', ...about, tool: 'sell', risk: some },
        { effect: 'allow', ...about, tool: 'burn' },
      ],
    );
    assert.deepEqual(agentRule('ask', look), { effect: 'ask', ...about, tool: 'look', risk: some });
    assert.deepEqual(agentRule('deny', look), { effect: 'deny', ...about, tool: 'look' });
  });

  it('is known again, and no other rule is taken for it', () => {
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
    assert.deepEqual(
      others.map((each) => agentRuleEffect(each, look)),
      others.map(() => undefined),
    );
  });

  it('is about no tool whose name would be a pattern, or hides something', () => {
    const names = ['look', 'look*', 'l?ok', '', 'a\u202Eb', 'x'.repeat(300)];
    assert.deepEqual(
      names.map((tool) => canHaveAgentRule({ server: 'shop', tool })),
      [true, false, false, false, false, false],
    );
  });

  it('counts less than a stricter one that is always about the tool', () => {
    const deny = bookOf({ user: [{ effect: 'deny', tool: 'l*' }] }).rules;
    const some = [{ effect: 'deny', tool: 'l*', when: { '/a': { exists: true } } }];
    const mine = [{ effect: 'deny', origin: 'person' }];
    assert.equal(isOverruled('ask', look, deny), true);
    assert.equal(isOverruled('deny', look, deny), false);
    assert.equal(isOverruled('allow', sell, deny), false);
    assert.equal(isOverruled('allow', look, bookOf({ user: some }).rules), false);
    assert.equal(isOverruled('allow', look, bookOf({ user: mine }).rules), false);
  });
});

describe('Calls that agents leave to the person', () => {
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

  it('are the newest, as many and as large as there is room for', () => {
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
});
