import assert from 'node:assert/strict';
import { planFields } from '../../src/core/arguments/inputFields';
import { noCommonRevisionError, versionsInError } from '../../src/core/eras/statelessMeta';
import { McpError } from '../../src/core/errors';
import { parseElicitation } from '../../src/core/input/elicitation';
import { expandUriTemplate, readUriTemplate } from '../../src/core/resources/uriTemplate';
import { recognize } from '../../src/host/adding/recognize';
import { parseLockFile } from '../../src/host/consent/pins/lockFile';
import { jsonTree } from '../../src/host/configuration/jsonTree';
import { recordFileName, parseRecordBytes } from '../../src/host/storage/recordFile';
/** JSON that JavaScript can make neither a text nor a number of. */
const stubborn = { toString: null, valueOf: null };

describe('A member that has no text form', () => {
  it('makes a question of a server invalid, without an exception', () => {
    const requestedSchema = { type: 'object', properties: {}, required: [stubborn] };
    const read = parseElicitation({ message: 'm', requestedSchema });
    assert.equal(read, 'required names a property that is not there');
  });

  it('requires a document for the arguments of a tool', () => {
    const { kind } = planFields({ type: 'object', properties: {}, required: [stubborn] });
    assert.equal(kind, 'document');
  });

  it('is shown among the revisions of a server', () => {
    const error = new McpError('serverError', { rpcData: { supported: ['x', stubborn] } });
    const named = versionsInError(error) ?? [];
    assert.deepEqual(named, ['x', JSON.stringify(stubborn)]);
    assert.match(noCommonRevisionError(named).message, /./);
  });

  it('makes a stored record invalid', () => {
    const name = recordFileName('k');
    const bytes = Buffer.from(JSON.stringify({ version: stubborn, key: 'k', record: {} }));
    const stamp = { file: name, bytes: bytes.length };
    const read = parseRecordBytes(
      { kind: 'bytes', stamp: Object(stamp), bytes },
      name,
      (value) => value,
    );
    assert.equal(read.kind === 'fault' && read.fault, 'notARecord');
  });

  it('and a name that every object has are no transport', () => {
    const url = 'https://a.example/';
    for (const type of ['constructor', 'valueof', '__proto__']) {
      const [found] = recognize(JSON.stringify({ a: { type, url } }));
      assert.equal(found?.drafts[0]?.entry.type, 'http', type);
    }
  });
});

describe('An unpaired surrogate', () => {
  it('makes a template invalid, without an exception', () => {
    assert.equal(readUriTemplate('a://\ud800{b}').kind, 'broken');
    assert.equal(expandUriTemplate('a://\ud800', {}), `a://${encodeURI('\ufffd')}`);
  });

  it('is not left by shortening a text', () => {
    const b = '\u{10000}\u{10001}';
    assert.equal(expandUriTemplate('a://{+b:3}', { b }), `a://${encodeURI(b)}`);
    assert.equal(expandUriTemplate('a://{b:2}', { b }), `a://${encodeURI(b)}`);
    const first = encodeURI('\u{10000}');
    assert.equal(expandUriTemplate('a://{b:1}{c}', { b, c: 'x' }), `a://${first}x`);
  });
});

describe('An unterminated comment', () => {
  it('is marked at its place, and nothing after the text', () => {
    for (const text of ['/*', '{ "version": 1 } /*', '{ /*']) {
      const { offset = 0, length = 0 } = jsonTree(text).error ?? {};
      assert.ok(offset + length <= text.length, text);
      const [problem] = parseLockFile(text).problems;
      assert.ok(
        problem !== undefined && problem.place.offset + problem.place.length <= text.length,
      );
    }
  });
});
