import assert from 'node:assert/strict';
import { scripted, type ScriptedServer } from '../servers/scripted';
import { ScriptedHttp } from '../servers/scriptedHttp';
import { TaskServer } from '../servers/taskServer';
import { splitLine, runCommand, startProgram, useWorkspaces } from './program';

const workspace = useWorkspaces();

/** Has a page that changes twice, and writes what it got as `_meta` and as the log level. */
function changing(server: ScriptedServer): void {
  server.capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true },
    prompts: {},
    logging: {},
  };
  server.instructions = 'Read page://a first.';
  server.tools = [{ name: 'show', inputSchema: { type: 'object' } }];
  let version = 1;
  const metaOf = ({ params }: { params?: Record<string, unknown> }): string =>
    JSON.stringify(params?.['_meta'] ?? null);
  server.on('ping', (message) => server.reply(message, {}));
  server.on('logging/setLevel', (message) => {
    server.reply(message, {});
    server.send({
      method: 'notifications/message',
      params: {
        level: 'debug',
        logger: 'db',
        data: ['asked for', message.params?.['level']].join(' '),
      },
    });
  });
  server.on('resources/read', (message) => {
    const { uri } = message.params ?? {};
    if (uri === 'page://none') return server.fail(message, -32002, 'no such page');
    const text = uri === 'page://meta' ? metaOf(message) : ['version', version].join(' ');
    server.reply(message, { contents: [{ uri, text }] });
    if (uri !== 'page://a' || version === 3) return undefined;
    version += 1;
    server.send({ method: 'notifications/resources/updated', params: { uri } });
    return undefined;
  });
  server.on('resources/subscribe', (message) => {
    if (message.params?.['uri'] === 'page://still') return server.fail(message, -32602, 'never');
    return server.reply(message, {});
  });
  server.on('prompts/get', (message) => {
    const content = { type: 'text', text: metaOf(message) };
    server.reply(message, { messages: [{ role: 'user', content }] });
  });
  server.on('tools/call', (message) => server.text(message, metaOf(message)));
}

const files = () => ({ '.mcp.json': { mcpServers: { docs: scripted(changing) } } });
const run = (...parameters: readonly string[]) => runCommand(workspace(files()), parameters);

