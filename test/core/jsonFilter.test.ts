import assert from 'node:assert/strict';
import { FilteredDocument, problemOf } from '../../src/filter/jsonFilter';

const garden = {
  beds: [
    { name: 'Roses', plants: 12, at: { row: 1 }, tags: ['red'] },
    { name: 'Beans', plants: 40, at: { row: 2 }, tags: [] },
  ],
  'a/b': { 'c~d': 7 },
  none: null,
};

function select(json: unknown, expression: string): unknown {
  const text = typeof json === 'string' ? json : JSON.stringify(json);
  const answer = new FilteredDocument(text, 60_000).filter(expression, true);
  assert.equal(answer.kind, 'selected', JSON.stringify(answer));
  return answer.kind === 'selected' ? Buffer.from(answer.bytes ?? []).toString() : '';
}
const selected = (json: unknown, expression: string) =>
  JSON.parse(String(select(json, expression)));

describe('Filters of JSON', () => {
  it('are JSON pointers or JMESPath expressions', () => {
    assert.equal(selected(garden, '/beds/1/name'), 'Beans');
    assert.equal(selected(garden, '/a~1b/c~0d'), 7);
    assert.deepEqual(selected(garden, 'beds[?plants > `20`].name'), ['Beans']);
    assert.deepEqual(selected(garden, 'beds[].{name: name, row: at.row}'), [
      { name: 'Roses', row: 1 },
      { name: 'Beans', row: 2 },
    ]);
    assert.deepEqual(selected(garden, 'sort_by(beds, &name)[*].name'), ['Beans', 'Roses']);
  });

  it('say what they select before it opens', () => {
    const document = new FilteredDocument(JSON.stringify(garden), 60_000);
    const summaryOf = (expression: string) => {
      const answer = document.filter(expression, false);
      return answer.kind === 'selected' ? answer.summary : answer.kind;
    };
    assert.deepEqual(summaryOf('beds'), { kind: 'list', count: 2 });
    assert.deepEqual(summaryOf('/beds/0'), { kind: 'object', count: 4 });
    assert.deepEqual(summaryOf('beds[0].name'), { kind: 'text', count: 5 });
    assert.deepEqual(summaryOf('length(beds)'), { kind: 'value', json: '2' });
    for (const nothing of ['/none', '/beds/7', 'bed', 'none'])
      assert.equal(summaryOf(nothing), 'nothing');
  });

  it('name the place of a mistake', () => {
    const placeOf = (expression: string) => {
      const found = problemOf(expression);
      return found !== undefined && 'at' in found ? found.at : found?.kind;
    };
    assert.equal(placeOf('beds[?plants > `20`].name'), undefined);
    assert.equal(placeOf('beds[?plants > `20`]]'), 20);
    assert.equal(placeOf('beds..name'), 5);
    assert.equal(placeOf('beds[0] name'), 8);
    assert.equal(placeOf('beds[ ~ ]'), 6);
    assert.equal(placeOf('beds[?plants > `2o`]'), 15);
    assert.equal(placeOf('sort_bye(beds, &name)'), 0);
    assert.equal(placeOf('beds | constructor(@)'), 7);
    for (const open of [
      'beds.',
      'beds[',
      'beds[?',
      'beds[?plants >',
      'sort_by(beds, &',
      'beds[].{name:',
      'beds | "open',
      "beds[?name == 'x",
    ]) {
      assert.equal(placeOf(open), 'incomplete', open);
    }
    assert.equal(placeOf('/a~2'), 'notPointer');
    assert.equal(placeOf('a'.repeat(1_001)), 'tooLong');
    assert.deepEqual(problemOf('beds[0] name'), { kind: 'syntax', at: 8, token: 'name' });
  });

  it('keep numbers as they were written, and compare them', () => {
    const json = '{"rows":[{"id":9007199254740993,"price":1.50},{"id":2,"price":20.0}]}';
    assert.match(String(select(json, '/rows/0')), /"id": 9007199254740993,\s+"price": 1\.50/);
    assert.match(String(select(json, 'rows[?price < `2`].id')), /9007199254740993/);
  });

  it('find only members of the document', () => {
    for (const name of [
      'constructor',
      'toString',
      '__proto__',
      'constructor.name',
      'beds[?toString]',
    ]) {
      const answer = new FilteredDocument(JSON.stringify(garden), 60_000).filter(name, true);
      const isNothing =
        answer.kind === 'nothing' || (answer.kind === 'selected' && answer.bytes?.length === 3);
      assert.ok(isNothing, `${name}: ${JSON.stringify(answer)}`);
    }
    assert.deepEqual(selected('{"__proto__":{"a":1}}', '"__proto__".a'), 1);
  });

  it('fail in words where they do not fit the document', () => {
    const failed = new FilteredDocument(JSON.stringify(garden), 60_000).filter('sum(beds)', true);
    assert.equal(failed.kind, 'failed');
    assert.match(failed.kind === 'failed' ? failed.detail : '', /sum\(\)/);
    assert.equal(new FilteredDocument('{', 60_000).filter('a', true).kind, 'notJson');
  });
});
