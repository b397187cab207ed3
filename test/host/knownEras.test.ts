import assert from 'node:assert/strict';
import { CancellationToken } from 'vscode-jsonrpc/node';
import { connectServer, KnownEras } from '../../src/host/connections/connectServer';
import type { Memento } from '../../src/host/storage/memento';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { Programs } from '../../src/core/stdio/programs';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import { clientInfo } from '../core/connections';
import { outcome } from '../core/wire';
import { scripted } from '../servers/scripted';
import { silentLog } from '../silentLog';

/** Keeps values as the editor's memory does: as JSON. */
class StoredMemory implements Memento {
  readonly stored = new Map<string, string>();
  updates = 0;

  get(key: string): unknown {
    return JSON.parse(this.stored.get(key) ?? 'null');
  }

  async update(key: string, value: unknown): Promise<void> {
    this.updates += 1;
    this.stored.set(key, JSON.stringify(value));
  }
}

const server = (command: string): ServerConfig => ({
  id: 'a',
  label: 'a',
  source: { kind: 'setting' },
  transport: { kind: 'stdio', command, args: [], env: {} },
});

describe('Known eras', () => {
  it('are kept over a restart, for one configuration of the server', () => {
    const memory = new StoredMemory();
    new KnownEras(memory).learn(server('one'), 'stateless');
    const eras = new KnownEras(memory);
    assert.equal(eras.of(server('one')), 'stateless');
    assert.equal(eras.of(server('two')), undefined);
    eras.learn(server('one'), 'sse');
    assert.equal(new KnownEras(memory).of(server('one')), 'sse');
  });

  it('are stored only when they change', () => {
    const memory = new StoredMemory();
    const eras = new KnownEras(memory);
    for (let start = 0; start < 3; start += 1) eras.learn(server('one'), 'stateful');
    assert.equal(memory.updates, 1);
  });

  it('are limited to the newest', () => {
    const eras = new KnownEras(new StoredMemory());
    for (let count = 0; count < 300; count += 1) eras.learn(server(`${count}`), 'stateful');
    assert.equal(eras.of(server('0')), undefined);
    assert.equal(eras.of(server('299')), 'stateful');
  });

  for (const stored of ['5', '{}', '[1, null, ["a"], ["a", "x"], [1, "sse"]]']) {
    it(`are empty if ${stored} was stored`, () => {
      const memory = new StoredMemory();
      memory.stored.set('knownEras', stored);
      assert.equal(new KnownEras(memory).of(server('one')), undefined);
    });
  }

  it('that cannot be stored still apply in this window', () => {
    const memory: Memento = {
      get: () => undefined,
      update: () => Promise.reject(new Error('full')),
    };
    const eras = new KnownEras(memory);
    eras.learn(server('one'), 'stateful');
    assert.equal(eras.of(server('one')), 'stateful');
  });

  const processes = new LiveProcesses();
  after(() => processes.killNow());

  for (const [what, handler] of [
    ['does not answer the old handshake', '() => undefined'],
    ['exits at the old handshake', '() => process.exit(7)'],
  ] as const) {
    it(`are found out anew at the next start if the server now ${what} (R-037)`, async () => {
      const command = scripted(`(server) => {
        server.speakStateless();
        server.on('initialize', ${handler});
      }`);
      const config: ServerConfig = { ...server(''), transport: { kind: 'stdio', ...command } };
      const knownEras = new KnownEras(new StoredMemory());
      knownEras.learn(config, 'stateful');
      let startTimeoutMs = 1_000;
      const connect = connectServer({
        clientInfo,
        processes,
        programs: new Programs({ environment: process.env }),
        logOf: () => silentLog,
        inputOf: () => ({ elicit: async () => ({ action: 'cancel' }) }),
        knownEras,
        limits: () => ({
          startTimeoutMs,
          callTimeoutMs: 60_000,
          maxMessageBytes: 1e6,
          maxMessageValues: 1e5,
        }),
      });
      const ignore = () => undefined;
      const { transport } = config;
      const hooks = { transport, onGarbage: ignore, onNotice: ignore, onStage: ignore };
      const start = () => connect(config, hooks, CancellationToken.None);
      assert.match(String(await outcome(start())), /^(?:handshakeT|exitedE)/);
      startTimeoutMs = 60_000;
      const client = await start();
      assert.deepEqual([client.revision, knownEras.of(config)], ['2026-07-28', 'stateless']);
      await client.close();
    });
  }
});
