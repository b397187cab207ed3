import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { parseLockFile } from '../../src/host/consent/pins/lockFile';
import { parseJson } from '../../src/core/json/parseJson';
import { parseTool } from '../../src/core/parse/parseTool';
import { toolFingerprint } from '../../src/host/consent/facts/fingerprints';
import { changedText, lockServerChange } from '../../src/host/consent/pins/lockFileEdits';

const hash = (digit: string) => digit.repeat(64);
const [a, b, c] = [hash('a'), hash('b'), hash('c')];

/** The text after the change. */
function written(text: string, server: string, tools: Readonly<Record<string, string>>): string {
  const change = lockServerChange(text, server, new Map(Object.entries(tools)));
  assert.ok(change);
  return text.slice(0, change.offset) + change.text + text.slice(change.offset + change.length);
}

/** What a file says, as plain data. */
function said(text: string): unknown {
  const { servers, problems, isUnreadable } = parseLockFile(text);
  if (isUnreadable) return problems.map(({ code }) => code);
  return [
    ...[...servers].map(([id, { tools }]) => [
      id,
      [...tools].map(([name, { fingerprint }]) => `${name} ${fingerprint?.slice(0, 4) ?? '?'}`),
    ]),
    ...problems.map(({ code, place }) => `${code} at ${text.slice(place.offset).slice(0, 9)}`),
  ];
}

