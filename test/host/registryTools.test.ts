import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { McpClient } from '../../src/core/client';
import { parseTool } from '../../src/core/parse/parseTool';
import { riskOfTool } from '../../src/core/risk';
import type { Tool } from '../../src/core/types';
import { ToolListing, toToolEntries, type Server } from '../../src/host/connections/snapshot';
import { whileStopped } from '../core/stoppedClock';
import { outcome, RecordingLog } from '../core/wire';
import { assertEach } from '../assertions';
import { rejectsWith, SteeredServers } from './steeredServers';

const schema = { type: 'object' };
const names = (server: Server | undefined) => server?.tools.map((entry) => entry.tool.name);

describe('The tools of a running server', () => {
  let servers: SteeredServers;
  beforeEach(async () => {
    servers = new SteeredServers();
    servers.configure(servers.config('a'));
    await servers.registry.start('a');
  });
  afterEach(() => servers.end());

  const find = () => servers.registry.find('a') ?? assert.fail();
  const listings = () => servers.received('a').filter((line) => line === 'tools/list').length;
  const toolChanges = () => servers.changes.filter((change) => change.kind === 'tools').length;

  it('are listed again once after several notifications', () =>
    whileStopped(async (clock) => {
      const before = find();
      await servers.steer('a', { tools: [{ name: 'new', inputSchema: schema }], announce: 500 });
      assert.equal(find(), before);
      clock.advance(300);
      await servers.until('a', (server) => server !== before);
      assert.deepEqual(names(find()), ['steer', 'new']);
      assert.deepEqual([listings(), toolChanges()], [2, 2]);
    }));

  it('are listed again once after notifications one by one', () =>
    whileStopped(async (clock) => {
      const before = find();
      await servers.steer('a', { tools: [] });
      for (let round = 0; round < 5; round++) {
        clock.advance(299);
        await servers.steer('a', { announce: 1 });
      }
      assert.equal(listings(), 1);
      clock.advance(300);
      await servers.until('a', (server) => server !== before);
      assert.equal(listings(), 2);
    }));

  it('are the same objects while their definitions are the same', async () => {
    const before = find();
    const [steer, echo] = before.tools;
    await servers.registry.refreshTools('a');
    assert.equal(find(), before);
    const tools = [
      { name: 'first', inputSchema: schema },
      { annotations: { readOnlyHint: true }, inputSchema: echo?.tool.inputSchema, name: 'echo' },
      { name: 'structured', description: 'now with one', inputSchema: schema },
    ];
    await servers.steer('a', { tools });
    await servers.registry.refreshTools('a');
    const after = find().tools;
    assert.deepEqual(names(find()), ['steer', 'first', 'echo', 'structured']);
    assert.deepEqual([after[0] === steer, after[2] === echo], [true, true]);
    assert.notEqual(after[3], before.tools[2]);
  });

  it('are those of the last list, even if it is long and arrives in its own turn', async () => {
    const long = Array.from({ length: 1_500 }, (_, at) => ({
      name: `t${at}`,
      inputSchema: schema,
    }));
    await servers.steer('a', { tools: long });
    await servers.registry.refreshTools('a');
    assert.equal(find().tools.length, 1_501);
    assert.equal(toolChanges(), 2);
    const listing = outcome(servers.registry.refreshTools('a'));
    await servers.registry.stop('a');
    assert.equal(await listing, 'cancelled');
    assert.deepEqual(find().tools, []);
  });

  it('stay while a list is requested, which another request joins', async () => {
    const before = find();
    await servers.steer('a', { holdLists: true, tools: [] });
    const refreshes = [servers.registry.refreshTools('a'), servers.registry.refreshTools('a')];
    assert.equal(find(), before);
    await servers.steer('a', { holdLists: false });
    await Promise.all(refreshes);
    assert.deepEqual([names(find()), listings()], [['steer'], 2]);
  });

  it('are listed once more if a change is announced during a list', () =>
    whileStopped(async (clock) => {
      await servers.steer('a', { holdLists: true });
      const refresh = servers.registry.refreshTools('a');
      await servers.steer('a', { announce: 5 });
      await servers.steer('a', { holdLists: false });
      await refresh;
      await servers.steer('a', { tools: [] });
      clock.advance(300);
      await servers.until('a', (server) => server.tools.length === 1);
      assert.equal(listings(), 3);
    }));

  it('are not requested without a pause if each list announces a change', () =>
    whileStopped(async (clock) => {
      await servers.steer('a', { announceAtEachList: true });
      await servers.registry.refreshTools('a');
      let passedMs = 0;
      for (; listings() < 4; passedMs += 50) {
        clock.advance(50);
        await delay(1);
      }
      // The second time the longer pause.
      assert.ok(passedMs >= 300 + 2_000, `${passedMs} ms`);
    }));

  it('stay if listing again fails, with the reason', async () => {
    const { tools } = find();
    await servers.steer('a', { failLists: 'disk full' });
    await rejectsWith(servers.registry.refreshTools('a'), 'serverError');
    assert.equal(find().tools, tools);
    assert.match(JSON.stringify(find().listProblems), /pageFailed.*disk full/);
    await servers.steer('a', { failLists: '' });
    await servers.registry.refreshTools('a');
    assert.deepEqual([find().tools === tools, find().listProblems], [true, []]);
  });

  it('are removed when the server stops during a list', async () => {
    await servers.steer('a', { holdLists: true });
    const refresh = rejectsWith(servers.registry.refreshTools('a'), 'cancelled');
    await servers.registry.stop('a');
    await refresh;
    assert.deepEqual([find().tools, find().listProblems, servers.logged], [[], [], []]);
  });
});

