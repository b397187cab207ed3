import assert from 'node:assert/strict';
import path from 'node:path';
import type { InputHandler } from '../../src/core/input/inputHandler';
import { isObject } from '../../src/core/json/shapes';
import { Programs } from '../../src/core/stdio/programs';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import type { Revision } from '../../src/core/types';
import { type ClientProfile, ClientProfiles } from '../../src/host/configuration/clientProfiles';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { connectServer, KnownEras } from '../../src/host/connections/connectServer';
import { ServerRegistry } from '../../src/host/connections/registry';
import { clientInfo, textOf } from '../core/connections';
import { assertValidMessage } from '../core/mcpSchema';
import { outcome } from '../core/wire';
import { bundled } from '../servers/bundled';
import type { ReceivedMessage } from '../servers/scripted';
import { silentLog } from '../silentLog';
import { assertEach } from '../assertions';

const program = path.resolve(__dirname, '../servers/matrixStdio.ts');

/** A server of the official SDK: `1` speaks one revision, `2` both eras. */
function configOf(id: string, ...args: readonly string[]): ServerConfig {
  const start = { command: process.execPath, args: [bundled(program), ...args], env: {} };
  return { id, label: id, source: { kind: 'setting' }, transport: { kind: 'stdio', ...start } };
}

class Memory {
  readonly stored = new Map<string, unknown>();
  get = (key: string): unknown => this.stored.get(key);
  update = (key: string, value: unknown): Promise<void> =>
    Promise.resolve(void this.stored.set(key, JSON.parse(JSON.stringify(value))));
}

/** Real servers as a window connects them, and every message that they were sent. */
class Scene {
  readonly memory = new Memory();
  readonly profiles = new ClientProfiles(this.memory);
  readonly eras = new Memory();
  readonly asked: string[] = [];
  readonly processes = new LiveProcesses();
  sharesFolders = false;
  readonly #sent = new Map<string, ReceivedMessage[]>();

  readonly registry = new ServerRegistry({
    isTrusted: () => true,
    approve: () => Promise.resolve(true),
    logOf: () => silentLog,
    profiles: this.profiles,
    connect: connectServer({
      clientInfo,
      profileOf: (config) => this.profiles.of(config),
      processes: this.processes,
      programs: new Programs({ environment: process.env }),
      logOf: (id) => ({
        ...silentLog,
        exchanged: (direction, message) => {
          if (direction === 'sent') this.sent(id).push(JSON.parse(JSON.stringify(message)));
        },
      }),
      inputOf: () => this.#input(),
      knownEras: new KnownEras(this.eras),
      limits: () => ({
        startTimeoutMs: 60_000,
        callTimeoutMs: 60_000,
        maxMessageBytes: 1e6,
        maxMessageValues: 1e5,
      }),
    }),
  });

  sent(id: string): ReceivedMessage[] {
    const known = this.#sent.get(id) ?? [];
    this.#sent.set(id, known);
    return known;
  }

  async start(config: ServerConfig, profile: ClientProfile, isKept = false): Promise<void> {
    this.registry.setConfiguration([config], []);
    await this.profiles.set(config, profile, isKept);
    this.sent(config.id).splice(0);
    await this.registry.restart(config.id);
  }

  call(id: string, tool: string): Promise<string> {
    return textOf(this.registry.client(id).callTool(tool, {}));
  }

  /** Resolves to what the server was told of its client: the first message, or each of them. */
  told(id: string): unknown[] {
    const told = this.sent(id).flatMap(({ method, params = {} }) => {
      const { _meta: meta } = params;
      const prefix = 'io.modelcontextprotocol/';
      if (isObject(meta) && `${prefix}clientInfo` in meta) {
        const { [`${prefix}clientInfo`]: info, [`${prefix}protocolVersion`]: version } = meta;
        return [[info, version, meta[`${prefix}clientCapabilities`]]];
      }
      const { clientInfo: info, protocolVersion, capabilities } = params;
      return method === 'initialize' ? [[info, protocolVersion, capabilities]] : [];
    });
    return [...new Set(told.map((each) => JSON.stringify(each)))].map((each) => JSON.parse(each));
  }

  async stop(): Promise<void> {
    await this.registry.stopAll();
    this.registry.dispose();
    this.processes.killNow();
  }

  #input(): InputHandler {
    const elicit: InputHandler['elicit'] = ({ message }) => {
      this.asked.push(message);
      return Promise.resolve({ action: 'decline' });
    };
    if (!this.sharesFolders) return { elicit };
    return { elicit, roots: () => Promise.resolve([{ uri: 'file:///a' }]) };
  }
}

const servers: readonly (readonly [title: string, args: readonly string[], revision: Revision])[] =
  [
    ['SDK 1, 2025-06-18', ['1', '2025-06-18'], '2025-06-18'],
    ['SDK 1, 2025-11-25', ['1', '2025-11-25'], '2025-11-25'],
    ['SDK 2, stateful', ['2', 'both'], '2025-03-26'],
    ['SDK 2, stateless', ['2', 'both'], '2026-07-28'],
  ];
const modes = { elicitation: { form: {}, url: {} } };
/** As each revision writes that it can ask the user. */
const elicitationIn = {
  '2024-11-05': {},
  '2025-03-26': {},
  '2025-06-18': { elicitation: {} },
  '2025-11-25': modes,
  '2026-07-28': modes,
};
const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

