import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { fileValueKinds, type FileValueKind } from '../../src/core/callFiles/callVariables';
import { decide, type Evidence } from '../../src/host/consent/consent';
import type { Effect, PinState, RuleMatch } from '../../src/host/consent/facts/callFacts';
import {
  type Grant,
  type GrantDuration,
  grantDurations,
  type GrantScope,
  grantScopes,
} from '../../src/host/consent/grants/grant';
import { riskOf } from '../../src/core/risk';
import { RuleBook } from '../../src/host/consent/rules/ruleBook';
import { factsOf } from './ruleCases';
import { assertEach } from '../assertions';

function grantOf(scope: GrantScope, duration: GrantDuration): Grant {
  return {
    id: `${scope} ${duration}`,
    scope,
    duration,
    server: 'files',
    serverFingerprint: 's',
    tools: { read_file: 't' },
    origin: 'tree',
    createdAt: 0,
  };
}

const before = factsOf().entry.tool;
const pins: readonly PinState[] = [
  { kind: 'known' },
  { kind: 'new' },
  { kind: 'changed', before, fields: ['description'] },
  { kind: 'unlocked', lockFile: '/w/toolgate.lock.json' },
];
const effects: readonly Effect[] = ['allow', 'ask', 'deny'];
const scopes = ['user', 'workspace', 'folder'] as const;
const ruleOf = (effect: Effect, scope: (typeof scopes)[number], index: number): RuleMatch => ({
  effect,
  place: { scope, index, ...(scope === 'folder' ? { folder: '/w' } : {}) },
  isReadStrictly: false,
});

/** The table as a person would say it, written down a second time. */
function expected({ rules, grant, pin }: Evidence): string {
  const has = (effect: Effect): boolean => rules.some((rule) => rule.effect === effect);
  if (has('deny')) return 'deny rule';
  if (pin.kind !== 'known') return 'ask pin';
  if (has('ask')) return 'ask rule';
  if (grant !== undefined) return 'allow grant';
  if (has('allow')) return 'allow rule';
  return 'ask noRule';
}

const decided = (evidence: Evidence): string => {
  const { effect, cause } = decide(evidence);
  return `${effect} ${cause.kind}`;
};

