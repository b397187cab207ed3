import assert from 'node:assert/strict';
import path from 'node:path';
import { app, file, only, parse, told } from './configurationCases';
import { assertEach } from '../assertions';

describe('mcp.json', () => {
  it('is read completely, in order, with comments, trailing commas and a byte order mark', () => {
    const text = `\uFEFF// servers of the team
{
  "inputs": [],
  "servers": {
    "tools": { "type": "stdio", "command": "npx", "args": ["-y", "tools",], "env": { "A": "1", "N": 2, "OFF": null }, "cwd": "sub" },
    /* remote */ "web": { "url": "https://example.com/mcp", "headers": { "X-Mode": "k" } },
    "old": { "type": "sse", "url": "http://localhost:1/sse" },
  },
}`;
    assert.deepEqual(parse(text), {
      isBroken: false,
      problems: [],
      servers: [
        {
          id: 'tools',
          label: 'tools',
          source: file,
          transport: {
            kind: 'stdio',
            command: 'npx',
            args: ['-y', 'tools'],
            env: { A: '1', N: '2', OFF: null },
            cwd: path.join(app.path, 'sub'),
          },
        },
        {
          id: 'web',
          label: 'web',
          source: file,
          transport: { kind: 'http', url: 'https://example.com/mcp', headers: { 'X-Mode': 'k' } },
        },
        {
          id: 'old',
          label: 'old',
          source: file,
          transport: { kind: 'sse', url: 'http://localhost:1/sse', headers: {} },
        },
      ],
    });
  });

  it('may be empty', () => {
    for (const text of ['', '\uFEFF', '  \n', '// nothing yet', '{}', '{"servers":{}}']) {
      assert.deepEqual(parse(text), { servers: [], problems: [], isBroken: false }, text);
    }
  });

  it('with invalid JSON returns no servers and the place of the first error', () => {
    const { servers, problems, isBroken } = parse('{"servers":{"a":{"command":"rm');
    assert.deepEqual([servers, isBroken], [[], true]);
    assert.deepEqual(problems, [
      {
        code: 'notJson',
        source: file,
        path: [],
        offset: 27,
        length: 3,
        detail: 'UnexpectedEndOfString',
        line: 1,
        fatal: true,
      },
    ]);
  });

  it('that is nested without end, or too large, is refused', () => {
    assertEach(parse('['.repeat(200_000)).problems, (p) => p.code, ['notJson']);
    const large = `{"servers":{}}${' '.repeat(10 * 1024 * 1024)}`;
    assert.deepEqual(told(parse(large).problems), ['tooLarge  !']);
  });

  it('that is nested too deeply for its readers is refused', () => {
    const deep = '['.repeat(4_500) + ']'.repeat(4_500);
    for (const text of [
      `{"inputs":[{"id":"a","type":"command","command":"x","args":${deep}}]}`,
      `{"servers":{"a":{"command":"x","odd":${deep}}}}`,
    ]) {
      assert.deepEqual(told(parse(text).problems), ['notJson  NestedTooDeep !']);
    }
  });

  it('with very many errors reports the first, and each server that cannot start', () => {
    const odd = '"odd":1,'.repeat(20_000);
    const { servers, problems } = parse(
      `{"servers":{"a":{${odd}"command":"x"},"b":{"args":[1,2]},"c":{"command":5}}}`,
    );
    assert.equal(servers.length, 3);
    assert.deepEqual(told(problems.slice(499)), [
      'duplicateKey servers/a/odd odd',
      'missingCommand servers/b !',
      'wrongType servers/c/command string !',
    ]);
  });

  it('with too many servers is refused', () => {
    const entries = (count: number): string =>
      Array.from({ length: count }, (_, index) => `"s${index}":{"command":"x"}`).join();
    assert.equal(parse(`{"servers":{${entries(2_000)}}}`).servers.length, 2_000);
    const { servers, problems } = parse(`{"servers":{${entries(2_001)}}}`);
    assert.deepEqual([servers, told(problems)], [[], ['tooLarge servers !']]);
  });

  it('with another structure says where', () => {
    assert.deepEqual(told(parse('[]').problems), ['notAnObject  !']);
    assert.deepEqual(told(parse('{"servers":[]}').problems), ['notAnObject servers !']);
    assert.deepEqual(told(parse('{"servers":{"a":5,"":{}}}').problems), [
      'notAnObject servers/a !',
      'wrongType servers/ !',
    ]);
    assert.deepEqual(told(parse('{"mcpServers":{}}').problems), ['foreignKey mcpServers servers']);
  });

  it('has offsets of the text as an editor counts, without the byte order mark', () => {
    const text = '{"servers":{"a":{"command":"x","args":["-v",7]}}}';
    const [problem] = parse(`\uFEFF${text}`).problems;
    assert.equal(text.slice(problem?.offset).slice(0, problem?.length), '7');
    assert.deepEqual(problem?.path, ['servers', 'a', 'args', 1]);
  });

  it('uses the last of two equal keys, as JSON does, and marks the first', () => {
    const parsed = parse(
      '{"servers":{"a":{"command":"one"},"a":{"command":"two","command":"three"}}}',
    );
    assert.equal(JSON.stringify(only(parsed).transport).includes('"three"'), true);
    assert.deepEqual(told(parsed.problems), [
      'duplicateKey servers/a a',
      'duplicateKey servers/a/command command',
    ]);
  });

  it('treats __proto__ and constructor like other names', () => {
    const parsed = parse(
      '{"servers":{"__proto__":{"command":"x","env":{"__proto__":"1"}},"constructor":{"command":"y"}}}',
    );
    assert.deepEqual(parsed.problems, []);
    assertEach(parsed.servers, (server) => server.id, ['__proto__', 'constructor']);
    const { transport } = parsed.servers[0] ?? assert.fail();
    assert.deepEqual(transport.kind === 'stdio' && Object.entries(transport.env), [
      ['__proto__', '1'],
    ]);
  });
});
