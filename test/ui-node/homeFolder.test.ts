import assert from 'node:assert/strict';
import { hideHomeFolder } from '../../src/ui/diagnosis/homeFolder';

describe('The home folder in a report', () => {
  for (const [home, isWindows, text, shown] of [
    ['C:\\Users\\Ann', true, 'C:\\Users\\Ann\\p', '~\\p'],
    ['C:\\Users\\Ann', true, 'c:\\users\\ann', '~'],
    ['C:\\Users\\Ann', true, '"C:\\\\Users\\\\Ann\\\\p"', '"~\\\\p"'],
    ['C:\\Users\\Ann', true, 'in C:/Users/Ann/p.', 'in ~/p.'],
    ['C:\\Users\\Ann', true, 'file:///c%3A/Users/Ann/p', 'file:///~/p'],
    ['C:\\Users\\Ann', true, 'c%3a%5cUsers%5cAnn%5cp', '~%5cp'],
    ['C:\\Users\\Jörg B', true, 'file:///c%3A/Users/J%C3%B6rg%20B/p', 'file:///~/p'],
    ['/home/ann', false, '/home/ann: none in /home/ann.', '~: none in ~.'],
    ['/home/ann', false, 'file:///home/ann/p', 'file://~/p'],
    ['/home/a.n(n', false, '/home/a.n(n/p /home/aXn(n/p', '~/p /home/aXn(n/p'],
  ] as const) {
    it(`is replaced: ${text}`, () => assert.equal(hideHomeFolder(text, home, isWindows), shown));
  }

  for (const [home, isWindows, text] of [
    ['C:\\Users\\Ann', true, 'C:\\Users\\Anna'],
    ['C:\\Users\\Ann', true, 'C:\\Users\\Ann-Marie\\p'],
    ['/home/ann', false, '/home/ann.smith /home/annä /home/ANN'],
    ['C:\\', true, 'C:\\p'],
    ['/', false, '/p'],
  ] as const) {
    it(`stays if it is another folder or a root: ${text}`, () =>
      assert.equal(hideHomeFolder(text, home, isWindows), text));
  }
});
