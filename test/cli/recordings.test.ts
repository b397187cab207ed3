import assert from 'node:assert/strict';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MatrixHttp, servings } from '../servers/matrixHttp';
import { projectRoot, runCommand, servers, startProgram, useWorkspaces } from './program';

const workspace = useWorkspaces();
const call = (server: string, tool: string, given: object = {}) => ({
  server,
  tool,
  arguments: given,
});
const gone = { command: 'no-such-program-anywhere' };

/** What is reported of a run, without what differs each time. */
async function reportOf(folder: string, ...parameters: readonly string[]) {
  const allowed = ['--max-risk', 'destructive', '--pass-input', 'key'];
  const all = ['test', ...allowed, '--reporter', 'json', ...parameters];
  const end = await runCommand(folder, all, { TOOLGATE_INPUT_key: 'typed-unseen-1' });
  const { calls = [] }: { calls?: { name: string; status: string; reasons: object[] }[] } =
    end.stdout === '' ? {} : JSON.parse(end.stdout);
  return { ...end, calls: calls.map(({ name, status, reasons }) => ({ name, status, reasons })) };
}

/** The same messages, as `mcporter record` writes them. */
function asMcporter(recording: string): string {
  const lines = recording.trimEnd().split('\n').slice(1, -1);
  const moved = lines.map((line) => {
    const { at, server, to, message } = JSON.parse(line);
    const dir = to === 'server' ? 'send' : 'recv';
    return JSON.stringify({ ...message, _meta: { ts: new Date(at).toISOString(), server, dir } });
  });
  return `${moved.join('\n')}\n`;
}

