import assert from 'node:assert/strict';
import { compactJson } from '../../src/core/arguments/argumentsText';
import { comparableText } from '../../src/core/content/comparableResult';
import { toParts } from '../../src/core/content/content';
import { tableRows } from '../../src/core/content/contentFiles';
import { paramHeaders } from '../../src/core/eras/mirroredArguments';
import { boundedJson } from '../../src/core/json/boundedJson';
import { jsonPieces } from '../../src/core/json/jsonPieces';
import { exactJson, jsonTextOf } from '../../src/core/json/layOutJson';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { parseFollowedJson, parseJson } from '../../src/core/json/parseJson';
import { isSameJson } from '../../src/core/json/shapes';
import { exactNumber, numberOf } from '../../src/core/json/writtenNumber';
import { parseToolResult } from '../../src/core/parse/parseResults';
import { SchemaValidator } from '../../src/core/schema/schema';
import { freezeArguments, UnsendableArguments } from '../../src/host/calls/callArguments';
import { fingerprint } from '../../src/host/consent/facts/fingerprints';
import { briefArguments } from '../../src/ui/format/formatArguments';
import { tableText } from '../../src/ui/results/partsOfCall';

const written = ['12345678901234567890', '1.0', '1e2', '-0', '0.10', '1E400', '9007199254740993'];

/** What an answer reads like after it was parsed. */
function again(text: string): string {
  return [...jsonPieces(parseFollowedJson(text))].join('');
}

