import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { RiskLevel } from '../../src/core/risk';
import { decide } from '../../src/host/consent/consent';
import {
  type CallFacts,
  type Effect,
  type PinState,
  callOrigins,
  requesterOf,
  type CallOrigin,
} from '../../src/host/consent/facts/callFacts';
import { findCoverage, toGrant } from '../../src/host/consent/grants/grantCover';
import { ToolFingerprints } from '../../src/host/consent/pins/pinDefinition';
import { findRuleHints } from '../../src/host/consent/rules/ruleHints';
import { bookOf, factsOf } from './ruleCases';
import { ruleOf, SteeredConsent } from './steeredConsent';
import { assertEach } from '../assertions';

const asked = (origin: CallOrigin, level: RiskLevel = 'readOnly', given = {}): CallFacts => ({
  ...factsOf(given, { level }),
  origin,
});

interface Sources {
  readonly user?: unknown;
  readonly workspace?: unknown;
}

/** What these rules alone make of a call. */
async function decided(
  sources: Sources,
  facts: CallFacts,
  pin: PinState = { kind: 'known' },
): Promise<string> {
  const isDestructive = facts.entry.risk.level === 'destructive';
  const { effect, cause } = decide({
    rules: await bookOf(sources).matching(facts),
    suspended: [],
    pin,
    ...(facts.origin === 'agent' ? { agent: { isDestructive } } : {}),
  });
  return `${effect} ${cause.kind}`;
}