describe('Recordings', () => {
  it('replace missing servers, with the same answers', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { everything: servers.everything, demo: servers.demo } },
      'a.mcpcall': {
        inputs: { key: { password: true } },
        calls: {
          echo: call('everything', 'echo', { message: 'hi ${input:key}' }),
          structured: {
            ...call('everything', 'get-structured-content', { location: 'Chicago' }),
            expect: { answer: 'other.json' },
          },
          large: call('everything', 'echo', { message: 'large '.repeat(100_000) }),
          long: call('everything', 'trigger-long-running-operation', { duration: 1, steps: 4 }),
          notes: { ...call('demo', 'list_notes'), expect: { answer: 'other.json' } },
          flower: { ...call('demo', 'show_flower'), expect: { answer: 'other.json' } },
          bad: call('demo', 'read_note', { name: 'no such note' }),
        },
      },
      'other.json': { content: [] },
    });
    const recorded = await reportOf(folder, '--record', 'run.mcprecord');
    assert.equal(recorded.calls.length, 7);
    const text = readFileSync(path.join(folder, 'run.mcprecord'), 'utf8');
    assert.doesNotMatch(text, /typed-unseen/);
    assert.match(text, /"message":"hi \(secret\)"/);
    assert.match(text, /notifications\/progress/);
    assert.doesNotMatch(text, /isLeftOut/);
    assert.match(text, /"text":"Echo: large large /);
    rmSync(path.join(folder, '.vscode/mcp.json'));
    writeFileSync(
      path.join(folder, '.mcp.json'),
      JSON.stringify({ mcpServers: { everything: gone, demo: gone } }),
    );
    const quiet = await reportOf(folder, '--replay', 'run.mcprecord');
    // What was typed unseen is not in the recording, so that call is another one.
    const [echo, ...others] = quiet.calls;
    assert.deepEqual(others, recorded.calls.slice(1));
    assert.match(JSON.stringify(echo), /was not recorded; the nearest is/);
    const timed = await reportOf(folder, '--replay', 'run.mcprecord', '--replay-speed', '20');
    assert.deepEqual(timed.calls.slice(1), others);
  });

  it('of any program answer calls with generated values, whatever file and call generate them', async () => {
    const generated = '${uuid} ${now} ${random:1..1000000} ${random:text 20}';
    const sent = { message: generated, count: '${random:1..1000000}', at: '${now:unix}' };
    const values = { '/content/0/text': `Echo: ${generated}` };
    const calls = (first: string, second: string) => ({
      calls: {
        [first]: { ...call('echo', 'echo', sent), expect: { values } },
        [second]: call('echo', 'echo', { message: '${uuid}' }),
      },
    });
    const folder = workspace({
      '.mcp.json': { mcpServers: { echo: servers.echo } },
      'environments.json': { one: {}, two: {} },
      'a.mcpcall': calls('first', 'second'),
    });
    const environments = ['--environments', 'environments.json', '--env', 'one,two'];
    const recorded = await reportOf(folder, '--record', 'run.mcprecord', ...environments);
    const statuses = recorded.calls.map(({ status }) => status);
    assert.deepEqual(statuses, ['passed', 'passed', 'passed', 'passed'], recorded.stdout);
    const text = readFileSync(path.join(folder, 'run.mcprecord'), 'utf8');
    const uuids = text.match(/"message":"[0-9a-f-]{36}/g) ?? [];
    assert.equal(new Set(uuids).size, 4, text);
    rmSync(path.join(folder, 'a.mcpcall'));
    writeFileSync(path.join(folder, 'b.mcpcall'), JSON.stringify(calls('other', 'names')));
    writeFileSync(path.join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { echo: gone } }));
    writeFileSync(path.join(folder, 'run.ndjson'), asMcporter(text));
    for (const recording of ['run.mcprecord', 'run.ndjson']) {
      const replayed = await reportOf(folder, '--replay', recording, ...environments);
      assert.deepEqual(
        replayed.calls.map(({ status }) => status),
        statuses,
        replayed.stdout + replayed.stderr,
      );
    }
  });

  for (const [name, serving] of [
    ['the stateful era', () => servings.sessions1('2025-06-18', () => undefined)],
    ['the stateless era', () => servings.bothEras2(() => undefined)],
  ] as const) {
    it(`answer for a server of ${name} that was used over HTTP`, async () => {
      const server = await MatrixHttp.start(serving(), () => undefined);
      const folder = workspace({
        '.mcp.json': { mcpServers: { remote: { type: 'http', url: server.url } } },
        'a.mcpcall': {
          calls: {
            text: { ...call('remote', 'text'), expect: { answer: 'other.json' } },
            image: { ...call('remote', 'image'), expect: { answer: 'other.json' } },
            progress: call('remote', 'progress'),
            again: call('remote', 'text'),
          },
        },
        'other.json': { content: [] },
      });
      const recorded = await reportOf(folder, '--record', 'run.mcprecord');
      await server.stop();
      const statuses = recorded.calls.map(({ status }) => status);
      assert.deepEqual(statuses, ['failed', 'failed', 'passed', 'passed']);
      const replayed = await reportOf(folder, '--replay', 'run.mcprecord');
      assert.deepEqual(replayed.calls, recorded.calls, replayed.stderr);
    });
  }

  it('answer in their order, also if each file has fresh servers', async () => {
    const folder = workspace({ 'note.txt': 'one' });
    const note = path.join(folder, 'note.txt');
    const read = (text: string) => ({
      ...call('files', 'read_text_file', { path: note }),
      expect: { values: { '/content/0/text': text } },
    });
    const write = call('files', 'write_file', { path: note, content: 'two' });
    const script = path.join(
      projectRoot,
      'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
    );
    const files = { command: process.execPath, args: [script, folder] };
    writeFileSync(path.join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { files } }));
    const first = JSON.stringify({ calls: { read: read('one'), write } });
    writeFileSync(path.join(folder, '1.mcpcall'), first);
    writeFileSync(path.join(folder, '2.mcpcall'), JSON.stringify(read('two')));
    const recorded = await reportOf(folder, '--fresh', '--record', 'run.mcprecord');
    assert.equal(recorded.code, 0, recorded.stdout + recorded.stderr);
    const replayed = await reportOf(folder, '--fresh', '--replay', 'run.mcprecord');
    assert.deepEqual(replayed.calls, recorded.calls, replayed.stderr);
  });

  it('replace a server whose name looks like an option', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { '--verbose': servers.demo } },
      'a.mcpcall': call('--verbose', 'list_notes'),
    });
    const recorded = await reportOf(folder, '--record', 'run.mcprecord');
    assert.equal(recorded.code, 0, recorded.stderr);
    const replayed = await reportOf(folder, '--replay', 'run.mcprecord');
    assert.equal(replayed.code, 0, replayed.stderr);
    assert.deepEqual(replayed.calls, recorded.calls, replayed.stderr);
  });

  it('leave out named secrets, and are never overwritten', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { demo: servers.demo } },
      'a.mcpcall': call('demo', 'list_notes'),
    });
    const omit = ['--record-omit', '/result/content/0/text'];
    const { code } = await reportOf(folder, '--record', 'run.mcprecord', ...omit);
    assert.equal(code, 0);
    const text = readFileSync(path.join(folder, 'run.mcprecord'), 'utf8');
    assert.match(text, /"text":"\(left out\)"/);
    assert.doesNotMatch(text, /Everything here is made up/);
    const again = await reportOf(folder, '--record', 'run.mcprecord');
    assert.equal(again.code, 2);
    assert.match(again.stderr, /already exists/);
    const both = await reportOf(folder, '--record', 'x', '--replay', 'run.mcprecord');
    assert.match(both.stderr, /Use either --record or --replay/);
    const wrong = await reportOf(folder, '--record', 'y', '--record-omit', 'result');
    assert.match(wrong.stderr, /not a JSON pointer/);
  });

  it('that are broken are reported in one sentence; a truncated one answers what it has', async () => {
    const head = '{"mcprecord":1}\n';
    const folder = workspace({
      '.vscode/mcp.json': { servers: { demo: servers.demo } },
      'a.mcpcall': call('demo', 'list_notes'),
      'empty.mcprecord': '',
      'wild.mcprecord': '[[[[',
      'version.mcprecord': '{"mcprecord":99}\n',
      'line.mcprecord': `${head}{"at":"soon"}\n`,
      'deep.mcprecord': `${head}${'['.repeat(100_000)}\n`,
      'nothing.mcprecord': head,
      'large.mcprecord': head,
    });
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['none', /cannot be read/],
      ['empty', /is not a recording/],
      ['wild', /is not a recording/],
      ['version', /another version/],
      ['large', /is larger than any recording/],
      ['line', /has a line that is not a message \(line 2\)/],
      ['deep', /has a line that is not a message \(line 2\)/],
    ];
    // As large as it says, and nothing on the disk.
    truncateSync(path.join(folder, 'large.mcprecord'), 1024 * 1024 * 1024);
    for (const [name, sentence] of wrong) {
      const { code, stderr } = await reportOf(folder, '--replay', `${name}.mcprecord`);
      assert.equal(code, 2, name);
      assert.match(stderr.split('\n')[0] ?? '', sentence);
    }
    const nothing = await reportOf(folder, '--replay', 'nothing.mcprecord');
    assert.equal(nothing.code, 5);
    assert.match(JSON.stringify(nothing.calls), /has no messages of server/);
    await reportOf(folder, '--record', 'run.mcprecord');
    const whole = readFileSync(path.join(folder, 'run.mcprecord'), 'utf8').trimEnd();
    writeFileSync(path.join(folder, 'cut.mcprecord'), whole.slice(0, -20));
    const cut = await reportOf(folder, '--replay', 'cut.mcprecord');
    assert.match(cut.stderr, /is cut off/);
  });

  it('that exceed the disk space are reported in one sentence, and the run continues', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { everything: servers.echo } },
      'a.mcpcall': {
        calls: {
          small: call('everything', 'echo', { message: 'small' }),
          large: call('everything', 'echo', { message: 'large '.repeat(100_000) }),
          after: call('everything', 'echo', { message: 'after' }),
        },
      },
    });
    // Files of this process may hold half a mebibyte: what is written then fails as on a full disk.
    const limited = ['sh', '-c', 'ulimit -f 1024; exec "$0" "$@"'] as const;
    const all = ['test', '--max-risk', 'destructive', '--record', 'run.mcprecord'];
    const { code, stdout, stderr } = await startProgram(folder, all, {}, limited).ended;
    assert.equal(code, 1);
    assert.match(stdout, /3 passed/);
    const told = stderr.split('\n').filter((line) => line.includes('run.mcprecord'));
    assert.deepEqual(told, [
      'toolgate: run.mcprecord cannot be written; later messages are not recorded.',
    ]);
    const kept = await reportOf(folder, '--replay', 'run.mcprecord');
    assert.match(kept.stderr, /is cut off/);
    const statuses = kept.calls.map(({ status }) => status);
    assert.deepEqual(statuses, ['passed', 'errored', 'errored']);
  });
});
