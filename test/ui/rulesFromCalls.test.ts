import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/core/json/jsonValue';
import type { CallQuestion } from '../../src/host/calls/call';
import { decide } from '../../src/host/consent/consent';
import { RuleBook } from '../../src/host/consent/rules/ruleBook';
import { settings } from '../../src/ids';
import { notifySavedRule, RulesFromCalls } from '../../src/ui/consent/rules/rulePicker';
import { isAppliedWithin } from '../../src/ui/consent/rules/userRules';
import { entryOf, toolOf } from '../host/treeFixtures';
import { set } from './realWindow';
import { answersOfTest } from './windowAnswers';
import { atEnd } from './replacing';

describe('A rule from a question', () => {
  const config = {
    id: 'shop',
    label: 'shop',
    source: { kind: 'setting' },
    transport: { kind: 'stdio', command: 'node', args: [], env: {} },
  } as const;
  const book = new RuleBook({ placeOfPath: () => Promise.resolve('inside') });
  const wishes = (scopes: readonly ('arguments' | 'tool')[]): CallQuestion['offered'] =>
    scopes.map((scope) => ({ scope, duration: 'always' }));

  function questionOf(value: JsonObject, more: Partial<CallQuestion> = {}): CallQuestion {
    const annotations = { readOnlyHint: true };
    const properties = { pin: { type: 'string', format: 'password' } };
    return {
      config,
      entry: entryOf('shop', toolOf('look', { annotations, inputSchema: { properties } })),
      arguments: value,
      argumentsJson: JSON.stringify(value),
      origin: 'palette',
      decision: decide({ rules: [], suspended: [], pin: { kind: 'known' } }),
      offered: wishes(['arguments', 'tool']),
      ...more,
    };
  }
  const redact = (text: string): string => text.replaceAll('sk-known', '•••');
  const kindsOf = async (question: CallQuestion): Promise<readonly string[]> => {
    const proposals = await new RulesFromCalls({ book, redact }).proposals(question);
    return proposals.map(({ kind }) => kind);
  };

  it('is offered with the same scope as a permission, and never for calls of others', async () => {
    const value = { path: '/srv/notes/a.txt' };
    const ofOthers = (['api', 'command'] as const).map((origin) => questionOf(value, { origin }));
    assert.deepEqual(await kindsOf(questionOf(value)), ['arguments', 'places', 'tool']);
    assert.deepEqual(await kindsOf(questionOf(value, { offered: wishes(['arguments']) })), [
      'arguments',
    ]);
    assert.deepEqual(await kindsOf(questionOf(value, { offered: [] })), []);
    assert.deepEqual(await Promise.all(ofOthers.map(kindsOf)), [[], []]);
  });

  it('applies once VS Code has read it, and Reload Window is offered if it has not', async () => {
    const rule = { effect: 'ask', server: 'shop', tool: 'look' };
    const change = { rule, replaces: () => false };
    assert.equal(await isAppliedWithin(change, 1), false);
    const heard = isAppliedWithin(change, 60_000);
    await set(settings.rules, [rule]);
    atEnd(() => set(settings.rules, undefined));
    assert.equal(await heard, true);
    // One that takes the place of others counts only without them.
    const replacing = { rule: { ...rule, effect: 'deny' }, replaces: () => true };
    assert.equal(await isAppliedWithin(replacing, 1), false);

    const answers = answersOfTest();
    let offered: readonly string[] = [];
    answers.press = (_, buttons) => void (offered = buttons);
    notifySavedRule('notRead');
    assert.match(answers.told.join(), /Reload the window to apply it/);
    assert.deepEqual(offered, ['Reload Window']);
  });

  it('contains no secret, no hidden characters, and nothing too long to read', async () => {
    assert.deepEqual(await kindsOf(questionOf({ pin: '1234' })), ['tool']);
    assert.deepEqual(await kindsOf(questionOf({ note: 'my sk-known key' })), ['tool']);
    assert.deepEqual(await kindsOf(questionOf({ note: 'a\u202Eb' })), ['tool']);
    assert.deepEqual(await kindsOf(questionOf({ note: 'y'.repeat(500) })), ['tool']);
  });
});
