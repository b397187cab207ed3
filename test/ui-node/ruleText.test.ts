import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/core/json/jsonValue';
import type { WeighedCall } from '../../src/host/consent/facts/weighedCall';
import { settings } from '../../src/ids';
import { ruleMatchesText } from '../../src/ui/consent/rules/ruleMatchesText';
import { hasCommentsInRules, withRule } from '../../src/ui/consent/rules/ruleTexts';

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

describe('What rules matched lately', () => {
  it('is a list of the calls that each of them matched, and of how many cannot be told', () => {
    const call: WeighedCall = {
      at: Date.UTC(2026, 0, 2),
      server: 'files',
      tool: 'read_\u202efile',
      risk: { level: 'readOnly', openWorld: false, idempotent: true },
      decision: 'allow',
      ruleEffect: 'allow',
    };
    const place = { scope: 'user', index: 0 } as const;
    const deny = { effect: 'deny', place, when: [], isReadStrictly: false } as const;
    assert.deepEqual(ruleMatchesText([{ rule: deny, calls: [call], unclear: 2 }], 3).split('\n'), [
      'What rules matched lately',
      '',
      'Past calls looked at: 3',
      '',
      'Rule 1 in your user settings: deny',
      '    Calls: 1',
      '    2026-01-02T00:00:00.000Z  “read_\\u{202E}file” on “files” (read-only): allow',
      '    Cannot be told, because no arguments were recorded: 2',
      '',
    ]);
    assert.match(ruleMatchesText([], 0), /\n\nThere are no rules\.\n$/);
  });
});
