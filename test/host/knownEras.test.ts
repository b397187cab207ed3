import assert from 'node:assert/strict';
import { KnownEras } from '../../src/host/connections/connectServer';
import type { Memento } from '../../src/host/storage/memento';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';

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
});
