import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();

/** Notes what it is sent, and answers with numbers that JavaScript cannot hold, as they stand here. */
const server = `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const schema = { type: 'object', properties: { id: { type: 'integer' } } };
const tools = ['give', 'take'].map((name) => ({ name, inputSchema: schema, outputSchema: { type: 'object', properties: { id: { type: 'integer' } } } }));
const results = {
  initialize: JSON.stringify({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': JSON.stringify({ tools }),
  give: '{"content":[],"structuredContent":{"id":9007199254740993,"big":725653563933458433,"price":1.10,"far":1e400}}',
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'tools/call') appendFileSync('calls.txt', line + '\\n');
  const given = /"arguments":(\\{[^}]*\\})/.exec(line)?.[1] ?? '{}';
  const taken = '{"content":[],"structuredContent":' + given + '}';
  const result = params?.name === 'take' ? taken : results[params?.name ?? method];
  const outcome = result === undefined ? '"error":{"code":-32601,"message":""}' : '"result":' + result;
  process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',' + outcome + '}\\n');
});
`;

const calls = `{
  "calls": {
    "one": {
      "server": "s", "tool": "give",
      "expect": {
        "values": { "/structuredContent/id": 9007199254740993, "/structuredContent/price": 1.1 },
        "contains": { "/structuredContent": { "big": 725653563933458433 } },
        "matches": { "/structuredContent/big": "^725653563933458433$" },
        "answer": { "content": [], "isError": false, "structuredContent": { "big": 725653563933458433, "far": 1e400, "id": 9007199254740993, "price": 1.10 } }
      }
    },
    "two": {
      "server": "s", "tool": "take",
      "arguments": {
        "id": "\${calls.one.structuredContent./id}",
        "text": "id-\${calls.one.structuredContent./big}",
        "own": [9007199254740995, -12345678901234567890, 1e400, 0.12345678901234567890, 1.0],
        "named": "\${var:id}"
      },
      "expect": { "values": { "/structuredContent/id": 9007199254740993 } }
    },
    "other": {
      "server": "s", "tool": "give",
      "expect": { "values": { "/structuredContent/id": 9007199254740992 } }
    }
  }
}`;
const files = {
  'server.mjs': server,
  '.mcp.json': { mcpServers: { s: { command: process.execPath, args: ['server.mjs'] } } },
  'a.mcpcall': calls,
  'values.json': '{ "test": { "id": 9223372036854775807 } }',
};

/** What the server was sent as arguments, one text for each call. */
function sent(folder: string): readonly string[] {
  const lines = readFileSync(path.join(folder, 'calls.txt'), 'utf8').trim().split('\n');
  return lines.map((line) => /"arguments":(\{[^}]*\})/.exec(line)?.[1] ?? '');
}

const taken =
  '{"id":9007199254740993,"text":"id-725653563933458433","own":[9007199254740995,-12345678901234567890,1e400,0.12345678901234567890,1.0],"named":9223372036854775807}';

describe('Numbers beyond the range of JavaScript', () => {
  it('keep every digit from an answer into expectations, the next call, a recording and its replay', async () => {
    const folder = workspace(files);
    const options = ['--max-risk', 'destructive', '--pass-answers', '--environments'];
    const run = async (...parameters: readonly string[]) => {
      const all = [...options, 'values.json', '--env', 'test', '--reporter', 'json', ...parameters];
      const { stdout } = await runCommand(folder, ['test', ...all]);
      const report: { calls: { name: string; status: string; reasons: object[] }[] } =
        JSON.parse(stdout);
      return report.calls.map(({ name, status, reasons }) => ({ name, status, reasons }));
    };
    const first = await run('--record', 'run.mcprecord');
    const statuses = first.map(({ name, status }) => `${name} ${status}`);
    assert.deepEqual(statuses, ['one passed', 'two passed', 'other failed']);
    assert.match(JSON.stringify(first[2]?.reasons), /9007199254740992.*9007199254740993/);
    assert.deepEqual(sent(folder), ['', taken, '']);
    const recorded = readFileSync(path.join(folder, 'run.mcprecord'), 'utf8');
    assert.ok(recorded.includes(`"arguments":${taken}`));
    assert.ok(recorded.includes('"big":725653563933458433,"price":1.10,"far":1e400'));
    rmSync(path.join(folder, 'server.mjs'));
    assert.deepEqual(await run('--replay', 'run.mcprecord'), first);
  });

  it('are sent as typed on the command line, and written as received', async () => {
    const folder = workspace(files);
    const given = '{"id":12345678901234567890,"e":1E400}';
    const all = ['call', 's', 'take', '--max-risk', 'destructive', '--arguments', given];
    const { code, stdout, stderr } = await runCommand(folder, all);
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(sent(folder), [given]);
    assert.match(stdout, /"id": 12345678901234567890,\s+"e": 1E400\n/);
  });

  it('are distinguished by rules', async () => {
    const rules = '[{ "effect": "allow", "when": { "/id": { "equals": 9007199254740993 } } }]';
    const folder = workspace({ ...files, 'rules.json': rules });
    for (const [id, expected] of [
      ['9007199254740993', 0],
      ['9007199254740992', 3],
      ['9007199254740994', 3],
    ] as const) {
      const given = ['--allow', 'rules.json', '--arguments', `{"id":${id}}`];
      const { code } = await runCommand(folder, ['call', 's', 'take', ...given]);
      assert.equal(code, expected, id);
    }
  });
});
