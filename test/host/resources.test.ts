import assert from 'node:assert/strict';
import { Emitter } from 'vscode-jsonrpc/node';
import type { McpClient } from '../../src/core/client';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import type { ServerRegistry } from '../../src/host/connections/registry';
import { LiveResources, type ReloadedResource } from '../../src/host/resources/liveResources';
import {
  promptKind,
  type PromptLists,
  type ResourceConnection,
  type ResourceEntry,
  resourceKind,
  type ResourceLists,
  ServerLists,
} from '../../src/host/resources/serverLists';
import { scripted, type Script } from '../servers/scripted';
import { whileStopped } from '../core/stoppedClock';
import { untilEvent } from '../waiting';
import { trustedRegistry } from './trustedRegistry';

/** The prompts of one server, which `list` lets succeed or fail. */
function steeredLists(list: () => Promise<unknown>) {
  const onDidChange = new Emitter<void>();
  const server = { config: { id: 's' }, state: { kind: 'running' } };
  const client = {
    capabilities: { prompts: true },
    onDidChangePrompts: onDidChange.event,
    listPrompts: async () => {
      await list();
      return { prompts: [], problems: [] };
    },
  };
  const registry = { servers: [server], onDidChange: new Emitter().event, client: () => client };
  const lists: PromptLists = new ServerLists(Object(registry), promptKind);
  return { lists, announce: () => onDidChange.fire() };
}

/** Two resources; the tool `tell` sends the notification in its arguments. */
const garden: Script = (server) => {
  server.capabilities = { tools: {}, resources: { subscribe: true, listChanged: true } };
  let count = 0;
  let lists = 0;
  for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
    server.on(method, (message) => server.reply(message, {}));
  }
  server.on('resources/list', (message) => {
    lists += 1;
    const resources = ['pond', `list ${lists}`].map((name) => ({ uri: `a:${name}`, name }));
    server.reply(message, { resources });
  });
  server.on('resources/read', (message) => {
    const { uri } = message.params ?? {};
    count += 1;
    if (uri === 'a:gone' && count > 1) return server.fail(message, -32002, 'no such thing');
    server.reply(message, { contents: [{ uri, text: `read ${count}` }] });
  });
  server.on('tools/call', (message) => {
    const { arguments: news } = message.params ?? {};
    const { method, times = 1, ...params } = Object(news);
    for (let time = 0; time < times; time += 1) server.send({ method, params });
    server.text(message, 'told');
  });
};
const bare: Script = (server) => {
  server.capabilities = { tools: {} };
};

