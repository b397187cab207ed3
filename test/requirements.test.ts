import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// The numbers of requirements, held to the page where they can be looked up.
const root = path.resolve(__dirname, '..');
const page = 'docs/design/conformance.md';

const files = ['src', 'test', 'docs']
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      path.join(folder, name),
    ),
  )
  .filter((name) => /\.(ts|js|mjs|md)$/.test(name) && name !== path.normalize(page));
files.push(...readdirSync(root).filter((name) => name.endsWith('.md')));

/** The numbers that a text cites; `R-083 to R-085` are three. */
function citedNumbers(text: string): string[] {
  const ranges = [...text.matchAll(/\bR-(\d{3})\s+(?:\*\s+|\/\/\s+)?to\s+R-(\d{3})\b/g)];
  const inside = ranges.flatMap(([, from, to]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => Number(from) + at),
  );
  const single = [...text.matchAll(/\bR-(\d{3})\b/g)].map(([, number]) => Number(number));
  return [...single, ...inside].map((number) => `R-${String(number).padStart(3, '0')}`);
}

describe('The page of requirements', () => {
  const [before = '', list = ''] = readFileSync(path.join(root, page), 'utf8').split(
    '\n## By number\n',
  );
  const entries = [...list.matchAll(/^- \*\*(R-\d{3})\*\* \(.+?\): (.*)$/gm)];
  const told = entries.map(([, number = '']) => number);

  it('has exactly the numbers that code, tests and documents cite, in order', () => {
    const texts = files.map((file) => readFileSync(path.join(root, file), 'utf8'));
    texts.push(before);
    const cited = new Set(texts.flatMap(citedNumbers));
    assert.ok(cited.size > 200, `only ${cited.size} numbers were found`);
    assert.deepEqual(told, [...cited].toSorted());
  });

  it('says what each requires', () => {
    assert.deepEqual(
      entries.filter(([, , demand = '']) => demand.length < 20),
      [],
    );
    const lines = list.split('\n').filter((line) => line.startsWith('- '));
    assert.equal(lines.length, entries.length);
  });

  it('would have a range recognized', () => {
    assert.deepEqual(citedNumbers('(R-083 to R-085)'), [
      'R-083',
      'R-085',
      'R-083',
      'R-084',
      'R-085',
    ]);
  });
});
