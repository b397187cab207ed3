import assert from 'node:assert/strict';
import { isMcpError } from '../../src/core/errors';
import { findHeaderParams, paramHeaders } from '../../src/core/eras/mirroredArguments';
import { encodeHeaderValue } from '../../src/core/eras/statelessMeta';

describe('encodeHeaderValue', () => {
  const cases: readonly [string, string][] = [
    ['add_numbers', 'add_numbers'],
    ['', ''],
    ['two words', 'two words'],
    [' leading', '=?base64?IGxlYWRpbmc=?='],
    ['trailing\t', '=?base64?dHJhaWxpbmcJ?='],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    ['line\r\nbreak', '=?base64?bGluZQ0KYnJlYWs=?='],
    ['=?base64?eA==?=', '=?base64?PT9iYXNlNjQ/ZUE9PT89?='],
  ];
  for (const [text, header] of cases) {
    it(`sends ${JSON.stringify(text)} as ${JSON.stringify(header)}`, () => {
      assert.equal(encodeHeaderValue(text), header);
    });
  }
});

const annotated = (property: object) => ({ type: 'object', properties: { a: property } });

/** `schema` as that of a property in a property, and so on. */
function nested(levels: number, schema: object): object {
  let outer = schema;
  for (let level = 0; level < levels; level += 1) outer = { properties: { a: outer } };
  return outer;
}

describe('findHeaderParams', () => {
  it('finds annotations along nested properties', () => {
    const schema = {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        deep: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
        query: { type: 'string', default: { 'x-mcp-header': 'data, no annotation' } },
      },
    };
    assert.deepEqual(findHeaderParams(schema), {
      kind: 'params',
      params: [
        { path: ['region'], name: 'Region' },
        { path: ['deep', 'n'], name: 'N' },
      ],
    });
  });

  it('knows names of members, definitions and patterns from keywords', () => {
    const plain = { type: 'string' };
    const schema = {
      type: 'object',
      properties: {
        'x-mcp-header': { type: 'string', 'x-mcp-header': 'Own' },
        default: { type: 'integer', 'x-mcp-header': 'Default' },
      },
      $defs: { 'x-mcp-header': plain },
      patternProperties: { 'x-mcp-header': plain },
      dependentSchemas: { 'x-mcp-header': { required: ['default'] } },
      dependentRequired: { 'x-mcp-header': ['default'] },
      dependencies: { 'x-mcp-header': ['default'] },
    };
    assert.deepEqual(findHeaderParams(schema), {
      kind: 'params',
      params: [
        { path: ['x-mcp-header'], name: 'Own' },
        { path: ['default'], name: 'Default' },
      ],
    });
  });

  const violations: Record<string, object> = {
    'an empty name': annotated({ type: 'string', 'x-mcp-header': '' }),
    'a name that is an object': annotated({ type: 'string', 'x-mcp-header': {} }),
    'a name with a space': annotated({ type: 'string', 'x-mcp-header': 'My Region' }),
    'a name with a colon': annotated({ type: 'string', 'x-mcp-header': 'a:b' }),
    'a name that is not ASCII': annotated({ type: 'string', 'x-mcp-header': 'Région' }),
    'a name with a control character': annotated({ type: 'string', 'x-mcp-header': 'a\u0007' }),
    'a number property': annotated({ type: 'number', 'x-mcp-header': 'A' }),
    'an untyped property': annotated({ 'x-mcp-header': 'A' }),
    'a union of types': annotated({ type: ['string', 'null'], 'x-mcp-header': 'A' }),
    'an annotation on the root': { type: 'object', 'x-mcp-header': 'A' },
    'an annotation under items': annotated({
      type: 'array',
      items: { type: 'string', 'x-mcp-header': 'A' },
    }),
    'an annotation under anyOf': { anyOf: [annotated({ type: 'string', 'x-mcp-header': 'A' })] },
    'an annotation under $defs': { $defs: { d: { type: 'string', 'x-mcp-header': 'A' } } },
    'one in a definition that is named like a keyword': {
      $defs: { default: { type: 'string', 'x-mcp-header': 'A' } },
    },
    'one in a pattern that is named like a keyword': {
      patternProperties: { properties: { type: 'string', 'x-mcp-header': 'A' } },
    },
    'an annotation far down, beside properties': nested(100, {
      items: { type: 'string', 'x-mcp-header': 'A' },
    }),
    'what is too deep to be looked at': nested(100_000, {}),
    'one name twice, whatever its case': {
      properties: {
        a: { type: 'string', 'x-mcp-header': 'Region' },
        b: { type: 'string', 'x-mcp-header': 'REGION' },
      },
    },
  };
  for (const [title, schema] of Object.entries(violations)) {
    it(`refuses ${title}`, () => {
      assert.equal(findHeaderParams(schema).kind, 'violation');
    });
  }
});

describe('paramHeaders', () => {
  const params = ['s', 'i', 'b', 'gone', 'nothing', 'empty', 'Method'].map((name) => ({
    path: [name],
    name,
  }));

  it('mirrors values as text and omits missing and null values', () => {
    const args = { s: 'x', i: -7, b: false, nothing: null, empty: '', Method: 'm' };
    assert.deepEqual(paramHeaders(params, args), {
      'Mcp-Param-s': 'x',
      'Mcp-Param-i': '-7',
      'Mcp-Param-b': 'false',
      'Mcp-Param-empty': '',
      'Mcp-Param-Method': 'm',
    });
  });

  it('never reads inherited properties', () => {
    assert.deepEqual(paramHeaders([{ path: ['constructor', 'name'], name: 'C' }], {}), {});
  });

  it('refuses an integer that has no exact decimal form', () => {
    assert.throws(
      () => paramHeaders([{ path: ['i'], name: 'I' }], { i: 2 ** 60 }),
      (error) => isMcpError(error, 'invalidArguments'),
    );
  });
});
