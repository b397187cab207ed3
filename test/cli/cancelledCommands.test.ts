import assert from 'node:assert/strict';
import { scripted, type ScriptedServer } from '../servers/scripted';
import { type RunningProgram, servers, startProgram, useWorkspaces } from './program';

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
