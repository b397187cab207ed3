import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();
const gone = { command: 'no-such-program-anywhere' };
const samples = path.join(process.cwd(), 'test/fixtures/recordings');
const inspector = 'inspector-protocol-everything-2026-11-23T21-31-33.234Z.json';
const files = {
  '.vscode/mcp.json': { servers: { everything: gone } },
  'a.mcpcall': {
    calls: {
      hello: {
        server: 'everything',
        tool: 'echo',
        arguments: { message: 'hello' },
        expect: { values: { '/content/0/text': 'Echo: hello' } },
      },
      other: { server: 'everything', tool: 'echo', arguments: { message: 'other' } },
    },
  },
};

async function replayed(folder: string, file: string, ...more: readonly string[]) {
  const all = ['test', '--max-risk', 'destructive', '--reporter', 'json', '--replay', file];
  const { stdout, stderr, code } = await runCommand(folder, [...all, ...more]);
  const { calls = [] }: { calls?: { status: string; reasons: object[] }[] } =
    stdout === '' ? {} : JSON.parse(stdout);
  return { code, stderr, calls };
}

describe('Recordings of other programs', () => {
  // Both samples were written by the program itself, by a call of server-everything.
  for (const [program, sample] of [
    ['mcporter 0.12.3', 'mcporter.ndjson'],
    ['the MCP Inspector 2.12.0', inspector],
  ] as const) {
    it(`that ${program} made answer as the server did`, async () => {
      const folder = workspace(files);
      copyFileSync(path.join(samples, sample), path.join(folder, sample));
      for (const speed of [[], ['--replay-speed', '1000']]) {
        const { calls, stderr } = await replayed(folder, sample, ...speed);
        assert.deepEqual(
          calls.map(({ status }) => status),
          ['passed', 'errored'],
          stderr + JSON.stringify(calls),
        );
        assert.match(JSON.stringify(calls[1]), /was not recorded; the nearest is .*hello/);
        assert.doesNotMatch(stderr, /cut off/);
      }
    });
  }

  it('that are truncated, unknown, malicious or a gigabyte large are reported in one sentence', async () => {
    const exported = readFileSync(path.join(samples, inspector), 'utf8');
    const lines = readFileSync(path.join(samples, 'mcporter.ndjson'), 'utf8');
    const [first = ''] = lines.split('\n');
    const folder = workspace({
      ...files,
      'cut.json': exported.slice(0, exported.length / 2),
      'entries.json': '[{"direction":"request","timestamp":"soon","message":{}}]',
      'deep.json': `[{"direction":${'['.repeat(200_000)}`,
      'network.json': '[{"id":"1","timestamp":"2026-01-01T00:00:00Z","method":"POST"}]',
      'large.json': exported,
      'line.ndjson': `${first}\n{"jsonrpc":"2.0","_meta":{"dir":"up"}}\n`,
      'other.ndjson': '{"jsonrpc":"2.0","id":1,"result":{}}\n',
    });
    truncateSync(path.join(folder, 'large.json'), 1024 * 1024 * 1024);
    for (const [file, sentence] of [
      ['cut.json', /is an export of the MCP Inspector that is broken or cut off/],
      ['entries.json', /is an export of the MCP Inspector that is broken or cut off/],
      ['deep.json', /is an export of the MCP Inspector that is broken or cut off/],
      ['network.json', /is not a recording/],
      ['large.json', /is larger than any recording/],
      ['line.ndjson', /has a line that is not a message \(line 2\)/],
      ['other.ndjson', /is not a recording/],
    ] as const) {
      const { code, stderr } = await replayed(folder, file);
      assert.equal(code, 2, file);
      assert.match(stderr.split('\n')[0] ?? '', sentence, file);
    }
    writeFileSync(path.join(folder, 'cut.ndjson'), lines.slice(0, -100));
    const cut = await replayed(folder, 'cut.ndjson');
    assert.match(cut.stderr, /is cut off/);
    assert.equal(cut.calls[0]?.status, 'passed');
  });
});
