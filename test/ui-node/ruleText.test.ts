import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { settings } from '../../src/ids';
import { hasCommentsInRules, withRule } from '../../src/ui/consent/rules/ruleTexts';
import { assertEach } from '../assertions';

const key = `${settings.section}.${settings.rules}`;
const rule: JsonObject = { effect: 'allow', server: 'shop', tool: 'look' };

describe('A rule that is written into settings', () => {
  it('is written after the existing ones, and changes no comment and nothing else', () => {
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

  it('starts a new list if there is none, even in an empty file', () => {
    const texts = ['', '{}', '// Place your settings here\n{\n}\n', '{ "a": 1 }'];
    for (const text of texts) {
      const after = withRule(text, rule) ?? assert.fail(text);
      assert.match(after, /"toolgate\.rules": \[\s*\{\s*"effect": "allow"/);
    }
  });

  it('is not written to a place where it would not be read', () => {
    const many = JSON.stringify({ [key]: Array.from({ length: 1_000 }, () => rule) });
    const texts = [`{"${key}": {}}`, `{"${key}": [}`, '[]', `{"${key}": [], "${key}": []}`, many];
    assertEach(
      texts,
      (text) => withRule(text, rule),
      texts.map(() => undefined),
    );
  });
});
