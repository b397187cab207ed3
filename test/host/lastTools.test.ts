import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Emitter } from 'vscode-jsonrpc/node';
import { riskOf } from '../../src/core/risk';
import type { RegistryChange, Server } from '../../src/host/connections/snapshot';
import { LastTools, LastToolsFolder, toRecord } from '../../src/host/lastTools/lastTools';
import { configProblem, serverOf, Snapshots, toolOf } from './treeFixtures';
import { useFolders } from './testFolders';
import { assertEach } from '../assertions';

const stopped = { state: { kind: 'stopped' } } as const;

class Registry extends Snapshots {
  readonly #onDidChange = new Emitter<RegistryChange>();
  readonly onDidChange = this.#onDidChange.event;

  /** Shows this in place of what it showed of the server. */
  show(server: Server): void {
    const { id } = server.config;
    this.servers = this.servers.map((each) => (each.config.id === id ? server : each));
    this.#onDidChange.fire({ kind: 'state', id });
  }

  configure(servers: readonly Server[]): void {
    this.servers = servers;
    this.#onDidChange.fire({ kind: 'servers' });
  }
}

describe('The last known tools of a server', () => {
  const problems: string[] = [];
  const newFolder = useFolders('last-tools');
  let folder: string;
  beforeEach(() => {
    problems.length = 0;
    folder = newFolder();
  });
  afterEach(() => assert.deepEqual(problems, []));

  function open(registry: Registry, isOff = (_name: string) => false): LastTools {
    return new LastTools({
      folder: new LastToolsFolder(folder),
      registry,
      riskOf: (_, tool) => riskOf(tool.annotations),
      isToolDisabled: (_, name) => isOff(name),
      onProblem: (detail) => problems.push(detail),
    });
  }

  /** A window in which the server lists these and is stopped. */
  async function listed(...names: readonly string[]): Promise<void> {
    const registry = new Registry([serverOf('a', [], stopped)]);
    const tools = open(registry);
    registry.show(
      serverOf(
        'a',
        names.map((name) => toolOf(name, { description: name })),
      ),
    );
    registry.show(serverOf('a', [], stopped));
    await tools.stop();
    tools.dispose();
  }

  async function known(server = serverOf('a', [], stopped)): Promise<string[]> {
    const tools = open(new Registry([server]));
    await tools.read([server]);
    assert.ok(tools.isRead(server));
    const names = tools.of(server).map(({ tool }) => tool.name);
    tools.dispose();
    return names;
  }

  it('are available at once when it stops, and in the next window', async () => {
    const registry = new Registry([serverOf('a', [], stopped)]);
    const tools = open(registry);
    const told: string[] = [];
    tools.onDidChange((id) => told.push(id));
    const running = serverOf('a', [
      toolOf('x'),
      toolOf('y', { annotations: { readOnlyHint: true } }),
    ]);
    registry.show(running);
    assert.deepEqual(tools.of(running), []);
    const now = serverOf('a', [], stopped);
    registry.show(now);
    assertEach(tools.of(now), ({ tool, risk }) => [tool.name, risk.level], [
      ['x', 'destructive'],
      ['y', 'readOnly'],
    ]);
    assert.equal(tools.of(now), tools.of(now));
    await tools.stop();
    tools.dispose();
    assert.deepEqual(await known(), ['x', 'y']);
  });

  it('are read only on demand', async () => {
    await listed('x');
    const server = serverOf('a', [], stopped);
    const tools = open(new Registry([server]));
    assert.deepEqual([tools.of(server), tools.isRead(server)], [[], false]);
    await tools.read([server]);
    assert.equal(tools.of(server).length, 1);
    tools.dispose();
  });

  it('belong to the same configuration only, and to no disabled server', async () => {
    await listed('x');
    const { config } = serverOf('a', []);
    const transport = { kind: 'stdio', command: 'other', args: [], env: {} } as const;
    assert.deepEqual(
      await known(serverOf('a', [], { ...stopped, config: { ...config, transport } })),
      [],
    );
    const source = { kind: 'userFile', path: '/m.json' } as const;
    assert.deepEqual(
      await known(serverOf('a', [], { ...stopped, config: { ...config, source } })),
      [],
    );
    assert.deepEqual(await known(serverOf('a', [], { ...stopped, isDisabled: true })), []);
  });

  it('say which are disabled, also when that changes', async () => {
    await listed('x');
    let isOff = false;
    const server = serverOf('a', [], stopped);
    const tools = open(new Registry([server]), () => isOff);
    await tools.read([server]);
    assert.equal(tools.of(server)[0]?.isDisabled, undefined);
    isOff = true;
    tools.reassess();
    assert.equal(tools.of(server)[0]?.isDisabled, true);
    tools.dispose();
  });

  it('are deleted with the server, but not because of an unreadable file', async () => {
    await listed('x');
    const registry = new Registry([serverOf('a', [], stopped)]);
    const tools = open(registry);
    registry.problems = [configProblem()];
    registry.configure([]);
    await tools.stop();
    assert.deepEqual(await known(), ['x']);
    registry.problems = [];
    registry.configure([serverOf('a', [], stopped)]);
    registry.configure([]);
    await tools.stop();
    tools.dispose();
    assert.deepEqual(await known(), []);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('are empty if it ran and listed none, and unchanged if it could not list them', async () => {
    await listed('x');
    const registry = new Registry([serverOf('a', [], stopped)]);
    const tools = open(registry);
    const listProblems = [{ code: 'pageFailed', detail: '' }] as const;
    registry.show(serverOf('a', [], { listProblems }));
    registry.show(serverOf('a', [], stopped));
    await tools.stop();
    assert.deepEqual(await known(), ['x']);
    registry.show(serverOf('a', []));
    registry.show(serverOf('a', [], stopped));
    await tools.stop();
    tools.dispose();
    assert.deepEqual(await known(), []);
  });

  it('are limited, for one server and in total', async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => toolOf(`tool_${n}`));
    assert.equal((await toRecord('h', many, 0)).tools.length, 2_000);
    const long = Array.from({ length: 100 }, (_, n) =>
      toolOf(`tool_${n}`, { description: 'x'.repeat(30_000) }),
    );
    assert.equal((await toRecord('h', long, 0)).tools.length, 33);
    const files = new LastToolsFolder(folder, { maxServers: 2, maxBytes: 1_000_000 });
    for (const [index, key] of ['one', 'two', 'three'].entries()) {
      await files.write(key, await toRecord('h', [toolOf(key)], 0));
      utimesSync(path.join(folder, `${key}.json`), index, index);
    }
    await files.write('four', await toRecord('h', [toolOf('four')], 0));
    assert.deepEqual(readdirSync(folder).toSorted(), ['four.json', 'three.json']);
  });

  it('are shown with a schema that was too large to be kept, and parsed like those of a server', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`key_${n}`, { type: 'string' }]),
    );
    const registry = new Registry([serverOf('a', [], stopped)]);
    const tools = open(registry);
    registry.show(serverOf('a', [toolOf('wide', { inputSchema: { type: 'object', properties } })]));
    await tools.stop();
    tools.dispose();
    const server = serverOf('a', [], stopped);
    const next = open(new Registry([server]));
    await next.read([server]);
    const [entry] = next.of(server);
    assert.deepEqual([entry?.tool.inputSchema, entry?.tool.callable], [{ type: 'object' }, true]);
    next.dispose();
  });

  it('are empty if the file is invalid, of another server, or a folder', async () => {
    await listed('x');
    const [name = ''] = readdirSync(folder);
    const file = path.join(folder, name);
    const good = readFileSync(file, 'utf8');
    const record = (tools: unknown) =>
      good.replace(/"tools": \[[\s\S]*?\]/, `"tools": ${JSON.stringify(tools)}`);
    const later = good.replace('"version": 1', '"version": 2');
    for (const text of ['', '{', '[]', later, record(3), record([7])]) {
      writeFileSync(file, text);
      assert.deepEqual(await known(), [], text);
    }
    writeFileSync(file, record(['{', '{"name":3}', '{"name":"ok"}']));
    assert.deepEqual(await known(), ['ok']);
    const { config } = serverOf('b', []);
    const files = new LastToolsFolder(folder);
    assert.equal(await files.read(JSON.stringify(['setting', config.id])), undefined);
    mkdirSync(path.join(folder, 'x.json'));
    assert.equal(await files.read('x'), undefined);
  });
});
