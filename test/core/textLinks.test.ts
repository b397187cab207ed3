import assert from 'node:assert/strict';
import { markdownFolds, textLinksIn } from '../../src/core/content/textLinks';

describe('The links of a line', () => {
  const uris = (line: string) => textLinksIn(line).map(({ uri }) => uri);

  it('are URLs of the web and of files, up to their visible end', () => {
    assert.deepEqual(uris('see https://a.b/c(d)?e=f#g, (http://x.y/), "FILE:///etc/hosts".'), [
      'https://a.b/c(d)?e=f#g',
      'http://x.y/',
      'FILE:///etc/hosts',
    ]);
    assert.deepEqual(uris('command:x vscode://a javascript:b data:c'), []);
  });

  it('begin wherever an editor would begin one, also within another', () => {
    const line = 'xfile:///a"file:///bhttps://c';
    const starts = [...line.matchAll(/file:|https:/g)].map(({ index }) => index);
    assert.deepEqual(
      textLinksIn(line).map(({ start }) => start),
      starts,
    );
  });

  it('are found quickly in a line of nothing else', () => {
    assert.equal(textLinksIn('file://)'.repeat(100_000)).length, 100_000);
    for (const end of [')', '.', ')(', '.)']) {
      assert.equal(textLinksIn(`file://${end.repeat(2_000)} `.repeat(2_000)).length, 2_000);
    }
  });
});

describe('The folds of Markdown', () => {
  it('are sections and fences', () => {
    const lines = ['# A', 'a', '## B', '```', '# no', '```', '', '# C', 'c'];
    assert.deepEqual(
      markdownFolds(lines).map(({ start, end }) => [start, end]),
      [
        [3, 5],
        [2, 5],
        [0, 5],
        [7, 8],
      ],
    );
  });
});