describe('A lock file', () => {
  it('of twenty thousand tools is read, and one with many more values is refused before it is parsed', () => {
    const tools = (count: number) =>
      Array.from({ length: count }, (_, at) => `"t${at}":"sha256:${a}"`).join();
    const file = (entries: string) => `{"version":1,"servers":{"s":{"tools":{${entries}}}}}`;
    const { servers, problems } = parseLockFile(file(tools(20_000)));
    assert.equal(servers.get('s')?.tools.size, 20_000);
    assert.deepEqual(problems, []);
    assert.deepEqual(said(file(tools(30_001))), ['notJson']);
  });

  it('with very many errors reports the first hundred', () => {
    const twins = '"s":0,'.repeat(1_000);
    assert.equal(parseLockFile(`{"version":1,"servers":{${twins}}}`).problems.length, 100);
  });

  it('that is nested a hundred thousand levels deep is unreadable, and is not written to', () => {
    const levels = 100_000;
    const deep = '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
    for (const text of [
      deep,
      '['.repeat(levels),
      '['.repeat(levels) + ']'.repeat(levels),
      `{"version":1,"servers":${deep}}`,
      `{"version":1,"servers":{"s":{"tools":{"t":${deep}}}}}`,
      `{"version":1,"x":${deep},"servers":{}}`,
    ]) {
      assert.deepEqual(said(text), ['notJson']);
      assert.equal(lockServerChange(text, 's', new Map()), undefined);
    }
  });

  it('is written sorted, with a line for each tool and a final line break', () => {
    assert.equal(
      written('', 'files', { write: b, read: a }),
      `{
  "version": 1,
  "servers": {
    "files": {
      "tools": {
        "read": "sha256:${a}",
        "write": "sha256:${b}"
      }
    }
  }
}
`,
    );
  });

  it('gets the changes of one server in place, and the rest is unchanged', () => {
    const before = written('', 'files', { read: a });
    const both = written(before, 'archive', {});
    assert.equal(
      both,
      before.replace('    "files"', '    "archive": {\n      "tools": {}\n    },\n    "files"'),
    );
    assert.equal(written(both, 'files', { read: a }), both);
  });

  it('keeps comments and line breaks', () => {
    const before = `// reviewed on Monday
{
  "version": 1, // the first
  "servers": {
    // ours
    "files": {
      "tools": { // by name
        // harmless
        "read": "sha256:${a}",// Ada
        "write": "sha256:${b}"/* Grace */,// twice
        // the end
      },
    },
  },
}
`;
    const after = `// reviewed on Monday
{
  "version": 1, // the first
  "servers": {
    // ours
    "files": {
      "tools": {
        "format": "sha256:${c}",
        // by name
        // harmless
        "read": "sha256:${a}", // Ada
        "write": "sha256:${c}" /* Grace */ // twice
        // the end
      },
    },
  },
}
`;
    const tools = { read: a, write: c, format: c };
    assert.equal(written(before, 'files', tools), after);
    const crlf = (text: string) => text.replaceAll('\n', '\r\n');
    assert.equal(written(crlf(before), 'files', tools), crlf(after));
  });

  it('is read as it was written, whatever ids and names are', () => {
    const names = fc.array(
      fc.tuple(fc.oneof(fc.string(), fc.constant('__proto__')), fc.constantFrom(a, b, c)),
    );
    const servers = fc.array(fc.tuple(fc.oneof(fc.string(), fc.constant('__proto__')), names), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(servers, (all) => {
        let text = '';
        const expected = new Map<string, Map<string, string>>();
        for (const [id, pairs] of all) {
          const tools = new Map(pairs);
          expected.set(id, tools);
          const change = lockServerChange(text, id, tools);
          assert.ok(change);
          const { offset, length } = change;
          text = text.slice(0, offset) + change.text + text.slice(offset + length);
        }
        const read = parseLockFile(text);
        assert.deepEqual(read.problems, []);
        for (const [id, tools] of expected) {
          const found = [...(read.servers.get(id)?.tools ?? [])];
          assert.deepEqual(
            new Map(found.map(([name, { fingerprint }]) => [name, fingerprint])),
            tools,
          );
        }
        assert.equal(read.servers.size, expected.size);
        assert.ok(text.endsWith('}\n'));
      }),
    );
  });

  it('keeps definitions unchanged, whatever they contain, and others beside them', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const schema = fc.dictionary(fc.string(), json).map((rest) => ({ ...rest, type: 'object' }));
    const raw = fc.record(
      {
        name: fc.string({ minLength: 1, unit: 'binary' }),
        title: fc.string({ unit: 'binary' }),
        description: fc.string({ unit: 'binary' }),
        inputSchema: schema,
        outputSchema: schema,
        annotations: fc.record({ readOnlyHint: fc.boolean() }, { requiredKeys: [] }),
      },
      { requiredKeys: ['name', 'inputSchema'] },
    );
    fc.assert(
      fc.property(raw, fc.string(), (given, id) => {
        const tool = parseTool(given);
        const before = written('', id, { other: a });
        const change = lockServerChange(before, id, new Map([[tool.name, tool]]));
        assert.ok(change);
        const { servers, problems } = parseLockFile(changedText(before, change));
        const locked = servers.get(id)?.tools.get(tool.name);
        assert.deepEqual(problems, []);
        assert.equal(locked?.fingerprint, toolFingerprint(tool));
        const { definition } = locked;
        if (definition !== undefined) assert.equal(definition.fingerprint, locked.fingerprint);
      }),
    );
    const tool = parseTool(
      parseJson('{"name":"t","inputSchema":{"type":"object","default":1.50}}'),
    );
    const text = lockServerChange('', 's', new Map([['t', tool]]))?.text ?? '';
    assert.match(
      text,
      /"t": \{\n {10}"inputSchema": \{\n {12}"type": "object",\n {12}"default": 1\.50\n/,
    );
    assert.equal(
      parseLockFile(text).servers.get('s')?.tools.get('t')?.fingerprint,
      toolFingerprint(tool),
    );
  });

  it('accepts as a definition only an object that a review shows as one', () => {
    const locked = (entry: string) =>
      said(`{"version":1,"servers":{"s":{"tools":{"t":${entry}}}}}`);
    const tool = parseTool({ name: 't', inputSchema: { type: 'object' } });
    assert.deepEqual(locked('{"inputSchema":{"type":"object"}}'), [
      ['s', [`t ${toolFingerprint(tool).slice(0, 4)}`]],
    ]);
    for (const entry of [
      '{"inputSchema":{"type":"object"},"name":"other"}',
      '{"inputSchema":{"type":"object"},"inputSchema":{"type":"object"}}',
    ]) {
      assert.deepEqual(locked(entry), [['s', ['t ?']], 'notAFingerprint at "t":{"inp'], entry);
    }
    assert.deepEqual(
      locked('{/* fine */"inputSchema":{"type":"object"}}'),
      locked('{"inputSchema":{"type":"object"}}'),
    );
  });

  it('is read as strictly as possible', () => {
    const locked = (tools: string) => said(`{"version":1,"servers":{"s":{"tools":{${tools}}}}}`);
    const good = (digest: string) => `"sha256:${digest}"`;
    assert.deepEqual(locked(`"t": ${good(a)}`), [['s', ['t aaaa']]]);
    for (const value of ['null', '"sha256:abc"', `"${a}"`, good(a.toUpperCase()), '[]']) {
      const [server, problem] = Object(locked(`"t": ${value}`));
      assert.deepEqual(server, ['s', ['t ?']]);
      assert.match(problem, /^notAFingerprint at "t": /);
    }
    assert.deepEqual(locked(`"t": ${good(a)}, "t": ${good(b)}`), [
      ['s', ['t ?']],
      'duplicateKey at "t": "sha',
    ]);
    const twins = `{"version":1,"servers":{"s":{"tools":{"t":${good(a)}}},"s":{"tools":{"t":${good(a)}}}}}`;
    assert.deepEqual(said(twins), [['s', []], 'duplicateKey at "s":{"too']);
    assert.deepEqual(said('{"version":1,"servers":{"s":{}}}'), [['s', []], 'wrongForm at {}}}']);
  });

  it('that is invalid is neither read nor overwritten', () => {
    const cases: readonly [string, string][] = [
      ['{', 'notJson'],
      ['[]', 'wrongForm'],
      ['{}', 'wrongForm'],
      ['{"version":2,"servers":{}}', 'otherVersion'],
      ['{"version":"1","servers":{}}', 'wrongForm'],
      ['{"version":1}', 'wrongForm'],
      ['{"version":1,"servers":[]}', 'wrongForm'],
    ];
    for (const [text, code] of cases) {
      assert.deepEqual(said(text), [code], text);
      assert.equal(lockServerChange(text, 's', new Map()), undefined, text);
    }
    assert.deepEqual(said(''), ['notJson']);
  });
});