function tool(index: number, description = 'does something useful'): Tool {
  return {
    name: `tool${index}`,
    description: `${description} ${index}`,
    inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } },
    annotations: { readOnlyHint: index % 2 === 0 },
    callable: true,
    problems: [],
  };
}

describe('A list of tools', () => {
  it('is requested less and less often from a server that announces a change after each, and says so', () =>
    whileStopped(async (clock) => {
      const listedAt: number[] = [];
      const client = {
        listTools: () => {
          listedAt.push(Date.now());
          return Promise.resolve({ tools: [], problems: [] });
        },
      };
      const listing = new ToolListing({
        serverId: 'a',
        client: client as unknown as McpClient,
        log: new RecordingLog(),
        assess: riskOfTool,
        choices: undefined,
        onDidChange: () => undefined,
      });
      await listing.refresh();
      for (let passedMs = 0; passedMs < 60_000; passedMs += 20) {
        const before = listedAt.length;
        clock.advance(20);
        await delay(0);
        // Also what is announced while nothing is due.
        if (listedAt.length > before || passedMs === 0) {
          clock.advance(20);
          listing.announceChange();
        }
      }
      const pauses = listedAt
        .slice(1)
        .map((at, index) => Math.round((at - (listedAt[index] ?? 0)) / 1_000));
      assert.deepEqual(pauses.slice(0, 6), [0, 2, 4, 8, 10, 10]);
      assert.deepEqual(listing.problems, [{ code: 'alwaysChanging' }]);
      // The server is quiet now, and the user asks.
      await listing.listAnnounced();
      await listing.refresh();
      assert.deepEqual(listing.problems, []);
      listing.dispose();
    }));

  it('is current for a caller after a change was announced while it was requested', async () => {
    const releases: (() => void)[] = [];
    const client = {
      listTools: async () => {
        const version = releases.length;
        await new Promise<void>((resolve) => releases.push(resolve));
        const tools = [parseTool({ name: `version ${version}`, inputSchema: schema })];
        return { tools, problems: [] };
      },
    };
    const listing = new ToolListing({
      serverId: 'a',
      client: client as unknown as McpClient,
      log: new RecordingLog(),
      assess: riskOfTool,
      choices: undefined,
      onDidChange: () => undefined,
    });
    void listing.refresh();
    listing.announceChange();
    const state = { isDone: false };
    const current = Promise.all([listing.listAnnounced(), listing.listAnnounced()]);
    void current.then(() => (state.isDone = true));
    while (!state.isDone) {
      for (const release of releases) release();
      await delay(0);
    }
    assertEach(listing.tools, (entry) => entry.tool.name, ['version 1']);
    assert.equal(releases.length, 2);
    listing.dispose();
  });

  it('of many tools is announced in the turn after the last one arrived', async () => {
    const told: string[] = [];
    const listingOf = (count: number): ToolListing => {
      const tools = Array.from({ length: count }, (_, at) =>
        parseTool({ name: `tool ${at}`, inputSchema: schema }),
      );
      const client = { listTools: () => Promise.resolve({ tools, problems: [] }) };
      return new ToolListing({
        serverId: 'a',
        client: client as unknown as McpClient,
        log: new RecordingLog(),
        assess: riskOfTool,
        choices: undefined,
        onDidChange: () => told.push(`${count} tools`),
      });
    };
    setImmediate(() => told.push('next round'));
    await Promise.all([listingOf(1_001).refresh(), listingOf(1_000).refresh()]);
    assert.deepEqual(told, ['1000 tools', 'next round', '1001 tools']);
  });
});

describe('Tool entries', () => {
  it('of 20,000 tools are created, and compared again in another order, in one pass', () => {
    let reads = 0;
    const tools = Array.from({ length: 20_000 }, (_, index) => {
      const get = () => {
        reads += 1;
        return `tool${index}`;
      };
      return Object.defineProperty(tool(index), 'name', { get });
    });
    const first = toToolEntries('a', tools, []);
    const second = toToolEntries('a', structuredClone(tools).toReversed(), first);
    assert.ok(second.every((entry, index) => entry === first[19_999 - index]));
    assert.ok(reads < 20 * tools.length, `${reads} names were read`);
  });

  it('keep their objects when tools move, appear, vanish and repeat', () => {
    const [a, b, c] = [tool(1), tool(2), tool(3)] as const;
    const before = toToolEntries('s', [a, b, b, c], []);
    const after = toToolEntries('s', [c, b, b, tool(4), tool(1, 'changed')], before);
    assertEach(after, (entry) => before.indexOf(entry), [3, 1, 2, -1, -1]);
    assert.notEqual(toToolEntries('s', [b, a], toToolEntries('s', [a, b], [])), before);
  });
});
