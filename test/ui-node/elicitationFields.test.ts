import assert from 'node:assert/strict';
import type { Draft } from '../../src/core/arguments/fieldDrafts';
import { parseElicitation } from '../../src/core/input/elicitation';
import { exactJson } from '../../src/core/json/layOutJson';
import { SchemaValidator } from '../../src/core/schema/schema';
import {
  jsonNames,
  toContent,
  toFormFields,
  AnswerChecks,
  contentProblem,
} from '../../src/ui/elicitation/formFields';
import { assertEach } from '../assertions';

const properties = {
  id: { type: 'integer' },
  note: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
  tags: { type: 'array', items: { type: 'string' } },
  where: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
};
const requestedSchema = { type: 'object', properties, required: ['id', 'tags', 'where'] };

describe('A form of a server', () => {
  const request = parseElicitation({ message: 'm', requestedSchema });
  assert.ok(typeof request !== 'string' && request.mode === 'form');
  const validator = new SchemaValidator();
  const fields = toFormFields(request);

  it('has an empty choice for null, lines for lists of texts, and JSON for other values', () => {
    assertEach(fields, ({ name, kind }) => `${name} ${kind}`, [
      'id integer',
      'note string',
      'tags list',
      'where string',
    ]);
    assert.match(fields[3]?.prompt ?? '', /As JSON, matching the schema \{"type":"object"/);
    assert.deepEqual([...jsonNames(request)], ['where']);
  });

  it('sends exactly what was entered: every digit, nothing for omitted fields, JSON as its value', () => {
    const drafts = new Map<string, Draft>([
      ['id', '9007199254740993'],
      ['note', ''],
      ['tags', { values: ['a', 'b'] }],
      ['where', '{"x": 1.5}'],
    ]);
    const content = toContent(fields, drafts, jsonNames(request));
    const sent = '{"id":9007199254740993,"tags":["a","b"],"where":{"x":1.5}}';
    assert.equal(exactJson(content), sent);
    assert.equal(contentProblem(request, content, validator), undefined);
  });

  it('shows errors of JSON while it is typed', () => {
    const field = fields[3];
    assert.ok(field?.kind === 'string');
    const checks = new AnswerChecks(request, validator);
    const problemOf = (text: string) => checks.problemOf(field, text);
    assert.equal(problemOf('{"x": 1}'), undefined);
    assert.equal(problemOf('{"x": '), 'This is not valid JSON.');
    assert.match(problemOf('{}') ?? '', /must have/);
  });
});
