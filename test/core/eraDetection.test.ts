import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EraOptions, KnownEra } from '../../src/core/eras/eraDetection';
import type { McpClient } from '../../src/core/client';
import type { Script } from '../servers/scripted';
import { Connections, receivedBy } from './connections';
import { outcome } from './wire';

const connections = new Connections();
const methodsOf = async (client: McpClient) =>
  (await receivedBy(client)).map((message) => message.method).slice(0, -1);

/** Connects, and keeps what was learned. */
async function detect(
  script: Script | string,
  options: EraOptions & { probeTimeoutMs?: number } = {},
) {
  const learned: KnownEra[] = [];
  const { probeTimeoutMs = 60_000, ...era } = options;
  const connecting = connections.to(script, {
    ...era,
    onDidLearnEra: (known) => learned.push(known),
    limits: { probeTimeoutMs },
  });
  return { client: await connecting, learned };
}

const stateless: Script = (server) => {
  server.speakStateless();
  server.capabilities = { tools: {} };
};
const silent: Script = (server) => server.on('server/discover', () => undefined);

const shaken = ['initialize', 'notifications/initialized'];
const asked = ['server/discover', ...shaken];

describe('The era of a stdio server', () => {
  afterEach(() => connections.close());

  it('is detected by one request to the process that serves', async () => {
    const { client, learned } = await detect(stateless);
    assert.equal(client.revision, '2026-07-28');
    assert.deepEqual(await methodsOf(client), ['server/discover']);
    assert.deepEqual(learned, ['stateless']);
  });

  it('is stateful if the request is unknown', async () => {
    const { client, learned } = await detect(() => undefined);
    assert.equal(client.revision, '2025-11-25');
    assert.deepEqual(await methodsOf(client), asked);
    assert.deepEqual(learned, ['stateful']);
  });

  it('is stateful if there is no answer, and the late answer is dropped', async () => {
    const { client, learned } = await detect(
      (server) => {
        server.on('server/discover', (message) => {
          server.on('tools/call', (call) => {
            server.fail(message, -32601, 'late');
            server.text(call, 'now');
          });
        });
      },
      { probeTimeoutMs: 50 },
    );
    await client.callTool('late', {});
    assert.deepEqual(await methodsOf(client), [...asked, 'tools/call']);
    assert.deepEqual(learned, ['stateful']);
  });

  it('is remembered as stateless if its answer was only late', async () => {
    const { client, learned } = await detect(
      (server) => {
        server.on('server/discover', (message) => {
          server.on('tools/call', (call) => {
            server.reply(message, { supportedVersions: ['2026-07-28'], capabilities: {} });
            server.text(call, 'now');
          });
        });
      },
      { probeTimeoutMs: 50 },
    );
    assert.equal(client.revision, '2025-11-25');
    await client.callTool('late', {});
    assert.deepEqual(learned, ['stateful', 'stateless']);
  });

  it('is stateless if a slow server refuses the handshake', async () => {
    const { client, learned } = await detect(
      async (server) => {
        server.speakStateless();
        // As a program that is downloaded first: it reads the question when the handshake is there, too.
        let read = '';
        while (!read.includes('"initialize"')) {
          await new Promise((resolve) => process.stdin.once('readable', resolve));
          read += process.stdin.read() ?? '';
        }
        process.stdin.unshift(read);
      },
      { probeTimeoutMs: 20 },
    );
    assert.equal(client.revision, '2026-07-28');
    assert.deepEqual((await methodsOf(client)).slice(0, 2), ['server/discover', 'initialize']);
    assert.deepEqual(learned, ['stateless']);
  });

  it('is probed once more if the server refuses the version that it lists (R-033)', async () => {
    const { client } = await detect((server) => {
      server.speakStateless();
      let count = 0;
      server.on('server/discover', (message) => {
        count += 1;
        const result = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
        if (count > 1) server.reply(message, result);
        else server.fail(message, -32022, 'no', { supported: ['2026-07-28'] });
      });
    });
    assert.equal(client.revision, '2026-07-28');
    assert.deepEqual(await methodsOf(client), ['server/discover', 'server/discover']);
  });

  it('is not probed without end', async () => {
    const failing = detect((server) => {
      server.on('server/discover', (message) =>
        server.fail(message, -32022, 'no', { supported: ['2026-07-28'] }),
      );
      server.on('initialize', () => process.exit(3));
    });
    assert.match(String(await outcome(failing)), /^unsupportedRevision server: 2026-07-28; client/);
  });

  it('is detected if the answer names older versions only', async () => {
    const { client } = await detect((server) => {
      server.on('server/discover', (message) =>
        server.reply(message, { supportedVersions: ['2025-03-26', '2024-11-05'] }),
      );
    });
    const [, initialize] = await receivedBy(client);
    assert.equal(initialize?.params?.protocolVersion, '2025-03-26');
    assert.equal(client.revision, '2025-03-26');
  });

  describe('that is remembered', () => {
    it('as stateful needs no probe', async () => {
      const { client } = await detect(silent, { rememberedEra: 'stateful' });
      assert.deepEqual(await methodsOf(client), shaken);
    });

    it('as stateful is detected again if the server has changed', async () => {
      const { client, learned } = await detect(stateless, { rememberedEra: 'stateful' });
      assert.deepEqual(await methodsOf(client), ['initialize', 'server/discover']);
      assert.deepEqual(learned, ['stateless']);
    });

    it('as stateless is detected again if the server has changed', async () => {
      const { client, learned } = await detect(() => undefined, { rememberedEra: 'stateless' });
      assert.equal(client.revision, '2025-11-25');
      assert.deepEqual(learned, ['stateful']);
    });

    it('as stateless has no short time limit', async () => {
      const { client } = await detect(
        async (server) => {
          server.speakStateless();
          server.capabilities = { tools: {} };
          await new Promise((resolve) => setTimeout(resolve, 100));
        },
        { rememberedEra: 'stateless', probeTimeoutMs: 20 },
      );
      assert.deepEqual(await methodsOf(client), ['server/discover']);
    });
  });

  it('is stateful if a server that was stateless never answers the probe (R-014, R-037)', async () => {
    const learned: KnownEra[] = [];
    const client = await connections.to(silent, {
      rememberedEra: 'stateless',
      onDidLearnEra: (known) => learned.push(known),
      limits: { probeTimeoutMs: 50, startTimeoutMs: 60_000 },
    });
    assert.equal(client.revision, '2025-11-25');
    assert.deepEqual(await methodsOf(client), asked);
    assert.deepEqual(learned, ['stateful']);
  });

  describe('that is set', () => {
    it('to stateful is not probed', async () => {
      const { client } = await detect(silent, { era: 'stateful', rememberedEra: 'stateless' });
      assert.deepEqual(await methodsOf(client), shaken);
    });

    it('to stateful fails with the server’s versions', async () => {
      assert.match(
        String(await outcome(detect(stateless, { era: 'stateful' }))),
        /^unsupportedRevision server: 2026-07-28; client: /,
      );
    });

    it('to stateless never sends a handshake', async () => {
      const failing = detect(
        (server) => server.on('initialize', () => process.stderr.write('shaken\n')),
        { era: 'stateless' },
      );
      assert.equal(await outcome(failing), 'handshakeFailed -32601 Method not found');
      assert.deepEqual(connections.log.stderrLines, []);
    });
  });

  it('can be another one after a restart', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'era-'));
    const script = `async (server) => {
      const { existsSync, writeFileSync } = await import('node:fs');
      const mark = ${JSON.stringify(path.join(folder, 'mark'))};
      if (existsSync(mark)) server.speakStateless();
      writeFileSync(mark, '');
    }`;
    const named = script;
    const first = await detect(named);
    assert.equal(first.client.revision, '2025-11-25');
    await first.client.close();
    const [rememberedEra] = first.learned;
    const second = await detect(named, rememberedEra === undefined ? {} : { rememberedEra });
    assert.equal(second.client.revision, '2026-07-28');
    rmSync(folder, { recursive: true });
  });
});
