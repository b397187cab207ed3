import assert from 'node:assert/strict';
import path from 'node:path';
import { app, file, only, parse, told } from './configurationCases';

describe('mcp.json', () => {
  it('is read whole, in its order, with comments, trailing commas and a byte order mark', () => {
    const text = `\uFEFF// servers of the team
{
  "inputs": [],
  "servers": {
    "tools": { "type": "stdio", "command": "npx", "args": ["-y", "tools",], "env": { "A": "1", "N": 2, "OFF": null }, "cwd": "sub" },
    /* remote */ "web": { "url": "https://example.com/mcp", "headers": { "X-Key": "k" } },
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
          reach: {
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
          reach: { kind: 'http', url: 'https://example.com/mcp', headers: { 'X-Key': 'k' } },
        },
        {
          id: 'old',
          label: 'old',
          source: file,
          reach: { kind: 'sse', url: 'http://localhost:1/sse', headers: {} },
        },
      ],
    });
  });

  it('may be empty', () => {
    for (const text of ['', '\uFEFF', '  \n', '// nothing yet', '{}', '{"servers":{}}']) {
      assert.deepEqual(parse(text), { servers: [], problems: [], isBroken: false }, text);
    }
  });

  it('that is not JSON gives no servers and the place of the first error', () => {
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
        fatal: true,
      },
    ]);
  });

  it('that is nested without end, or larger than a configuration can be, is refused', () => {
    assert.deepEqual(
      parse('['.repeat(200_000)).problems.map((p) => p.code),
      ['notJson'],
    );
    const large = `{"servers":{}}${' '.repeat(10 * 1024 * 1024)}`;
    assert.deepEqual(told(parse(large).problems), ['tooLarge  !']);
  });

  it('of another shape says where', () => {
    assert.deepEqual(told(parse('[]').problems), ['notAnObject  !']);
    assert.deepEqual(told(parse('{"servers":[]}').problems), ['notAnObject servers !']);
    assert.deepEqual(told(parse('{"servers":{"a":5,"":{}}}').problems), [
      'notAnObject servers/a !',
      'wrongType servers/ !',
    ]);
    assert.deepEqual(told(parse('{"mcpServers":{}}').problems), [
      'unknownKey mcpServers mcpServers',
    ]);
  });

  it('has offsets of the text as an editor counts, without the byte order mark', () => {
    const text = '{"servers":{"a":{"command":"x","args":["-v",7]}}}';
    const [problem] = parse(`\uFEFF${text}`).problems;
    assert.equal(text.slice(problem?.offset).slice(0, problem?.length), '7');
    assert.deepEqual(problem?.path, ['servers', 'a', 'args', 1]);
  });

  it('takes the last of two equal keys, as JSON does, and notes the first', () => {
    const parsed = parse(
      '{"servers":{"a":{"command":"one"},"a":{"command":"two","command":"three"}}}',
    );
    assert.equal(JSON.stringify(only(parsed).reach).includes('"three"'), true);
    assert.deepEqual(told(parsed.problems), [
      'duplicateKey servers/a a',
      'duplicateKey servers/a/command command',
    ]);
  });

  it('has names like any other in __proto__ and constructor', () => {
    const parsed = parse(
      '{"servers":{"__proto__":{"command":"x","env":{"__proto__":"1"}},"constructor":{"command":"y"}}}',
    );
    assert.deepEqual(parsed.problems, []);
    assert.deepEqual(
      parsed.servers.map((server) => server.id),
      ['__proto__', 'constructor'],
    );
    const { reach } = parsed.servers[0] ?? assert.fail();
    assert.deepEqual(reach.kind === 'stdio' && Object.entries(reach.env), [['__proto__', '1']]);
  });
});
