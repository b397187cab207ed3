import assert from 'node:assert/strict';
import { fileBelow, relativeLinksIn, uriBeside } from '../../src/core/content/textLinks';

describe('Relative links of Markdown', () => {
  const targets = (line: string) => relativeLinksIn(line).map(({ uri }) => uri);

  it('are found with their places', () => {
    const line = 'See [a](./pages/a.md) and ![b](b.png "B"), <[c](<c%20d.txt>)>.';
    const found = relativeLinksIn(line);
    const uris = found.map(({ uri }) => uri);
    assert.deepEqual(uris, ['./pages/a.md', 'b.png', 'c%20d.txt']);
    for (const { start, end, uri } of found) assert.equal(line.slice(start, end), uri);
  });

  it('have no scheme, host or absolute path', () => {
    const others = [
      'https://a.b/c',
      'command:x',
      'vscode://a',
      'java%73cript:alert(1)',
      'javascript:x',
      'x:y',
      '//host/share',
      '/etc/passwd',
      '\\\\host\\share',
      '#part',
      '?query',
      'a\u202Eb.md',
    ];
    for (const other of others) assert.deepEqual(targets(`[a](${other})`), [], other);
  });

  it('resolve to a file inside the folder of the server, or to nothing', () => {
    const below = (link: string) => fileBelow('/home/me/site', link);
    assert.equal(below('./a/b.md'), 'file:///home/me/site/a/b.md');
    assert.equal(below('a/../c.md#part'), 'file:///home/me/site/c.md');
    assert.equal(below('c%20d.txt'), 'file:///home/me/site/c%20d.txt');
    const outside = [
      '../other/x',
      '..',
      '.',
      'a/../../b',
      '%2e%2e/x',
      'a/%2e%2e/%2e%2e/b',
      '..%2f..%2fetc/passwd',
      'a?b',
      'a%00b',
      '//host/x',
      'file:///etc/passwd',
      '/etc/passwd',
    ];
    for (const link of outside) assert.equal(below(link), undefined, link);
  });

  it('resolve to a resource of the same server beside the one that contains them', () => {
    assert.equal(uriBeside('docs://shelf/a/b.md', '../c.md'), 'docs://shelf/c.md');
    assert.equal(uriBeside('https://a.b/c/d.md?x', 'e.md'), 'https://a.b/c/e.md');
    assert.equal(uriBeside('https://a.b/c', '//evil.example/c'), undefined);
    assert.equal(uriBeside('urn:note:1', 'b'), undefined);
    assert.equal(uriBeside('no uri', 'b'), undefined);
  });

  it('are found quickly in a long line of nothing else', () => {
    assert.equal(relativeLinksIn('](a '.repeat(100_000)).length, 100_000);
    assert.deepEqual(relativeLinksIn(`](${'a'.repeat(500_000)}`), []);
  });
});