describe('A server that sees another client', () => {
  let scene: Scene;
  beforeEach(() => (scene = new Scene()));
  afterEach(() => scene.stop());

  for (const [title, args, revision] of servers) {
    const check = (): void => {
      assert.ok(scene.sent('s').length > 2);
      for (const message of scene.sent('s')) assertValidMessage(revision, message);
    };
    const withTasks = (capabilities: object): object[] =>
      revision === '2026-07-28' ? [capabilities, { ...capabilities, ...tasks }] : [capabilities];

    it(`gets the chosen name and revision: ${title}`, async () => {
      await scene.start(configOf('s', ...args), { name: 'cursor', revision });
      assert.equal(scene.registry.client('s').revision, revision);
      assert.equal(await scene.call('s', 'text'), 'grüße 🌍');
      check();
      const info = { name: 'cursor', title: 'cursor', version: clientInfo.version };
      const expected = withTasks(elicitationIn[revision]).map((each) => [info, revision, each]);
      assert.deepEqual(scene.told('s'), expected);
    });

    it(`gets no hidden capability, and no answer that requires it: ${title}`, async () => {
      scene.sharesFolders = true;
      const claimed = { elicitation: false, roots: false, tasks: false };
      await scene.start(configOf('s', ...args), { revision, claimed });
      for (const tool of ['ask', 'roots']) {
        const answer = await outcome(scene.registry.client('s').callTool(tool, {}));
        assert.doesNotMatch(JSON.stringify(answer), /decline|file:/);
      }
      check();
      assert.deepEqual(scene.asked, []);
      assert.deepEqual(scene.told('s'), [[clientInfo, revision, {}]]);
    });

    it(`gets a claimed capability that is off, and no answer that requires it: ${title}`, async () => {
      await scene.start(configOf('s', ...args), { revision, claimed: { roots: true } });
      const answer = await outcome(scene.registry.client('s').callTool('roots', {}));
      assert.doesNotMatch(JSON.stringify(answer), /"roots":/);
      check();
      const capabilities = { ...elicitationIn[revision], roots: {} };
      const expected = withTasks(capabilities).map((each) => [clientInfo, revision, each]);
      assert.deepEqual(scene.told('s'), expected);
    });
  }

  it('sends no call as a task if tasks are hidden', async () => {
    await scene.start(configOf('s', '1', '2025-11-25'), { claimed: { tasks: false } });
    const { capabilities } = scene.registry.client('s');
    assert.deepEqual([capabilities.taskCalls, capabilities.taskLists], [false, false]);
    await scene.registry.client('s').callTool('text', {}, { isTask: true });
    const call = scene.sent('s').find(({ method }) => method === 'tools/call');
    assert.equal(call?.params?.task, undefined);
  });

  it('is the only one: the same entry elsewhere, another entry and a changed one see Toolgate', async () => {
    const own = configOf('s', '2', 'both');
    const elsewhere: ServerConfig = { ...own, source: { kind: 'userFile', path: '/mcp.json' } };
    const twin = configOf('twin', '2', 'both');
    const changed = configOf('s', '2', 'both', 'changed');
    await scene.profiles.set(own, { name: 'cursor' }, true);
    assertEach([own, elsewhere, twin, changed], (config) => scene.profiles.of(config)?.name, [
      'cursor',
      undefined,
      undefined,
      undefined,
    ]);
    scene.registry.setConfiguration([own, twin], []);
    await Promise.all(['s', 'twin'].map((id) => scene.registry.start(id)));
    assert.match(JSON.stringify(scene.told('s')), /"name":"cursor"/);
    assert.doesNotMatch(JSON.stringify(scene.told('twin')), /cursor/);
    assert.equal(scene.registry.find('s')?.client?.name, 'cursor');
    assert.equal(scene.registry.find('twin')?.client, undefined);
    // Only what the other one speaks is remembered.
    assert.equal(JSON.stringify(scene.eras.get('knownEras')).match(/state/g)?.length, 1);
  });

  it('sees Toolgate again after a restart of the window, unless the choice was stored', async () => {
    const { memory, profiles } = scene;
    const [kept, gone] = [configOf('kept', '2', 'both'), configOf('gone', '2', 'both')];
    const claimed = { roots: true };
    await profiles.set(kept, { name: 'a', revision: '2025-06-18', claimed }, true);
    await profiles.set(gone, { name: 'b' }, false);
    const next = new ClientProfiles(memory);
    assert.deepEqual(next.of(kept), { name: 'a', revision: '2025-06-18', claimed });
    assert.deepEqual(
      [next.of(gone), next.isKept(kept), profiles.isKept(gone)],
      [undefined, true, false],
    );
    await next.set(kept, {}, true);
    assert.equal(new ClientProfiles(memory).of(kept), undefined);
  });

  it('ignores invalid stored choices', () => {
    const config = configOf('s', '2', 'both');
    const memory = new Memory();
    for (const value of [null, 1, 'x', {}, [1], [[]], [['key', 5]], [[3, {}]]]) {
      memory.stored.set('clientProfiles', value);
      assert.equal(new ClientProfiles(memory).of(config), undefined);
    }
    const [key] = (() => {
      const own = new Memory();
      void new ClientProfiles(own).set(config, { name: 'a' }, true);
      return Object(own.get('clientProfiles'))[0];
    })();
    const odd = {
      name: 'x'.repeat(1_000),
      revision: '1',
      claimed: { roots: 'yes', sampling: true },
    };
    memory.stored.set('clientProfiles', [[key, odd]]);
    assert.deepEqual(new ClientProfiles(memory).of(config), { name: 'x'.repeat(100) });
  });
});
