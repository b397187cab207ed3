import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { connectAgent, eras, type Agent } from '../host/agentClients';
import { scripted } from '../servers/scripted';
import { runProgram, servers, startProgram, useWorkspaces, type RunningProgram } from './program';

const workspace = useWorkspaces();
const token = 'a-token-for-agents-of-this-test';

/** Never answers a call, and writes which messages come. */
const slow = scripted((server) => {
  const readOnly = { readOnlyHint: true };
  server.tools = [{ name: 'wait', inputSchema: { type: 'object' }, annotations: readOnly }];
  for (const method of ['tools/call', 'notifications/cancelled']) {
    server.on(method, () => process.stderr.write(['got ', method, '\n'].join('')));
  }
});

describe('toolgate gateway --http', () => {
  const agents: Agent[] = [];
  let running: RunningProgram | undefined;
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((agent) => agent.close()));
    running?.child.kill('SIGINT');
    await running?.ended;
    running = undefined;
  });

  /** Resolves with the URL that the command shows. */
  async function start(folder: string, ...options: string[]): Promise<string> {
    const words = ['gateway', '--http', '0', '--token', '${env:TOKEN}', ...options];
    let said = '';
    running = startProgram(folder, words, { TOKEN: token });
    running.child.stderr?.on('data', (chunk) => (said += String(chunk)));
    await running.says('Authorization: Bearer <token>');
    return /http:\S+\/mcp/.exec(said)?.[0] ?? assert.fail(said);
  }
  const onlyDemo = () => workspace({ '.mcp.json': { mcpServers: { demo: servers.demo } } });

  it('serves several agents of every era at once, within the rules', async () => {
    const folder = onlyDemo();
    const url = await start(folder, '--max-risk', 'readOnly', '--journal', 'journal');
    await Promise.all(
      eras.map(async (era) => {
        const agent = await connectAgent(era, { url, token });
        agents.push(agent);
        const names = (await agent.tools()).map(({ name }) => name);
        assert.ok(names.includes('demo__list_notes') && !names.includes('demo__plant_note'));
        assert.equal((await agent.call('demo__list_notes')).isError, false, era);
        const refused = await agent.call('demo__plant_note', { name: 'Sage', text: 'x' });
        assert.deepEqual([refused.isError, /No rule/.test(refused.text)], [true, true]);
      }),
    );
    const own = await connectAgent('SDK 1', { url: `${url}/demo`, token });
    agents.push(own);
    assert.ok((await own.tools()).some(({ name }) => name === 'list_notes'));
    running?.child.kill('SIGINT');
    const { code } = (await running?.ended) ?? assert.fail();
    assert.equal(code, 130);
    const journal = path.join(folder, 'journal');
    const lines = readdirSync(journal).map((name) =>
      readFileSync(path.join(journal, name), 'utf8'),
    );
    assert.equal(lines.join('').match(/"origin":"agent"/g)?.length, eras.length);
  });

  for (const era of eras) {
    it(`cancels the call of an agent that leaves: ${era}`, async () => {
      const folder = workspace({ '.mcp.json': { mcpServers: { slow } } });
      const url = await start(folder, '--max-risk', 'readOnly', '--verbose');
      const agent = await connectAgent(era, { url, token });
      const called = agent.call('slow__wait').catch(() => undefined);
      await running?.says('got tools/call');
      await agent.close();
      await called;
      await running?.says('got notifications/cancelled');
    });
  }

  it('passes on progress', async () => {
    const everything = servers.everything;
    const url = await start(
      workspace({ '.mcp.json': { mcpServers: { everything } } }),
      '--max-risk',
      'destructive',
    );
    for (const era of eras) {
      const agent = await connectAgent(era, { url, token });
      agents.push(agent);
      let count = 0;
      const onprogress = () => (count += 1);
      const name = 'everything__trigger-long-running-operation';
      const { isError } = await agent.call(name, { duration: 0.2, steps: 2 }, { onprogress });
      assert.deepEqual([isError, count > 0], [false, true], era);
    }
  });

  it('refuses requests without the token, of web pages, and beyond its limits', async () => {
    const url = await start(onlyDemo(), '--max-risk', 'readOnly');
    const status = (headers: Record<string, string>, body = '{}', where = url) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request(where, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        });
        sent.on('response', (response) => resolve(response.resume().statusCode));
        sent.on('error', reject);
        sent.end(body);
      });
    const authorization = `Bearer ${token}`;
    assert.equal(await status({}), 401);
    assert.equal(await status({ authorization: 'Bearer other' }), 401);
    assert.equal(await status({ authorization, host: 'evil.example' }), 403);
    assert.equal(await status({ authorization, origin: 'https://evil.example' }), 403);
    assert.equal(await status({ authorization, origin: 'null' }), 403);
    assert.equal(await status({ authorization }, '{}', `${url}/none`), 404);
    assert.equal(await status({ authorization }, '{}', url.replace('/mcp', '/')), 404);
    assert.equal(await status({ authorization }, 'x'.repeat(5 * 1024 * 1024)), 413);
    const clientInfo = { name: 'toolgate', version: '1' };
    const own = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { clientInfo } };
    assert.equal(await status({ authorization }, JSON.stringify(own)), 403);
  });

  it('serves an agent while others hold all of its connections without the token', async () => {
    const url = await start(onlyDemo(), '--max-risk', 'readOnly');
    const { port } = new URL(url);
    const silent = await Promise.all(
      Array.from({ length: 64 }, async () => {
        const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
        await once(socket, 'connect');
        return socket;
      }),
    );
    try {
      for (const era of eras) {
        const agent = await connectAgent(era, { url, token });
        agents.push(agent);
        assert.equal((await agent.call('demo__list_notes')).isError, false, era);
      }
    } finally {
      for (const socket of silent) socket.destroy();
    }
  });

  it('says what is wrong with its options', async () => {
    const folder = onlyDemo();
    const url = await start(folder, '--max-risk', 'readOnly');
    const { port } = new URL(url);
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['--http', port], /Port \d+ cannot be used: .*EADDRINUSE/],
      [['--http', 'x'], /--http must be an integer from 0 to 65535/],
      [['--token', 'abc'], /--token requires --http/],
      [['--http', '0', '--token', 'abc'], /--token must be a variable/],
      [['--http', '0', '--token', '${env:SHORT}'], /--token must have at least 16 characters/],
    ];
    for (const [words, told] of cases) {
      const { code, stderr } = await runProgram(folder, ['gateway', ...words], { SHORT: 'abc' });
      assert.deepEqual([code, told.test(stderr)], [2, true], stderr);
    }
  });
});
