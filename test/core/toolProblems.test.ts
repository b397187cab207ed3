import assert from 'node:assert/strict';
import { parseTool } from '../../src/core/parse/parseTool';
import { hidesCharacters, toolProblems } from '../../src/core/toolProblems';

const problemsOf = (more: object): string[] => {
  const tool = parseTool({ name: 'a', inputSchema: { type: 'object' }, ...more });
  const problems = toolProblems(tool).map(({ code, detail }) => `${code} ${detail}`);
  assert.equal(hidesCharacters(tool), problems.join().includes('hiddenCharacters'));
  return problems;
};

describe('toolProblems', () => {
  for (const [field, more] of [
    ['name', { name: 'turned\u202Edlrow' }],
    ['title', { title: 'Read\u200Bonly' }],
    ['annotations.title', { annotations: { title: 'Safe\u{E0041}' } }],
    ['description', { description: 'Adds.\n\n\u{E0049}\u{E0067}\u{E006E}' }],
  ] as const) {
    it(`reports hidden characters in the ${field}`, () => {
      assert.deepEqual(
        problemsOf(more).filter((problem) => !problem.startsWith('nameUnusual')),
        [`hiddenCharacters ${field}`],
      );
    });
  }

  it('checks a long text to its end', () => {
    const long = 'x'.repeat(100_000);
    assert.deepEqual(problemsOf({ description: `${long}\u{E0041}` }), [
      'hiddenCharacters description',
    ]);
    assert.deepEqual(problemsOf({ description: long }), []);
  });

  it('treats joiners between letters as hidden text, but not those of spelling and emoji', () => {
    assert.deepEqual(problemsOf({ description: 'a\u200Db\u200Cc' }), [
      'hiddenCharacters description',
    ]);
    const family = '👩\u200D👩\u200D👧\u200D👦';
    for (const description of ['می\u200Cخواهم', 'नमस्ते क्\u200Dष', family, family.repeat(2_000)]) {
      assert.deepEqual(problemsOf({ description }), []);
    }
    assert.deepEqual(problemsOf({ description: `${'é'.repeat(3_999)}😀…` }), []);
  });

  it('keeps the notes of parsing, as the same list if nothing is added', () => {
    const tool = parseTool({ name: 'a b', inputSchema: { type: 'object' } });
    assert.equal(toolProblems(tool), tool.problems);
    assert.deepEqual(problemsOf({ name: 'a\u2066b' }), [
      'nameUnusual a\u2066b',
      'hiddenCharacters name',
    ]);
  });
});
