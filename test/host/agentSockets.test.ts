import assert from 'node:assert/strict';
import { createConnection, type Socket } from 'node:net';
import { bridgeProtocol } from '../../src/host/agents/agentProtocol';
import { connectAgent } from './agentClients';
import { AgentScene, type SceneOptions } from './agentScene';

describe('The socket for agents', () => {
  let scene: AgentScene;

  async function open(options: SceneOptions = {}): Promise<void> {
    scene = new AgentScene(options);
    await scene.open('a');
  }
  afterEach(() => scene.end());

  it('logs a few refused connections per minute, and counts the rest', async () => {
    await open();
    for (let count = 0; count < 25; count += 1) {
      await assert.rejects(scene.connect({ token: 'of yesterday' }), /403/);
    }
    await scene.endpoint.close();
    const said = scene.logged.filter((line) => line.includes('not let in'));
    assert.deepEqual(said.slice(10), ['15 more agents were not let in within a minute']);
    assert.deepEqual(new Set(said.slice(0, 10)).size, 1);
  });

  it('frees the place of a refused connection that does not close', async () => {
    await open({ limits: { maxConnections: 2 } });
    const { socket } = await scene.window();
    const request = [
      'GET /mcp HTTP/1.1',
      'Host: x',
      'Connection: Upgrade',
      `Upgrade: ${bridgeProtocol}`,
      'Authorization: Bearer of yesterday',
    ];
    const held: Socket[] = [];
    // Twice as many as may be connected are looked at together.
    for (let count = 0; count < 4; count += 1) {
      const each = createConnection({ path: socket, allowHalfOpen: true });
      each.on('error', () => undefined);
      each.write(`${request.join('\r\n')}\r\n\r\n`);
      let said = '';
      each.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await new Promise((resolve) => each.once('end', resolve));
      assert.match(said, /^HTTP\/1\.1 403 .*This is not the token/s);
      held.push(each);
    }
    const robot = await connectAgent('SDK 1', await scene.connect({ server: 'a' }));
    assert.equal((await robot.tools()).length, 1);
    await robot.close();
    for (const each of held) each.destroy();
  });

  it('limits the log messages about invalid messages of one agent', async () => {
    await open();
    const before = scene.logged.length;
    const stream = await scene.connect({ server: 'a' });
    const said = new Promise((resolve) => stream.once('data', resolve));
    const answer = { jsonrpc: '2.0', id: 1, result: {} };
    for (let count = 0; count < 100; count += 1) stream.write(`${JSON.stringify(answer)}\n`);
    // What came before it has been looked at, too.
    stream.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n`);
    await said;
    const warnings = scene.logged.slice(before).filter((line) => line.startsWith('an agent: '));
    assert.equal(warnings.length, 20);
    assert.equal(warnings.at(-1), 'an agent: what else is wrong with it is not said');
    stream.destroy();
  });

  it('is read no faster than its agent reads, without a loss', async () => {
    const plenty = { atOnce: 1e12, perSecond: 1e12 };
    const budget = { messages: plenty, timeMs: plenty };
    await open({ limits: { maxUnreadBytes: 1024 * 1024, budget, allBudget: budget } });
    const stream = await scene.connect({ server: 'a' });
    stream.on('error', () => undefined);
    stream.pause();
    const left = new Promise((resolve) => stream.on('close', resolve));
    const send = (message: object): boolean =>
      stream.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'x', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    send({ id: 'hello', method: 'initialize', params });
    // What answers that: four times as much as may wait to be read.
    const count = 16_000;
    for (let id = 0; id < count; id += 1) {
      // An id of its own size comes back with its answer.
      send({ id: `${'x'.repeat(256)}${id}`, method: 'ping' });
      if (id % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    let answers = 0;
    const answered = new Promise<void>((resolve) => {
      let rest = '';
      stream.on('data', (chunk: Buffer) => {
        const lines = (rest + chunk.toString()).split('\n');
        rest = lines.pop() ?? '';
        answers += lines.filter((line) => line.includes('"id":')).length;
        if (answers > count) resolve();
      });
    });
    stream.resume();
    await Promise.race([answered, left]);
    assert.equal(answers, count + 1);
    stream.destroy();
  });
});
