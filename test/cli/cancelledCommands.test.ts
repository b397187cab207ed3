import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { scripted, type ScriptedServer } from '../servers/scripted';
import { type RunningProgram, runProgram, servers, startProgram, useWorkspaces } from './program';

const workspace = useWorkspaces();

/** Has no resource, and never answers a request for the list of them. */
function silent(server: ScriptedServer): void {
  server.capabilities = { tools: {}, resources: {} };
  server.on('resources/read', (message) => server.fail(message, -32002, 'not found'));
  server.on('resources/list', () => console.error('it lists nothing'));
}

// Windows has no signals that a program could handle.
if (process.platform !== 'win32') {
  describe('One signal', () => {
    const started: RunningProgram[] = [];
    afterEach(() => started.splice(0).forEach(({ child }) => child.kill('SIGKILL')));
    const start = (folder: string, line: string): RunningProgram => {
      const running = startProgram(folder, line, {}, [], 'pipe');
      started.push(running);
      return running;
    };
    const withDemo = () => workspace({ '.mcp.json': { mcpServers: { demo: servers.demo } } });

    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`ends a gateway whose agent keeps its pipe open (${signal})`, async () => {
        const line = 'gateway --max-risk readOnly';
        const { child, ended, says } = start(withDemo(), line);
        const send = (message: object) =>
          child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
        const clientInfo = { name: 'agent', version: '1' };
        const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
        send({ id: 1, method: 'initialize', params });
        send({ method: 'notifications/initialized' });
        send({ id: 2, method: 'tools/list' });
        await says('demo__list_notes');
        child.kill(signal);
        const { code, stderr } = await ended;
        assert.deepEqual([code, stderr], [130, '']);
      });
    }

    it('ends a list, and a search for a similar name, while the server does not answer', async () => {
      for (const line of ['list', 'read silent a:b']) {
        const folder = workspace({ '.mcp.json': { mcpServers: { silent: scripted(silent) } } });
        const { child, ended, says } = start(folder, `${line} --verbose`);
        await says('it lists nothing');
        child.kill('SIGINT');
        const { code, stderr } = await ended;
        assert.equal(code, 130, stderr);
        assert.doesNotMatch(stderr, /not found|This program failed/);
      }
    });

    it('ends a call that waits for its arguments on standard input', async () => {
      const line = 'call demo list_notes --arguments - --max-risk readOnly';
      const { child, ended } = start(withDemo(), line);
      // A pipe takes this much only from a program that reads.
      await new Promise((resolve) => child.stdin?.write(' '.repeat(1_000_000), resolve));
      child.kill('SIGINT');
      const { code, stdout, stderr } = await ended;
      assert.deepEqual([code, stdout, stderr], [130, '', '']);
    });
  });
}

/** Notes each call on stderr, and answers a slow one late, and an endless one never. */
function noting(server: ScriptedServer): void {
  const tool = (name: string) => ({
    name,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  });
  server.tools = ['quick', 'slow', 'endless', 'clean'].map(tool);
  server.on('tools/call', (message) => {
    const { name } = message.params ?? {};
    console.error(`called ${String(name)}`);
    if (name === 'endless') return;
    setTimeout(() => server.reply(message, { content: [] }), name === 'slow' ? 1_500 : 0);
  });
}

if (process.platform !== 'win32') {
  describe('A cancelled run', () => {
    it('starts the server of a cleanup call that does not run yet', async () => {
      const folder = workspace({
        '.mcp.json': { mcpServers: { one: scripted(noting), other: scripted(noting) } },
        'a.mcpcall': {
          calls: { endless: { server: 'one', tool: 'endless' } },
          after: { clean: { server: 'other', tool: 'clean' } },
        },
      });
      const { child, ended, says } = startProgram(folder, 'test --max-risk readOnly --verbose');
      await says('called endless');
      child.kill('SIGINT');
      const { code, stderr } = await ended;
      assert.equal(code, 130, stderr);
      assert.match(stderr, /called clean/);
    });
  });
}

if (process.platform !== 'win32') {
  describe('A run whose report cannot be written to standard output', () => {
    const run = async (end: string) => {
      const call = (tool: string) => ({ server: 'noting', tool });
      const calls = { quick: call('quick'), slow: call('slow'), last: call('quick') };
      const folder = workspace({
        '.mcp.json': { mcpServers: { noting: scripted(noting) } },
        'a.mcpcall': { calls, after: { clean: call('clean') } },
      });
      const line = 'test --max-risk readOnly --verbose --output junit=a.xml';
      const before = ['sh', '-c', `"$0" "$@" ${end}`];
      const { code, stderr } = await runProgram(folder, line, {}, before);
      assert.match(stderr, /called clean/);
      assert.match(readFileSync(path.join(folder, 'a.xml'), 'utf8'), /<\/testsuites>\s*$/);
      return { code, stderr };
    };

    it('still cleans up and completes its report files if the reader leaves', async () => {
      const { stderr } = await run('| head -n 1');
      assert.doesNotMatch(stderr, /cannot be written/);
    });

    if (process.platform === 'linux') {
      it('says so once if the disk is full, and fails', async () => {
        const { code, stderr } = await run('> /dev/full');
        assert.equal(code, 1);
        assert.equal(stderr.split('Standard output cannot be written: ENOSPC').length, 2, stderr);
      });
    }
  });
}
