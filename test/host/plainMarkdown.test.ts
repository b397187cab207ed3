import assert from 'node:assert/strict';
import { plainMarkdown } from '../../src/ui/tree/plainMarkdown';

/** What a reader sees of it: the character references as characters. */
function read(markdown: string): string {
  return markdown
    .replaceAll('&nbsp;', ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

describe('Foreign text in a tooltip', () => {
  const hostile = [
    '[press](command:workbench.action.quit)',
    '<img src=x onerror=alert(1)>',
    'https://example.com and www.example.com and a@example.com',
    '![picture](https://example.com/x.png)',
    '```js\ncode\n```',
    '# heading',
    'heading\n=======',
    '- item\n1. item',
    '| a | b |\n|---|---|',
    '&lt;b&gt; $(flame) **bold** __bold__ ~~gone~~ `code` \\[escape\\]',
  ];

  for (const text of hostile) {
    it(`contains no Markdown syntax: ${JSON.stringify(text)}`, () => {
      const markdown = plainMarkdown(text, 1_000, { newlines: 'keep' });
      const withoutReferences = markdown.replaceAll(/&(?:#\d+|nbsp);/g, '');
      assert.doesNotMatch(withoutReferences, /[!-/:-@[-`{-~]/);
      assert.equal(read(markdown).replaceAll('  \n', '\n'), text);
    });
  }

  it('keeps indentation and empty lines as text', () => {
    assert.equal(
      plainMarkdown('a\n\n    b', 100, { newlines: 'keep' }),
      'a  \n&nbsp;  \n&nbsp;&nbsp;&nbsp;&nbsp;b',
    );
  });

  it('is bounded, and shows hidden characters', () => {
    assert.ok(plainMarkdown('x'.repeat(10_000), 50).length <= 50);
    assert.equal(read(plainMarkdown('a\u202Eb\nc', 50)), 'a\\u{202E}b\\nc');
  });
});