describe('Numbers of an answer', () => {
  it('are written as received, wherever they are', () => {
    for (const number of written) {
      const texts = [
        `{"content":[],"structuredContent":{"a":[${number},{"b":${number}}],"c":${number}}}`,
        `{"structuredContent":[[[${number}]],"${number}",{"\\u0061\\"":${number},"":[{},${number}]}]}`,
        `{"content":[{"type":"text","text":"\\\\\\"[1.0,","size":${number}}],"_meta":{"x":${number}}}`,
      ];
      for (const text of texts) assert.equal(again(text), text.replace('\\u0061', 'a'));
    }
  });

  it('are written as received if they have too many digits, wherever the point is', () => {
    const digits = '93456789012345673';
    for (const length of [16, 17]) {
      for (let point = 1; point < length; point += 1) {
        const number = `${digits.slice(0, point)}.${digits.slice(point, length)}`;
        const text = `{"content":[],"structuredContent":[${number},{"a":-${number}}]}`;
        assert.equal(again(text), text);
      }
    }
  });

  it('are written as received even at great depth, without more time for many', () => {
    const open = '[1.0,'.repeat(10_000);
    const close = ']'.repeat(10_000);
    const text = `{"content":${open}${'1.0,'.repeat(40_000)}1.0${close}}`;
    assert.ok(text.length < 256 * 1024);
    assert.equal(again(text), text);
  });

  it('are the last ones if a name occurs twice', () => {
    const text =
      '{"content":[],"structuredContent":{"a":1.0,"a":2,"b":{"c":1.0},"b":{"c":1},"d":9007199254740993,"d":9007199254740992}}';
    assert.equal(
      again(text),
      '{"content":[],"structuredContent":{"a":2,"b":{"c":1},"d":9007199254740992}}',
    );
  });

  it('of one answer do not affect another, whatever its names are', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    for (const name of names) {
      parseJson(`{"content":[],"a":{"${name}":{"amount":1.0}},"a":{}}`);
      parseJson(`{"content":[],"a":[{"${name}":{"amount":1.0}}],"a":[]}`);
      assert.equal(jsonTextOf({ a: { amount: 1 } }), '{\n  "a": {\n    "amount": 1\n  }\n}\n');
    }
  });

  it('are written as received in every document of an answer', async () => {
    for (const number of written) {
      const block = `{"type":"resource","resource":{"uri":"a:b","text":"","c":${number}},"d":${number}}`;
      const files = {
        structured: `{"list":[${number}],"member":${number}}`,
        meta: `{"_meta":{"a":${number}},"b":${number},"content[0]":{"d":${number},"resource":{"c":${number}}}}`,
      };
      const text = `{"content":[${block}],"structuredContent":${files.structured},"_meta":{"a":${number}},"b":${number}}`;
      const parts = toParts(parseToolResult(parseJson(text)), { title: 'tool' });
      for (const [kind, expected] of Object.entries(files)) {
        const part = parts.find((each) => each.kind === kind);
        if (part === undefined || part.kind === 'link') throw new Error(`no ${kind}`);
        const shown = Buffer.from(await part.read()).toString();
        assert.equal(shown.replaceAll(/\s/g, ''), expected);
      }
    }
  });

  it('that are the whole structured content are written as received', async () => {
    const result = parseToolResult(parseJson('{"content":[],"structuredContent":1e2}'));
    const [part] = toParts(result, { title: 'tool' });
    if (part === undefined || part.kind === 'link') throw new Error('no part');
    assert.equal(Buffer.from(await part.read()).toString(), '1e2\n');
  });

  it('are compared as text, because JavaScript treats different ones as equal', () => {
    const [one, other] = ['12345678901234567890', '12345678901234567891'].map((number) => {
      const text = `{"content":[{"type":"text","text":"{\\"a\\":[${number}]}"}],"structuredContent":{"b":{"c":${number}}}}`;
      return comparableText(parseToolResult(parseJson(text)));
    });
    assert.match(one ?? '', /"a": \[\s+12345678901234567890\s+\][^]+"c": 12345678901234567890\n/);
    assert.notEqual(one, other);
  });

  it('are parsed as written in every form of an answer and in calls, but in no other message', () => {
    const messages = [
      '{"jsonrpc":"2.0","id":1,"result":{"toolResult":9007199254740993}}',
      '{"jsonrpc":"2.0","id":1,"result":{"status":"completed","result":{"content":[],"x":1.0}}}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":1.0}}}',
      '{"jsonrpc":"2.0","method":"notifications/tasks","params":{"status":"completed","result":{"content":[],"x":1.0}}}',
      '9007199254740993',
    ];
    for (const text of messages) assert.equal(again(text), text);
    const list = '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"minimum":1.0}]}}';
    assert.equal(again(list), list.replace('1.0', '1'));
  });

  it('are plain numbers if they are ids, beside the result of a task, and in other messages of a batch', () => {
    const answer = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"x":1.0}}`;
    const progress = (token: string) =>
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token}}}`;
    assert.equal(again(answer('7.0')), answer('7'));
    assert.equal(again(answer('1e2')), answer('100'));
    assert.equal(
      again(`[${answer('7.0')},${progress('2.0')},1.0]`),
      `[${answer('7')},${progress('2')},1.0]`,
    );
    const told = (number: string) =>
      `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"_meta":{"a":${number}},"result":{"x":1.0},"ttlMs":${number}}}`;
    assert.equal(again(told('5.0')), told('5'));
    const noMessage = '{"id":1.0,"content":[]}';
    assert.equal(again(noMessage), noMessage);
  });

  it('are parsed as written in text of several MiB, too', () => {
    const text = `{"content":[],"structuredContent":[${'{"id":9007199254740993},'.repeat(90_000)}1.0]}`;
    assert.ok(text.length > 2 * 1024 * 1024);
    assert.equal(again(text), text);
  });
});

