import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { latestFirst, olderFirst } from '../../src/host/storage/recordFile';
import { RecordStore } from '../../src/host/storage/recordStore';
import { pickableTools, recentTools } from '../../src/ui/picking/pickableTools';
import { ToolSearch } from '../../src/ui/picking/toolSearch';
import { historyIn, idsOf, pastCall } from './pastCalls';
import { useFolders } from './testFolders';
import { serverOf, toolOf } from './treeFixtures';
import { assertEach } from '../assertions';

const at = Date.now();
const sourceFolder = path.resolve(__dirname, '../../src');

describe('Of entries with the same time, the later one comes first', () => {
  const newFolder = useFolders('same-time');
  // No order of names or of their hashes is this one.
  const ids = ['m', 'a', 'z', 'c', 'x', 'b', 'y', 'd', 'k', 'e'];

  it('in the history, also after a reload, in another window and after a restart', async () => {
    const folder = newFolder();
    const { history: first } = historyIn(folder);
    for (const id of ids) first.keep(pastCall(id, { tool: id, endedAt: at }));
    await first.stop();
    assert.deepEqual(idsOf(first), ids.toReversed());
    const { history: second } = historyIn(folder);
    await second.read();
    assert.deepEqual(idsOf(second), ids.toReversed());
    second.keep(pastCall('0', { tool: '0', endedAt: at }));
    await second.stop();
    await first.refresh();
    assert.deepEqual(idsOf(first), ['0', ...ids.toReversed()]);
    const last = await second.lastOfEachTool();
    assertEach(last, ({ callId }) => callId, ['0', ...ids.toReversed()]);
  });

  it('in the history, also before it is written', async () => {
    const { history } = historyIn(newFolder());
    history.keep(pastCall('1', { endedAt: at }));
    await history.stop();
    history.keep(pastCall('2', { endedAt: at }));
    const [last] = await history.lastOfEachTool();
    assert.equal(last?.callId, '2');
    await history.stop();
  });

  it('among the tools that were called last', () => {
    const calls = ['two', 'one'].map((tool) => pastCall(tool, { server: 'a', tool, endedAt: at }));
    const servers = [serverOf('a', [toolOf('one'), toolOf('two'), toolOf('never')])];
    const tools = pickableTools(servers, { calls });
    const names = (found: typeof tools) => found.map(({ entry }) => entry.tool.name);
    assert.deepEqual(names(recentTools(tools)), ['two', 'one']);
    assert.deepEqual(names(new ToolSearch().find(tools, 'o')), ['one', 'two']);
    const equals = [serverOf('a', [toolOf('xa'), toolOf('xb'), toolOf('xc')])];
    const called = ['xc', 'xb'].map((tool) => pastCall(tool, { server: 'a', tool, endedAt: at }));
    const found = new ToolSearch().find(pickableTools(equals, { calls: called }), 'x');
    assert.deepEqual(names(found), ['xc', 'xb', 'xa']);
  });

  it('among records: grants, overrides, trusted servers', async () => {
    const folder = newFolder();
    const open = () =>
      new RecordStore<{ readonly at: number }>({
        folder,
        parse: () => ({ at }),
        onProblem: ({ detail }) => assert.fail(detail),
      });
    const keysOf = (store: ReturnType<typeof open>) =>
      latestFirst(store.entries(), ([, record]) => record.at).map(([key]) => key);
    const first = open();
    for (const id of ids) await first.put(id, { at });
    assert.deepEqual(keysOf(first), ids.toReversed());
    await first.refresh();
    assert.deepEqual(keysOf(first), ids.toReversed());
    // One that is written again was kept when it was new.
    await first.put('z', { at });
    const second = open();
    await second.refresh();
    assert.deepEqual(keysOf(second), ids.toReversed());
    await second.put('z', { at });
    await first.refresh();
    assert.deepEqual(keysOf(first), ids.toReversed());
  });

  it('in a comparison of two', () => {
    const [one, two, three] = [{ at: 1 }, { at: 1 }, { at: 2 }];
    const order = (a: object, b: object) =>
      olderFirst([two, one, three], (item: { at: number }) => item.at, a as never, b as never);
    assert.deepEqual(order(one, two), [two, one]);
    assert.deepEqual(order(two, one), [two, one]);
    assert.deepEqual(order(three, one), [one, three]);
    assert.deepEqual(order({ at: 1 }, one), [one, { at: 1 }]);
  });

  it('because one function sorts by time, the latest first', () => {
    const files = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => file.endsWith('.ts'));
    assert.ok(sources.length > 500);
    const sorting =
      /[sS]ort(?:ed)?\([^;]*\b(?:other|b)\.[^;]*[aA]t\b[^;]* - [^;]*\b(?:one|a)\.[^;]*[aA]t\b/;
    const found = sources.filter((file) =>
      sorting.test(readFileSync(path.join(sourceFolder, file), 'utf8')),
    );
    assert.deepEqual(found.toSorted(), []);
  });
});