describe('A call of an agent', () => {
  it('is asked about, and refused if it is destructive', async () => {
    assert.equal(await decided({}, asked('agent')), 'ask noRule');
    assert.equal(await decided({}, asked('agent', 'additive')), 'ask noRule');
    assert.equal(await decided({}, asked('agent', 'destructive')), 'deny humanOnly');
    assert.equal(await decided({}, asked('api', 'destructive')), 'ask noRule');
  });

  it('is not allowed by a rule that does not name agents', async () => {
    const user = [{ effect: 'allow' }];
    assert.equal(await decided({ user }, asked('agent')), 'ask noRule');
    assert.equal(await decided({ user }, asked('palette')), 'allow rule');
    assert.equal(await decided({ user }, asked('api')), 'allow rule');
    const named = [{ effect: 'allow', origin: ['agent'] }];
    assert.equal(await decided({ user: named }, asked('agent')), 'allow rule');
    assert.equal(await decided({ user: named }, asked('palette')), 'ask noRule');
  });

  it('is asked about or denied by rules for everyone', async () => {
    assert.equal(await decided({ user: [{ effect: 'deny' }] }, asked('agent')), 'deny rule');
    assert.equal(await decided({ workspace: [{ effect: 'ask' }] }, asked('agent')), 'ask rule');
    const people = [{ effect: 'deny', origin: 'person' }];
    assert.equal(await decided({ user: people }, asked('agent')), 'ask noRule');
    assert.equal(await decided({ user: people }, asked('tree')), 'deny rule');
  });

  it('is destructive only by a rule of the user that names agents and clearly matches', async () => {
    const facts = asked('agent', 'destructive', { path: '/x' });
    const of = (rule: object): Sources => ({ user: [rule] });
    const named = { origin: 'agent', tool: 'read_file' };
    assert.equal(await decided(of({ effect: 'ask', ...named }), facts), 'ask rule');
    assert.equal(await decided(of({ effect: 'allow', ...named }), facts), 'allow rule');
    const closed: Sources[] = [
      of({ effect: 'ask' }),
      of({ effect: 'allow' }),
      of({ effect: 'ask', origin: ['person', 'extension'] }),
      // Names are compared exactly where something opens.
      of({ effect: 'ask', origin: 'agent', tool: 'READ_file' }),
      of({ effect: 'ask', ...named, when: { '/path': { equals: '/y' } } }),
      // Where this leads cannot be told, so the rule asks, and does not open.
      of({ effect: 'ask', ...named, when: { '/path': { hostIn: ['example.com'] } } }),
      // A part that cannot be read.
      of({ effect: 'ask', ...named, when: { path: {} } }),
      of({ effect: 'ask', ...named, colour: 'red' }),
      of({ effect: 'ask', origin: ['agent', 'robot'] }),
      { workspace: [{ effect: 'ask', ...named }] },
      { workspace: [{ effect: 'allow', ...named }] },
    ];
    for (const sources of closed) {
      assert.equal(await decided(sources, facts), 'deny humanOnly', JSON.stringify(sources));
    }
  });

  it('is refused if the tool is new, changed or not reviewed', async () => {
    const user = [{ effect: 'allow', origin: 'agent' }];
    const pins: PinState[] = [
      { kind: 'new' },
      { kind: 'changed', before: factsOf().entry.tool, fields: ['description'] },
      { kind: 'unlocked', lockFile: '/w/toolgate.lock.json' },
    ];
    for (const pin of pins) {
      assert.equal(await decided({ user }, asked('agent'), pin), 'deny pin');
      assert.equal(await decided({ user }, asked('api'), pin), 'ask pin');
    }
  });

  it('is refused if the data for the decision cannot be read', async () => {
    const steered = new SteeredConsent();
    steered.rules = [ruleOf('allow')];
    steered.pin = new Error('torn');
    const made = async (origin: CallOrigin) => {
      const { effect, cause } = (await steered.consent.evaluate(asked(origin))).decision;
      return `${effect} ${cause.kind}`;
    };
    assert.equal(await made('agent'), 'deny unreadable');
    assert.equal(await made('palette'), 'ask unreadable');
  });

  it('is never allowed beyond the table, whatever rules there are', async () => {
    const effects: readonly Effect[] = ['allow', 'ask', 'deny'];
    const rule = fc.record(
      {
        effect: fc.constantFrom(...effects),
        origin: fc.constantFrom('agent', 'person', ['agent', 'person'], [], 'robot', 7),
        risk: fc.constantFrom('readOnly', 'destructive', ['additive']),
        tool: fc.constantFrom('read_*', '*', 'other', ''),
        when: fc.constantFrom({ '/path': { equals: '/x' } }, { '/no': { exists: true } }, {}),
      },
      { requiredKeys: ['effect'] },
    );
    const level = fc.constantFrom<RiskLevel>('readOnly', 'additive', 'destructive');
    const rules = fc.array(rule, { maxLength: 4 });
    const isTheUsers = (name: unknown): boolean => (JSON.stringify(name) ?? '').includes('agent');
    await fc.assert(
      fc.asyncProperty(rules, rules, level, async (user, workspace, risk) => {
        const sources = { user, workspace };
        const now = await decided(sources, asked('agent', risk, { path: '/x' }));
        const openers = user.filter(
          ({ origin, effect }) => isTheUsers(origin) && effect !== 'deny',
        );
        if (now.startsWith('allow')) assert.ok(openers.some(({ effect }) => effect === 'allow'));
        if (risk === 'destructive' && !now.startsWith('deny')) assert.ok(openers.length > 0);
        // A workspace only tightens.
        const alone = await decided({ user }, asked('agent', risk, { path: '/x' }));
        const strictness = ['allow', 'ask', 'deny'];
        const rank = (text: string) => strictness.indexOf(text.split(' ')[0] ?? '');
        assert.ok(rank(now) >= rank(alone));
      }),
    );
  });

  it('is remembered for agents alone', () => {
    const terms = { allowBroadDestructive: false };
    const fingerprints = new ToolFingerprints();
    for (const given of callOrigins) {
      const occasion = { origin: given, createdAt: 0, tools: [] };
      const wish = { scope: 'tool', duration: 'always' } as const;
      const grant = toGrant(asked(given), wish, occasion, fingerprints);
      for (const origin of callOrigins) {
        const { grant: covering } = findCoverage([grant], asked(origin), terms, fingerprints);
        assert.equal(
          covering !== undefined,
          requesterOf(origin) === requesterOf(given),
          `${given} ${origin}`,
        );
      }
    }
  });

  it('causes no hint about an allow that a rule for agents does not affect', () => {
    const { rules } = bookOf({
      user: [
        { effect: 'allow', tool: 'read_file' },
        { effect: 'deny', origin: 'agent' },
        { effect: 'allow', tool: 'read_file', origin: 'agent' },
      ],
    });
    assertEach(findRuleHints(rules, []), ({ code, path }) => [code, path[0]], [['neverWins', 2]]);
  });

  it('is included when rules for agents are tried on past calls', async () => {
    const past = (asker: 'person' | 'agent', given?: object) => ({
      at: 0,
      server: 'files',
      tool: 'read_file',
      asker,
      risk: { level: 'readOnly' as const, openWorld: true, idempotent: true },
      ...(given === undefined ? {} : { arguments: { ...given } }),
      decision: 'ask' as const,
    });
    const calls = [past('person'), past('agent'), past('person', {}), past('agent', {})];
    const book = bookOf({});
    const user = [{ effect: 'deny', origin: 'agent' }];
    const { changes } = await book.tryOn(calls, { user, workspace: undefined, folders: [] });
    assertEach(changes, ({ call, now }) => [call.asker, now], [
      ['agent', 'deny'],
      ['agent', 'deny'],
    ]);
  });
});