describe('The decision about a call', () => {
  it('is one line of a table: rules of every scope, grants of every kind, pins of every state', () => {
    const ruleSets = effects.flatMap((effect) => scopes.map((scope) => [ruleOf(effect, scope, 0)]));
    const pairs = ruleSets.flatMap((one) => ruleSets.map((other) => [...one, ...other]));
    const grants = grantScopes.flatMap((scope) =>
      grantDurations.map((duration) => grantOf(scope, duration)),
    );
    let lines = 0;
    for (const rules of [[], ...ruleSets, ...pairs]) {
      for (const grant of [undefined, ...grants]) {
        for (const pin of pins) {
          for (const suspended of [
            [],
            [{ grant: grantOf('tool', 'always'), reason: 'toolChanged' as const }],
          ]) {
            const evidence: Evidence = { rules, pin, suspended, ...(grant && { grant }) };
            const shown = JSON.stringify(evidence);
            assert.equal(decided(evidence), expected(evidence), shown);
            const decision = decide(evidence);
            assert.deepEqual(
              [decision.grant, decision.pin, decision.suspended],
              [grant, pin, suspended],
              shown,
            );
            lines++;
          }
        }
      }
    }
    assert.equal(lines, (1 + 9 + 81) * 10 * 4 * 2);
  });

  it('asks about values from outside a call file, unless a rule denies or exactly that was agreed to', () => {
    const pin = { kind: 'known' } as const;
    const linesOf = (fileValues: readonly FileValueKind[], scope: GrantScope) =>
      [undefined, ...effects].map((effect) => {
        const rules = effect === undefined ? [] : [ruleOf(effect, 'user', 0)];
        return decided({ grant: grantOf(scope, 'always'), suspended: [], fileValues, pin, rules });
      });
    const asked = ['ask fileValues', 'ask fileValues', 'ask fileValues', 'deny rule'];
    for (const kind of fileValueKinds) {
      const isEachTime = kind === 'env' || kind === 'password' || kind === 'toQuestions';
      const exact = ['allow grant', 'allow grant', 'ask rule', 'deny rule'];
      assert.deepEqual(linesOf([kind], 'arguments'), isEachTime ? asked : exact, kind);
      assert.deepEqual(linesOf(['input', kind], 'tool'), asked, kind);
      assert.deepEqual(linesOf([kind, 'file'], 'readOnlyTools'), asked, kind);
      assert.deepEqual(linesOf(['env', kind], 'arguments'), asked, kind);
      assert.deepEqual(linesOf([kind, 'password'], 'arguments'), asked, kind);
    }
  });

  it('names the first of the strongest rules, and lists all of them, the strongest first', () => {
    const rules = [
      ruleOf('allow', 'user', 0),
      ruleOf('ask', 'user', 1),
      ruleOf('deny', 'workspace', 0),
      ruleOf('ask', 'folder', 0),
      ruleOf('deny', 'folder', 1),
    ];
    const { cause, rules: listed } = decide({ rules, suspended: [], pin: { kind: 'known' } });
    assert.deepEqual(cause, { kind: 'rule', rule: rules[2] });
    assertEach(listed, (rule) => rules.indexOf(rule), [2, 4, 1, 3, 0]);
  });

  // What the words of the tool say, and how its risk is known, is for the person only.
  it('depends on no claim of the server except the level that a rule requires', async () => {
    const user = [{ effect: 'allow', risk: 'readOnly' }];
    const book = new RuleBook({ placeOfPath: () => Promise.resolve('inside') });
    book.setRules({ user, workspace: undefined, folders: [] });
    const seen: string[] = [];
    for (const pin of pins) {
      for (const level of ['readOnly', 'additive', 'destructive'] as const) {
        for (const basis of ['declared', 'assumed', 'overridden'] as const) {
          const facts = factsOf({}, { level });
          const risk = { ...riskOf(facts.entry.tool.annotations), level, basis };
          const rules = await book.matching({ ...facts, entry: { ...facts.entry, risk } });
          seen.push(decided({ rules, pin, suspended: [] }));
        }
      }
    }
    const known = [...Array(3).fill('allow rule'), ...Array(6).fill('ask noRule')];
    assert.deepEqual(seen, [...known, ...Array(27).fill('ask pin')]);
  });

  const rule = fc
    .tuple(fc.constantFrom(...effects), fc.constantFrom(...scopes), fc.nat(5))
    .map(([effect, scope, index]) => ruleOf(effect, scope, index));
  const evidence = fc
    .tuple(
      fc.array(rule, { maxLength: 6 }),
      fc.option(fc.constantFrom(...grantScopes), { nil: undefined }),
      fc.constantFrom(...pins),
    )
    .map(([rules, scope, pin]): Evidence => {
      const grant = scope && grantOf(scope, 'always');
      return { rules, pin, suspended: [], ...(grant && { grant }) };
    });
  const strictness = { allow: 0, ask: 1, deny: 2 };

  it('is never less strict with one more deny or ask, or for an unknown tool', () => {
    fc.assert(
      fc.property(evidence, rule, fc.constantFrom(...pins), (given, more, pin) => {
        const was = strictness[decide(given).effect];
        if (more.effect !== 'allow') {
          const rules = [...given.rules, more];
          assert.ok(strictness[decide({ ...given, rules }).effect] >= was);
          if (more.effect === 'deny') assert.equal(decide({ ...given, rules }).effect, 'deny');
        }
        if (given.pin.kind === 'known') {
          assert.ok(strictness[decide({ ...given, pin }).effect] >= was);
        }
      }),
    );
  });
});
