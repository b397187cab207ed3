import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/core/json/jsonValue';
import type { CallQuestion } from '../../src/host/calls/call';
import { decide } from '../../src/host/consent/decision';
import { RuleBook } from '../../src/host/consent/rules/ruleBook';
import { settings } from '../../src/ids';
import { hasCommentsInRules, withRule } from '../../src/ui/consent/rules/ruleTexts';
import { RulesFromCalls } from '../../src/ui/consent/rules/rulesFromCalls';
import { entryOf, toolOf } from '../host/treeFixtures';

const key = `${settings.section}.${settings.rules}`;
const rule: JsonObject = { effect: 'allow', server: 'shop', tool: 'look' };

describe('A rule that is written into settings', () => {
  it('stands behind those that are there, and leaves comments and everything else alone', () => {
    const text = `{
  // Mine
  "editor.fontSize": 12,
  "${key}": [
    // Nobody deletes.
    { "effect": "deny", "risk": "destructive" }, // ever
  ],
  "zoom": 1,
}
`;
    const written = '    { "effect": "allow", "server": "shop", "tool": "look" }\n';
    assert.equal(hasCommentsInRules(text), true);
    assert.equal(hasCommentsInRules(`{ /* b */ "${key}": [{ "tool": "// no" }] }`), false);
    assert.equal(withRule(text, rule), text.replace('// ever\n', `// ever\n${written}`));
    const short = `{"${key}": [{ "effect": "ask" } /* all */]}`;
    assert.equal(
      withRule(short, rule),
      `{"${key}": [{ "effect": "ask" }, /* all */ ${written.trim()}]}`,
    );
    const bare = `{\r\n\t"${key}": [\r\n\t\t{ "effect": "ask" }\r\n\t]\r\n}`;
    assert.match(withRule(bare, rule) ?? '', /"ask" \},\r\n\t\t\{ "effect": "allow".*\}\n\t\]/);
  });

  it('begins a list where there is none, also in a file without anything', () => {
    const texts = ['', '{}', '// Place your settings here\n{\n}\n', '{ "a": 1 }'];
    for (const text of texts) {
      const after = withRule(text, rule) ?? assert.fail(text);
      assert.match(after, /"toolgate\.rules": \[\s*\{\s*"effect": "allow"/);
    }
  });

  it('is not written where it would not be read', () => {
    const many = JSON.stringify({ [key]: Array.from({ length: 1_000 }, () => rule) });
    const texts = [`{"${key}": {}}`, `{"${key}": [}`, '[]', `{"${key}": [], "${key}": []}`, many];
    assert.deepEqual(
      texts.map((text) => withRule(text, rule)),
      texts.map(() => undefined),
    );
  });
});

describe('A rule from a question', () => {
  const config = {
    id: 'shop',
    label: 'shop',
    source: { kind: 'setting' },
    reach: { kind: 'stdio', command: 'node', args: [], env: {} },
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

  it('is offered for as much as a permission is, and never for calls of others', async () => {
    const value = { path: '/srv/notes/a.txt' };
    const ofOthers = (['api', 'command'] as const).map((origin) => questionOf(value, { origin }));
    assert.deepEqual(await kindsOf(questionOf(value)), ['arguments', 'places', 'tool']);
    assert.deepEqual(await kindsOf(questionOf(value, { offered: wishes(['arguments']) })), [
      'arguments',
    ]);
    assert.deepEqual(await kindsOf(questionOf(value, { offered: [] })), []);
    assert.deepEqual(await Promise.all(ofOthers.map(kindsOf)), [[], []]);
  });

  it('holds no secret, nothing that nobody sees, and nothing too long to be read', async () => {
    assert.deepEqual(await kindsOf(questionOf({ pin: '1234' })), ['tool']);
    assert.deepEqual(await kindsOf(questionOf({ note: 'my sk-known key' })), ['tool']);
    assert.deepEqual(await kindsOf(questionOf({ note: 'a\u202Eb' })), ['tool']);
    assert.deepEqual(await kindsOf(questionOf({ note: 'y'.repeat(500) })), ['tool']);
  });
});
