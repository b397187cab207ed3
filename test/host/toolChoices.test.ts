import assert from 'node:assert/strict';
import { DisabledItems } from '../../src/host/configuration/toolChoices';
import { SteeredConsent } from './steeredConsent';
import { isAlive, rejectsWith, SteeredServers } from './steeredServers';
import { gateWith } from './steeredGate';
import { assertEach } from '../assertions';

/** Like the editor's memory of a workspace. */
class Memory {
  readonly stored = new Map<string, unknown>();
  get(key: string): unknown {
    return this.stored.get(key);
  }
  update(key: string, value: unknown): Promise<void> {
    this.stored.set(key, structuredClone(value));
    return Promise.resolve();
  }
}

describe('The disabled servers and tools', () => {
  const here = { id: 'a', source: { kind: 'setting' } } as const;
  const there = {
    id: 'a',
    source: { kind: 'workspaceFile', path: '/w/.vscode/mcp.json', folder: '/w' },
  } as const;

  it('are remembered for the workspace, and for this place alone', async () => {
    const memory = new Memory();
    const before = new DisabledItems(memory);
    await before.setServer(here, true);
    await before.setTool(there, 'echo', true);
    await before.setTool(there, 'other', true);
    await before.setTool(there, 'other', false);
    const after = new DisabledItems(memory);
    assert.deepEqual(
      [here, there].map((config) => [
        after.isServerDisabled(config),
        after.isToolDisabled(config, 'echo'),
        after.isToolDisabled(config, 'other'),
      ]),
      [
        [true, false, false],
        [false, true, false],
      ],
    );
  });

  it('are empty if the stored value is invalid', () => {
    for (const stored of [undefined, null, 'x', { a: 1 }, [1, null]]) {
      const memory = new Memory();
      memory.stored.set('disabled', stored);
      assert.equal(new DisabledItems(memory).isServerDisabled(here), false);
    }
  });

  it('are limited, and the oldest tools are dropped, but no server', async () => {
    const disabled = new DisabledItems(new Memory());
    await disabled.setServer(there, true);
    for (let index = 0; index < 2_000; index++) await disabled.setTool(here, `t${index}`, true);
    assert.ok(disabled.isServerDisabled(there));
    assertEach(['t0', 't1', 't1999'], (name) => disabled.isToolDisabled(here, name), [
      false,
      true,
      true,
    ]);
  });
});

describe('A disabled server or tool', () => {
  let disabled: DisabledItems;
  let servers: SteeredServers;
  const config = () => servers.registry.find('a')?.config ?? assert.fail();

  beforeEach(() => {
    disabled = new DisabledItems(new Memory());
    servers = new SteeredServers(undefined, { disabled });
    disabled.onDidChange(() => servers.registry.reassessMarks());
    servers.configure(servers.config('a'));
  });
  afterEach(() => servers.end());

  it('is stopped, does not start, and starts again when it is enabled', async () => {
    await servers.registry.start('a');
    const [pid = 0] = servers.pids('a');
    await disabled.setServer(config(), true);
    const { isDisabled, state } = servers.registry.find('a') ?? assert.fail();
    assert.deepEqual([isDisabled, state.kind], [true, 'stopped']);
    await rejectsWith(servers.registry.start('a'), 'serverDisabled');
    await rejectsWith(servers.registry.restart('a'), 'serverDisabled');
    assert.equal(isAlive(pid), false);
    // Also after its file was read again, and with another entry.
    servers.configure(servers.config('a', 'polite', { MORE: '1' }));
    await rejectsWith(servers.registry.start('a'), 'serverDisabled');
    await disabled.setServer(config(), false);
    assert.equal((await servers.registry.start('a')).isDisabled, undefined);
    assert.equal(servers.pids('a').length, 2);
  });

  it('is refused by the gate, with a reason, and nothing is sent', async () => {
    const steered = new SteeredConsent();
    let questions = 0;
    const gate = gateWith(steered, {
      registry: servers.registry,
      confirm: async () => {
        questions++;
        // While the person reads, somebody switches it off.
        if (questions === 2) await disabled.setTool(config(), 'echo', true);
        return { kind: 'run' };
      },
    });
    const call = async () => {
      const given = { server: 'a', tool: 'echo', arguments: { n: 1 }, origin: 'api' } as const;
      const outcome = await gate.call(given);
      return outcome.kind === 'failed' ? outcome.error.code : outcome.kind;
    };
    await servers.registry.start('a');
    const seen = [await call(), await call(), await call()];
    await disabled.setTool(config(), 'echo', false);
    seen.push(await call());
    await disabled.setServer(config(), true);
    seen.push(await call());
    assert.deepEqual(seen, ['result', 'toolDisabled', 'toolDisabled', 'result', 'serverDisabled']);
    assert.equal(questions, 3);
    assert.equal(servers.received('a').filter((line) => line.startsWith('called ')).length, 2);
  });

  it('is marked in the list of tools, and the others keep their entries', async () => {
    const before = await servers.registry.start('a');
    await disabled.setTool(config(), 'echo', true);
    const after = servers.registry.find('a') ?? assert.fail();
    const changed = after.tools.filter((entry, index) => entry !== before.tools[index]);
    assertEach(changed, ({ tool, isDisabled }) => [tool.name, isDisabled], [['echo', true]]);
    await servers.registry.refreshTools('a');
    assert.equal(servers.registry.find('a')?.tools, after.tools);
    await disabled.setTool(config(), 'echo', false);
    assert.deepEqual(servers.registry.find('a')?.tools, before.tools);
  });
});

describe('A hundred servers', () => {
  it('are listed at once, and run within the limit of simultaneous starts', async () => {
    const servers = new SteeredServers();
    const ids = Array.from({ length: 100 }, (_, index) => `s${index}`);
    servers.configure(...ids.map((id) => servers.config(id)));
    assert.equal(servers.registry.servers.length, 100);
    assert.deepEqual(servers.changes, [{ kind: 'servers' }]);
    const started = await Promise.all(ids.slice(0, 20).map((id) => servers.registry.start(id)));
    assert.ok(started.every(({ state }) => state.kind === 'running'));
    await servers.end();
  });
});