describe('A server on the command line', () => {
  it('is pinged, and shows its name', async () => {
    const { code, stdout } = await run('ping', 'docs');
    assert.equal(code, 0);
    assert.match(stdout, /^docs: \d+ ms \(\S.*, MCP 2025-11-25\)\n$/);
    const { durationMs, server, capabilities, instructions } = JSON.parse(
      (await run('ping', 'docs', '--json')).stdout,
    );
    assert.deepEqual(
      [typeof durationMs, server, instructions],
      ['number', 'docs', 'Read page://a first.'],
    );
    assert.ok(capabilities.includes('resourcesSubscribe'));
    assert.equal((await run('ping', 'dogs')).code, 2);
    assert.equal((await run('ping')).code, 2);
  });

  it('is listed with its instructions, its version and its capabilities', async () => {
    assert.match(
      (await run('list', 'docs')).stdout,
      /^ {2}instructions: Read page:\/\/a first\.$/m,
    );
    const [listed] = JSON.parse((await run('list', 'docs', '--json')).stdout).servers;
    assert.equal(listed.instructions, 'Read page://a first.');
    assert.ok(listed.capabilities.includes('logging'));
    assert.equal(typeof listed.serverInfo.version, 'string');
  });

  it('gets members of _meta with each kind of request', async () => {
    const meta = ['--meta', 'example.com/trace=abc', '--meta', 'depth:=2'];
    const sent = '{"example.com/trace":"abc","depth":2';
    const called = await run(
      'call',
      'docs',
      'show',
      '--text',
      '--max-risk',
      'destructive',
      ...meta,
    );
    assert.ok(called.stdout.startsWith(sent), called.stdout + called.stderr);
    const read = await run('read', 'docs', 'page://meta', '--text', ...meta);
    assert.ok(read.stdout.startsWith(sent), read.stdout + read.stderr);
    assert.ok((await run('prompt', 'docs', 'a', '--text', ...meta)).stdout.includes(sent));
    for (const reserved of [
      'progressToken=1',
      'io.modelcontextprotocol/protocolVersion=1',
      'mcp.dev/a=1',
    ]) {
      const { code, stderr } = await run('read', 'docs', 'page://meta', '--meta', reserved);
      assert.deepEqual([code, /--meta cannot set/.test(stderr)], [2, true], reserved);
    }
  });

  it('gets members of _meta beside those of the protocol, before 2026-07-28 and since', async () => {
    const host = await ScriptedHttp.start((server) => {
      server.speakStateless();
      server.tools = [{ name: 'show', inputSchema: { type: 'object' } }];
      server.on('tools/call', (message) =>
        server.text(message, JSON.stringify(message.params?.['_meta'])),
      );
    });
    try {
      const at = ['--url', host.url, '--max-risk', 'destructive', '--meta', 'trace=abc'];
      const { stdout, stderr } = await run('call', 'show', '--text', ...at);
      assert.match(stdout, /"trace":"abc".*protocolVersion":"2026-07-28"/, stderr);
    } finally {
      await host.http.stop();
    }
  });

  it('is asked for log messages of a level, which are written', async () => {
    const { stderr } = await run('ping', 'docs', '--log-level', 'notice');
    assert.equal(stderr, 'toolgate: [debug] db: asked for notice\n');
    assert.equal((await run('ping', 'docs')).stderr, '');
    assert.match(
      (await run('ping', 'docs', '--log-level', 'loud')).stderr,
      /must be one of debug, info/,
    );
  });
});

describe('A followed resource', () => {
  it('is written at each change, until the command is cancelled', async () => {
    const running = startProgram(workspace(files()), ['follow', 'docs', 'page://a']);
    await running.says('version 3');
    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    assert.equal(code, 130);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const texts = lines.map(({ contents }) => contents[0].text);
    // An announcement during a read leads to one more read, so the version between may be left out.
    assert.deepEqual([texts[0], texts.at(-1)], ['version 1', 'version 3']);
    assert.ok(
      lines.every(({ uri, at }) => uri === 'page://a' && at === new Date(at).toISOString()),
    );
  });

  it('ends the command if its changes are not announced, or it does not exist', async () => {
    for (const [uri, why] of [
      ['page://still', /does not announce its changes/],
      ['page://none', /no such page/],
    ] as const) {
      const { code, stderr } = await run('follow', 'docs', uri);
      assert.deepEqual([code, why.test(stderr)], [1, true], stderr);
    }
  });

  it('can be the lists of a server, of each kind', async () => {
    const announcing = scripted((server) => {
      const changed = { listChanged: true };
      server.capabilities = { tools: changed, resources: changed, prompts: changed };
      const notify = () => {
        for (const list of ['tools', 'resources', 'prompts']) {
          server.send({ method: ['notifications', list, 'list_changed'].join('/') });
        }
      };
      server.on('notifications/initialized', () => void setInterval(notify, 50));
    });
    const folder = workspace({ '.mcp.json': { mcpServers: { announcing } } });
    const running = startProgram(folder, ['follow', 'announcing']);
    for (const list of ['tools', 'resources', 'prompts']) await running.says(`"changed":"${list}"`);
    running.child.kill('SIGINT');
    assert.equal((await running.ended).code, 130);
  });

  it('can be the lists of a server, until the server exits', async () => {
    const leaving = scripted((server) => {
      server.capabilities = { tools: { listChanged: true } };
      server.on('notifications/initialized', () => undefined);
      server.on('tools/list', (message) => {
        server.reply(message, { tools: [] });
        server.send({ method: 'notifications/tools/list_changed' });
        process.stdout.write('', () => setTimeout(() => process.exit(4), 100));
      });
    });
    const folder = workspace({ '.mcp.json': { mcpServers: { leaving } } });
    const { code, stderr } = await runCommand(folder, ['follow', 'leaving']);
    assert.deepEqual(
      [code, /Server "leaving" ended: .*exit code 4/.test(stderr)],
      [5, true],
      stderr,
    );
  });
});

describe('Tasks on the command line', () => {
  for (const era of ['stateful', 'stateless'] as const) {
    it(`are detached, read, awaited and cancelled by their ids: ${era}`, async () => {
      const server = await TaskServer.start({ era });
      const at = ['--url', server.url];
      const go = (...parameters: readonly string[]) =>
        runCommand(workspace({}), [...parameters, ...at]);
      try {
        const detached = await go('call', 'long', '--detach', '--max-risk', 'destructive');
        assert.equal(detached.code, 0, detached.stderr);
        const { taskId, sessionId } = JSON.parse(detached.stdout).task;
        const session = sessionId === undefined ? [] : ['--session', sessionId];
        const got = JSON.parse((await go('tasks', 'get', taskId, ...session)).stdout);
        assert.deepEqual([got.task.taskId, got.task.status], [taskId, 'working']);
        server.finish();
        const result = await go('tasks', 'result', taskId, '--text', ...session);
        assert.equal(result.code, 0, result.stderr);
        assert.match(result.stdout, /\S/);
        const second = await go('call', 'long', '--detach', '--max-risk', 'destructive');
        const { taskId: other, sessionId: again } = JSON.parse(second.stdout).task;
        const own = again === undefined ? [] : ['--session', again];
        const cancelled = await go('tasks', 'cancel', other, ...own);
        assert.equal(cancelled.code, 0, cancelled.stderr);
        assert.equal(server.tasks.find(({ id }) => id === other)?.status, 'cancelled');
        const lost = await go('tasks', 'get', 'never-was', ...own);
        assert.deepEqual([lost.code, /no longer has the task/.test(lost.stderr)], [1, true]);
      } finally {
        await server.stop();
      }
    });
  }

  it('are listed if the server supports that', async () => {
    const server = await TaskServer.start({ era: 'stateful' });
    server.listed = [{ taskId: 'a', status: 'working', ttl: null }];
    try {
      const { code, stdout, stderr } = await runCommand(workspace({}), [
        ...splitLine('tasks --url'),
        server.url,
      ]);
      assert.equal(code, 0, stderr);
      assert.deepEqual(
        JSON.parse(stdout).tasks.map(({ taskId }: { taskId: string }) => taskId),
        ['a'],
      );
    } finally {
      await server.stop();
    }
    const none = await run('tasks', 'docs');
    assert.deepEqual([none.code, /does not support this/.test(none.stderr)], [1, true]);
    for (const verb of ['get', 'result', 'cancel']) {
      const { code, stderr } = await run('tasks', 'docs', verb, 'a');
      assert.deepEqual(
        [code, /task "a" of "docs": it does not support this/.test(stderr)],
        [1, true],
      );
    }
    assert.equal((await run('tasks', 'docs', 'got')).code, 2);
    const program = await run('call', 'docs', 'show', '--detach');
    assert.deepEqual([program.code, /ends with its tasks/.test(program.stderr)], [2, true]);
  });
});
