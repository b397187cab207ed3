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
  afterEach(async () => {
    await scene.end();
  });

  it('keeps no place for who was not let in and does not leave', async () => {
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
});
