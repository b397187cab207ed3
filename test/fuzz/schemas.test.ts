import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { planFields } from '../../src/core/arguments/inputFields';
import { parametersOf } from '../../src/core/arguments/parameters';
import { findHeaderParams, paramHeaders } from '../../src/core/eras/mirroredArguments';
import { isMcpError } from '../../src/core/errors';
import { FilteredDocument, problemOf } from '../../src/filter/jsonFilter';
import { SchemaValidator } from '../../src/core/schema/schema';
import { toSchemaGuide } from '../../src/core/schema/schemaGuide';
import { secretPlaces } from '../../src/core/schema/secretPlaces';
import type { JsonObject, JsonValue } from '../../src/core/json/jsonValue';
import { isJsonObject } from '../../src/core/json/shapes';
import { fuzz } from './fuzzing';
import { mutatedText, mutatedValue } from './mutations';
import { schemas } from './samples';

const odd: readonly JsonObject[] = [
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    definitions: { a: { $ref: '#/definitions/a' } },
    $ref: '#/definitions/a',
  },
  {
    type: 'object',
    properties: { a: { type: 'string', pattern: '^(a|b)+$', format: 'email' } },
    patternProperties: { '^x': { type: 'number' } },
  },
  {
    oneOf: [{ const: 1 }, { enum: [2, 'x'] }],
    unevaluatedProperties: false,
    $defs: { b: { $dynamicAnchor: 'n', items: { $dynamicRef: '#n' } } },
  },
  {
    type: 'object',
    properties: { t: { type: 'string', 'x-mcp-header': 'Tenant', writeOnly: true } },
    required: ['t'],
  },
];
const samples = [...schemas, ...odd];
const values: readonly JsonValue[] = [
  { path: '/a', entities: [{ name: 'a', observations: ['b'] }], a: 'ab', x1: 1, t: 'ä' },
  { query: 'x', limit: 1, nested: { deep: [{ a: null }] } },
  [1, 'two', null],
];
const validator = new SchemaValidator();

function asSchema(value: JsonValue): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** None where a number among them has no exact decimal form. */
function headersOf(...given: Parameters<typeof paramHeaders>): readonly string[] {
  try {
    return Object.values(paramHeaders(...given));
  } catch (error) {
    assert.ok(isMcpError(error, 'invalidArguments'), String(error));
    return [];
  }
}

describe('Any schema', () => {
  const both = fc.tuple(mutatedValue(samples), mutatedValue(values));

  fuzz(
    'validates a value or is reported as unusable, in bounded time',
    1,
    both,
    ([value, args]) => {
      const schema = asSchema(value);
      if (schema === undefined) return;
      const found = validator.validate(schema, args);
      assert.ok(['valid', 'invalid', 'unusable'].includes(found.kind));
      if (found.kind === 'invalid') assert.ok(found.violations.length > 0);
    },
  );

  fuzz(
    'gives completions without markup and without external references',
    5,
    mutatedValue(samples),
    (value) => {
      const schema = asSchema(value);
      const guide = schema && toSchemaGuide(schema);
      if (guide === undefined) return;
      const text = JSON.stringify(guide);
      assert.ok(text.length < 20_000_000);
      for (const [, ref = ''] of text.matchAll(/"\$ref":"([^"]*)"/g)) assert.match(ref, /^#/);
      assert.doesNotMatch(text, /"markdownDescription"/);
    },
  );

  fuzz('becomes fields, or a document', 5, mutatedValue(samples), (value) => {
    const schema = asSchema(value);
    if (schema === undefined) return;
    assert.equal(typeof planFields(schema).kind, 'string');
  });

  fuzz('becomes a short list of parameters', 5, mutatedValue(samples), (value) => {
    const schema = asSchema(value);
    if (schema === undefined) return;
    for (const { name, type } of parametersOf(schema)) {
      assert.equal(typeof name, 'string');
      assert.ok(type.length <= 80);
    }
  });

  fuzz('has plain headers, and its secrets are found', 5, both, ([value, args]) => {
    const found = findHeaderParams(value);
    if (found.kind !== 'violation') {
      for (const text of headersOf(found.params, args)) assert.match(text, /^[\x20-\x7e]*$/);
    }
    secretPlaces(value, args);
  });
});

describe('Any filter', () => {
  const filters = [
    'beds[?plants > `20`].{name: name, row: at.row} | sort_by(@, &name)',
    "join(', ', map(&to_string(@), beds[*].tags[]))",
    '/beds/0/at~1row',
  ];
  const beds = '{"beds":[{"name":"Roses","plants":12,"at/row":1.50,"tags":["red"]},{}]}';
  fuzz('selects JSON, or says what is wrong and where', 1, mutatedText(filters), (filter) => {
    const problem = problemOf(filter);
    if (problem !== undefined && 'at' in problem) assert.ok(problem.at <= filter.length);
    const answer = new FilteredDocument(beds, 1_000).filter(filter, true);
    if (problem !== undefined) assert.deepEqual(answer, problem);
    else if (answer.kind === 'selected') JSON.parse(Buffer.from(answer.bytes ?? []).toString());
    else assert.ok(['nothing', 'time', 'output', 'failed'].includes(answer.kind), answer.kind);
  });
});
