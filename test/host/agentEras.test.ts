import assert from 'node:assert/strict';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import type { Revision } from '../../src/core/types';
import { bundled } from '../servers/bundled';
import { eventually } from '../waiting';
import { assertEach } from '../assertions';
import { connectAgent, type Agent } from './agentClients';
import { AgentScene } from './agentScene';

const program = path.resolve(__dirname, '../servers/matrixStdio.ts');
const tools = 'text image structured fails progress hang change log ask roots'.split(' ');

/**
 * Makes an agent of the official SDK 1 one that knows nothing newer than `revision`: its offer is
 * changed on the way out, because the SDK has no option for it.
 */
function offering(revision: Revision, stream: Duplex): Duplex {
  const write = stream.write.bind(stream);
  const writeOffer = (text: string) =>
    write(text.replace(/"protocolVersion":"[^"]*"/, `"protocolVersion":"${revision}"`));
  return Object.assign(stream, { write: writeOffer });
}

interface Pair {
  readonly agent: Revision;
  readonly server: Revision;
  readonly sdk: 1 | 2;
}

const pairs: readonly Pair[] = [
  { agent: '2024-11-05', server: '2026-07-28', sdk: 2 },
  { agent: '2025-06-18', server: '2026-07-28', sdk: 2 },
  { agent: '2026-07-28', server: '2024-11-05', sdk: 1 },
  { agent: '2026-07-28', server: '2025-06-18', sdk: 1 },
  { agent: '2026-07-28', server: '2025-11-25', sdk: 2 },
];

describe('An agent and a server of different eras', () => {
  let scene: AgentScene;
  let agent: Agent;
  /** Everything that the agent was sent. */
  let received = '';

  async function connect({ agent: own, server, sdk }: Pair): Promise<void> {
    const user = [...tools, 'added'].map((tool) => ({ effect: 'allow', origin: 'agent', tool }));
    scene = new AgentScene({ user });
    scene.servers.input = {
      elicit: ({ message }) => {
        assert.equal(message, 'Who are you?');
        return Promise.resolve({ action: 'accept', content: { name: 'Ada', agree: true } });
      },
    };
    await scene.open('a');
    const args = [bundled(program), String(sdk), server];
    const transport = { kind: 'stdio' as const, command: process.execPath, args, env: {} };
    scene.servers.configure({ ...scene.servers.config('a'), transport });
    const stream = await scene.connect({ server: 'a' });
    received = '';
    stream.on('data', (text) => (received += String(text)));
    agent =
      own === '2026-07-28'
        ? await connectAgent('SDK 2, stateless', stream)
        : await connectAgent('SDK 1', offering(own, stream));
  }

  /** Resolves when the agent was sent a notification of changed tools. */
  const untilAnnounced = () =>
    eventually(
      () => received,
      (text) => text.includes('"notifications/tools/list_changed"'),
    );

  afterEach(async () => {
    await agent.close();
    await scene.end();
  });

  for (const pair of pairs) {
    it(`work together: an agent of ${pair.agent}, a server of ${pair.server}`, async () => {
      await connect(pair);
      assertEach(await agent.tools(), ({ name }) => name, tools);
      assert.equal(scene.servers.registry.client('a').revision, pair.server);
      assert.match(
        received,
        new RegExp(`"(?:protocolVersion":|supportedVersions":\\[)"${pair.agent}"`),
      );
      assert.deepEqual(await agent.call('text'), { text: 'grüße 🌍', isError: false });
      assert.deepEqual(await agent.call('fails'), { text: 'no such flower', isError: true });
      assert.equal((await agent.call('structured')).text, '{"count":3}');
      // Clients of the SDKs drop progress that comes together with the answer.
      await agent.call('progress', {}, { onprogress: () => undefined });
      assert.match(received, /"notifications\/progress".*"progress":3/);
    });

    it(`announce new tools: an agent of ${pair.agent}, a server of ${pair.server}`, async () => {
      await connect(pair);
      await agent.tools();
      await agent.call('change');
      await eventually(
        async () => (await agent.tools()).at(-1)?.name,
        (name) => name === 'added',
      );
      await untilAnnounced();
    });

    it(`have questions of the server answered by the user: an agent of ${pair.agent}, a server of ${pair.server}`, async () => {
      await connect(pair);
      const { text, isError } = await agent.call('ask');
      const canAsk = pair.server !== '2024-11-05';
      assert.equal(isError, !canAsk, text);
      if (canAsk) assert.deepEqual(JSON.parse(text).content, { name: 'Ada', agree: true });
      assert.doesNotMatch(received, /Who are you/);
    });
  }
});