describe('The resources of running servers', () => {
  const processes = new LiveProcesses();
  let registry: ServerRegistry;
  const clientOf = (id: string): Pick<McpClient, 'callTool'> =>
    // The registry hands it out as what the gate alone may call.
    Object(registry.client(id));
  const call = async (name: string, args: object = {}) => {
    const { content } = await clientOf('garden').callTool(name, args);
    return content[0]?.type === 'text' ? String(content[0].text) : '';
  };
  const methods = async (): Promise<string[]> =>
    JSON.parse(await call('received')).map(
      ({ method, params }: { method: string; params?: { uri?: string } }) =>
        [method, params?.uri].filter(Boolean).join(' '),
    );

  /** What was ended may be collected a moment later. */
  const allGone = () => untilEvent(processes.onDidChange, () => processes.pids.length === 0);

  beforeEach(async () => {
    registry = trustedRegistry({ garden: scripted(garden), bare: scripted(bare) }, processes);
    await Promise.all([registry.start('garden'), registry.start('bare')]);
  });
  afterEach(async () => {
    await registry.stopAll();
    registry.dispose();
    await allGone();
  });

  describe('as lists', () => {
    let lists: ResourceLists;
    beforeEach(
      () => (lists = new ServerLists<ResourceEntry, ResourceConnection>(registry, resourceKind)),
    );
    afterEach(() => lists.dispose());
    const names = () => lists.of('garden').entries.map(({ name }) => name);
    const until = (isDone: () => boolean) => untilEvent(lists.onDidChange, isDone);

    it('are requested on demand only', async () => {
      assert.deepEqual([lists.has('garden'), lists.has('bare')], [true, false]);
      assert.equal(lists.of('garden').state, 'unknown');
      assert.equal((await methods()).includes('resources/list'), false);
      lists.want('garden');
      assert.equal(lists.of('garden').state, 'listing');
      await until(() => lists.of('garden').state === 'listed');
      assert.deepEqual(names(), ['pond', 'list 1']);
      lists.want('garden');
      lists.renew('garden');
      await lists.ensure('garden');
      assert.equal((await methods()).filter((it) => it === 'resources/list').length, 1);
    });

    it('are listed again once after several notifications, and on refresh', async () => {
      await lists.ensure('garden');
      await call('tell', { method: 'notifications/resources/list_changed', times: 100 });
      await until(() => names().includes('list 2'));
      await lists.refresh('garden');
      assert.deepEqual(names(), ['pond', 'list 3']);
    });

    it('are listed again when they are needed after they could not be listed', async () => {
      let count = 0;
      const steered = steeredLists(async () => {
        count += 1;
        if (count === 1) throw new Error('busy');
      });
      const errors: unknown[] = [];
      for (let time = 0; time < 3; time += 1) {
        await steered.lists.ensure('s');
        errors.push(steered.lists.of('s').error?.message);
      }
      assert.match(String(errors[0]), /busy/);
      assert.deepEqual([errors.slice(1), count], [[undefined, undefined], 2]);
      steered.lists.dispose();
    });

    it('are listed less and less often if a change is announced after each listing, which is said', () =>
      whileStopped(async (clock) => {
        let count = 0;
        const steered = steeredLists(async () => (count += 1));
        await steered.lists.ensure('s');
        let known = 0;
        for (let passedMs = 0; passedMs < 60_000; passedMs += 50) {
          if (count > known) steered.announce();
          known = count;
          clock.advance(50);
          await new Promise(setImmediate);
        }
        assert.ok(count >= 7 && count <= 11, `${count} listings in a minute`);
        assert.deepEqual(steered.lists.of('s').problems, [{ code: 'alwaysChanging' }]);
        steered.lists.dispose();
      }));

    it('are listed although changes are announced without a pause', () =>
      whileStopped(async (clock) => {
        let count = 0;
        const steered = steeredLists(async () => (count += 1));
        await steered.lists.ensure('s');
        for (let passedMs = 0; passedMs < 60_000; passedMs += 100) {
          steered.announce();
          clock.advance(100);
          await new Promise(setImmediate);
        }
        assert.ok(count >= 7 && count <= 31, `${count} listings in a minute`);
        steered.lists.dispose();
      }));

    it('are cleared at the end of a run, and unknown in the next', async () => {
      await lists.ensure('garden');
      await registry.stop('garden');
      assert.deepEqual([lists.has('garden'), lists.of('garden').state], [false, 'unknown']);
      await assert.rejects(lists.refresh('garden'), /notRunning/);
      await registry.start('garden');
      assert.deepEqual([lists.has('garden'), lists.of('garden').state], [true, 'unknown']);
    });
  });

  describe('that are open', () => {
    let live: LiveResources;
    const reads: ReloadedResource[] = [];
    const onDidRead = new Emitter<void>();
    const pond = { serverId: 'garden', uri: 'a:pond' };
    const gone = { serverId: 'garden', uri: 'a:gone' };
    beforeEach(() => {
      reads.length = 0;
      live = new LiveResources({
        servers: registry,
        onRead: (read) => {
          reads.push(read);
          onDidRead.fire();
        },
      });
    });
    afterEach(() => live.dispose());
    const until = (isDone: () => boolean) =>
      untilEvent((look) => {
        const listeners = [live.onDidChange(look), onDidRead.event(look)];
        return { dispose: () => listeners.forEach((listener) => listener.dispose()) };
      }, isDone);
    const isLive = () => live.stateOf(pond).kind === 'live';
    const updated = (uri: string, times = 1) =>
      call('tell', { method: 'notifications/resources/updated', uri, times });

    it('are subscribed to while they are, and read again when they change (R-448, R-450)', async () => {
      live.setOpen([pond]);
      await until(isLive);
      await updated('a:pond');
      await until(() => reads.length === 1);
      assert.equal(reads[0]?.read.contents[0]?.text, 'read 1');
      await updated('a:other');
      live.setOpen([]);
      // The subscriptions change one after the other.
      await call('received');
      const told = (await methods()).filter((it) => it.startsWith('resources/'));
      assert.deepEqual(told, [
        'resources/subscribe a:pond',
        'resources/read a:pond',
        'resources/unsubscribe a:pond',
      ]);
    });

    it('are read twice, not a hundred times, for a hundred changes in a row', async () => {
      live.setOpen([pond]);
      await until(isLive);
      await updated('a:pond/part', 100);
      await until(() => reads.length === 2);
      await call('received');
      assert.equal(reads.length, 2);
    });

    it('say that their server stopped, and follow its next run', async () => {
      live.setOpen([pond]);
      await until(isLive);
      await registry.stop('garden');
      assert.deepEqual(live.stateOf(pond), { kind: 'gone' });
      await registry.start('garden');
      await until(() => isLive() && reads.length === 1);
      await updated('a:pond');
      await until(() => reads.length === 2);
    });

    it('are read as soon as their server runs if they are outdated, and once', async () => {
      await registry.stop('garden');
      live.setOpen([{ ...pond, isOld: true }]);
      assert.deepEqual(live.stateOf(pond), { kind: 'gone' });
      await registry.start('garden');
      await until(() => isLive() && reads.length === 1);
      live.setOpen([pond]);
      await updated('a:pond');
      await until(() => reads.length === 2);
      assert.equal(reads[1]?.read.contents[0]?.text, 'read 2');
    });

    it('are read at once if they are outdated and the server runs', async () => {
      live.setOpen([{ ...pond, isOld: true }]);
      await until(() => reads.length === 1);
      live.setOpen([pond, { ...gone, isOld: true }]);
      await until(() => live.stateOf(gone).kind === 'failed');
      assert.equal(reads.length, 1);
      let changes = 0;
      live.onDidChange(() => (changes += 1));
      live.wasRead(gone);
      // Whether the server has already confirmed the subscription does not matter here.
      assert.notEqual(live.stateOf(gone).kind, 'failed');
      assert.equal(changes, 1);
    });

    it('are not read if they were closed before the server ran', async () => {
      await registry.stop('garden');
      live.setOpen([pond, { ...gone, isOld: true }]);
      live.setOpen([pond]);
      await registry.start('garden');
      await until(isLive);
      const told = (await methods()).filter((it) => it.startsWith('resources/read'));
      assert.deepEqual(told, []);
    });

    it('say that they changed and could not be read again, until they are read', async () => {
      live.setOpen([gone]);
      await until(() => live.stateOf(gone).kind === 'live');
      await updated('a:gone');
      await until(() => reads.length === 1);
      await updated('a:gone');
      await until(() => live.stateOf(gone).kind === 'failed');
      assert.equal(reads.length, 1);
    });

    it('get no updates if the server has no notifications', () => {
      const resource = { serverId: 'bare', uri: 'a:b' };
      live.setOpen([resource]);
      assert.deepEqual(live.stateOf(resource), { kind: 'still' });
    });
  });
});