describe('A number as it was written', () => {
  it('equals others of the same value, and no other', () => {
    const groups = [
      ['1', '1.0', '10e-1', '0.1E1', '1e+0'],
      ['-0', '0', '0.0', '0e5'],
      ['9007199254740993', '9007199254740993.0', '900719925474099.3e1'],
      ['9007199254740992', '9.007199254740992e15'],
      ['1e400', '10e399'],
      ['-1e400'],
      ['1e-400'],
      ['0.1'],
      ['0.1000000000000000055511151231257827'],
    ];
    for (const [index, group] of groups.entries()) {
      for (const one of group) {
        for (const [other, texts] of groups.entries()) {
          for (const text of texts) {
            const said = `${one} and ${text}`;
            assert.equal(isSameJson([numberOf(one)], [numberOf(text)]), index === other, said);
          }
        }
      }
    }
  });

  it('is validated by schemas with its exact value', () => {
    const validator = new SchemaValidator();
    const kindOf = (schema: JsonObject, text: string) =>
      validator.validate({ items: schema }, [numberOf(text)]).kind;
    const valid: readonly (readonly [JsonObject, string])[] = [
      [{ type: 'integer' }, '9007199254740993'],
      [{ type: 'integer' }, '1.0'],
      [{ type: 'integer' }, '1e400'],
      [{ type: 'number', maximum: 1e17 }, '12345678901234567.5'],
      [{ type: 'number' }, '0.00000000000000000001e-400'],
      [{ const: 1 }, '1.0'],
      [{ type: 'integer', multipleOf: 10, maximum: 2 ** 63 }, '9223372036854775800'],
    ];
    for (const [schema, text] of valid) assert.equal(kindOf(schema, text), 'valid', text);
    const invalid: readonly (readonly [JsonObject, string])[] = [
      [{ type: 'integer' }, '12345678901234567.5'],
      [{ type: 'integer' }, '1.00000000000000000001'],
      [{ type: 'integer' }, '-1e-400'],
      [{ type: 'string' }, '9007199254740993'],
      [{ type: 'object' }, '9007199254740993'],
      [{ maximum: 5 }, '1e400'],
      [{ const: 2 }, '1.0'],
    ];
    for (const [schema, text] of invalid) assert.equal(kindOf(schema, text), 'invalid', text);
  });

  it('is a bound in a schema like any other', () => {
    const answer = parseJson(
      '{"jsonrpc":"2.0","id":1,"result":{"content":[],"tools":[{"name":"t","inputSchema":' +
        '{"type":"object","properties":{"a":{"minimum":1.0,"maximum":1e1,"enum":[1.0,2.50,20]}}}}]}}',
    );
    const { inputSchema } = Object(answer).result.tools[0];
    const validator = new SchemaValidator();
    const kindOf = (a: unknown) => validator.validate(inputSchema, { a }).kind;
    assert.deepEqual(
      [1, 2.5, numberOf('2.50'), 0, 20].map((a) => kindOf(a)),
      ['valid', 'valid', 'valid', 'invalid', 'invalid'],
    );
  });

  it('is kept in frozen arguments, also from other extensions, and makes a different call', () => {
    const given = {
      a: numberOf('9007199254740993'),
      b: [9007199254740993n, exactNumber('-1e400')],
    };
    const { value, json } = freezeArguments(given);
    assert.equal(json, '{"a":9007199254740993,"b":[9007199254740993,-1e400]}');
    assert.equal(exactJson(value), json);
    const near = { ...given, a: 9007199254740992 };
    assert.notEqual(fingerprint(value), fingerprint(freezeArguments(near).value));
    assert.throws(() => exactNumber('1,5'), TypeError);
    const odd = { [Symbol.for('ExactNumber of Toolgate')]: true, text: '1,"x":2' };
    assert.throws(() => freezeArguments({ a: Object.create(odd) }), UnsendableArguments);
  });

  it('is refused as a header if it exceeds the range of headers', () => {
    const params = [{ path: ['id'], name: 'id' }];
    const headersOf = (text: string) => paramHeaders(params, { id: numberOf(text) });
    assert.deepEqual(headersOf('7.0'), { 'Mcp-Param-id': '7' });
    for (const text of ['9007199254740993', '7.5', '1e400']) {
      assert.throws(() => headersOf(text), { code: 'invalidArguments' });
    }
  });

  it('is shown in a table, an error and the question before a call', async () => {
    const value = { rows: [{ id: numberOf('9007199254740993'), price: numberOf('1.10') }] };
    const table = tableRows(value);
    assert.ok(table);
    assert.match(await tableText(table), /9007199254740993 +1\.10/);
    assert.equal(boundedJson(value, 100), exactJson(value));
    assert.match(compactJson(exactJson(value) ?? ''), /"id": 9007199254740993, "price": 1\.10/);
    assert.equal(briefArguments(value, 100), 'rows: [{id: 9007199254740993, price: 1.10}]');
  });
});
