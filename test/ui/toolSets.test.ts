import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { settings } from '../../src/ids';
import { ToolSets } from '../../src/host/agents/toolSets';
import { ToolSetCommand, ToolSetStatus } from '../../src/ui/agents/toolSetCommand';
import { pickTool } from '../../src/ui/picking/toolPicker';
import { SettingsReader } from '../../src/ui/settings/settings';
import { serverTreeOf } from './serverTrees';
import { ToolFilterState } from '../../src/ui/tree/toolFilterState';
import { treeMessage } from '../../src/ui/tree/serverTreeView';
import { serverOf, Snapshots, toolOf } from '../host/treeFixtures';
import { assertEach } from '../assertions';
import { accept, pressingKey, watchShown } from './pressingKeys';

const noStorage = { get: () => undefined, update: () => Promise.resolve() };
const configuration = () => vscode.workspace.getConfiguration(settings.section);
const write = (value: unknown): Thenable<void> =>
  configuration().update(settings.toolSets, value, vscode.ConfigurationTarget.Global);

/** Chooses the rows that begin so, list by list, and types `name`; notes what the lists showed. */
async function answering<T>(
  rows: readonly (readonly string[])[],
  work: () => Promise<T>,
  name = '',
): Promise<{ readonly result: T; readonly seen: readonly (readonly string[])[] }> {
  const seen: string[][] = [];
  let turn = 0;
  const onPick = (pick: vscode.QuickPick<vscode.QuickPickItem>): void => {
    const choose = (): void => {
      const wanted = rows[turn] ?? [];
      const fitting = pick.items.filter(({ label }) =>
        wanted.some((each) => label.startsWith(each)),
      );
      if (fitting.length === 0) return;
      seen.push(pick.items.map((item) => [item.label, item.detail ?? ''].join('|')));
      turn += 1;
      if (pick.canSelectMany) pick.selectedItems = fitting;
      else pick.activeItems = fitting.slice(0, 1);
    };
    choose();
    // Rows of a list that is filled later, and of one that is filled again.
    pick.onDidChangeActive(choose);
  };
  const end = watchShown({ pick: onPick, box: (box) => (box.value = name) });
  return { result: await pressingKey(accept, work()).finally(end), seen };
}

describe('Tool sets', () => {
  const registry = new Snapshots([
    serverOf('shop', [toolOf('look'), toolOf('sell'), toolOf('any*')]),
    serverOf('bank', [toolOf('pay')]),
  ]);
  let reader: SettingsReader;
  let sets: ToolSets;
  let kept: unknown;
  const warnings: string[] = [];

  beforeEach(() => {
    kept = undefined;
    warnings.length = 0;
    reader = new SettingsReader({ warn: (text) => warnings.push(text) });
    const storage = {
      get: () => kept,
      update: async (_: string, value: unknown) => void (kept = value),
    };
    sets = new ToolSets(reader, storage);
  });
  afterEach(async () => {
    sets.dispose();
    reader.dispose();
    await write(undefined);
  });

  it('are created from existing tools, shown as they are written, and selected', async () => {
    await write({ odd: 7, other: ['bank'] });
    const command = new ToolSetCommand({ sets, registry });
    const { seen } = await answering(
      [['New Tool Set'], ['look', 'All tools of “bank”'], ['Save and Select']],
      () => command.run(),
      'mine',
    );
    assert.deepEqual(seen[0]?.slice(0, 3), ['odd|', 'other|bank', 'All Tools|']);
    // No pattern stands for a tool alone whose name is one.
    assert.deepEqual(seen[1], [
      'shop|',
      'All tools of “shop”|',
      'look|',
      'sell|',
      'bank|',
      'All tools of “bank”|',
      'pay|',
    ]);
    assert.deepEqual(seen[2], ['Save and Select|{"mine":["shop/look","bank"]}']);
    const written: unknown = configuration().inspect(settings.toolSets)?.globalValue;
    // What cannot be read is left as it is.
    assert.deepEqual(JSON.parse(JSON.stringify(written)), {
      odd: 7,
      other: ['bank'],
      mine: ['shop/look', 'bank'],
    });
    assert.equal(kept, 'mine');
    assertEach(['look', 'sell'], (tool) => sets.holds('shop', tool), [true, false]);
    // Once for each content that it had.
    assert.equal(warnings.length, 2);
    assert.match(warnings[0] ?? '', /toolgate\.toolSets must be lists of server or server\/tool/);
    assert.match(warnings[0] ?? '', /Other values are ignored\./);
    await answering([['All Tools']], () => command.run());
    assert.deepEqual([kept, sets.holds('shop', 'sell')], [undefined, true]);
  });

  it('cannot be set by a workspace', async () => {
    await write({ mine: ['shop/look'] });
    await sets.choose('mine');
    const target = vscode.ConfigurationTarget.Workspace;
    await assert.rejects(
      async () => configuration().update(settings.toolSets, { mine: ['shop'] }, target),
      /workspace|application/i,
    );
    assert.equal(sets.holds('shop', 'sell'), false);
  });

  it('limit the tree, which says so, and offers to clear the set', async () => {
    await write({ mine: ['shop/look'] });
    await sets.choose('mine');
    const filter = new ToolFilterState(noStorage);
    const live = Object.assign(new Snapshots(registry.servers), {
      onDidChange: () => ({ dispose: () => undefined }),
    });
    const tree = serverTreeOf(live, filter, { toolSets: sets });
    const below = (id: string): readonly string[] =>
      tree.getChildren(tree.model.serverRow(id)).map((row) => {
        const item = tree.getTreeItem(row);
        tree.resolveTreeItem(item, row);
        return `${String(item.label instanceof Object ? item.label.label : item.label)}|${item.command?.command}`;
      });
    assert.deepEqual(below('shop'), ['look|toolgate.tool.press']);
    assert.deepEqual(below('bank'), ['No tool in the tool set|toolgate.toolSet.select']);
    assert.equal(treeMessage(tree.model, filter, sets), 'Tool set: mine · 1 of 4 tools');
    const drawn = new Promise((resolve) => tree.onDidChangeTreeData(resolve));
    await write({});
    await drawn;
    assert.deepEqual(below('shop'), ['No tool in the tool set|toolgate.toolSet.select']);
    assert.match(
      treeMessage(tree.model, filter, sets),
      /“mine” no longer exists, so no tool is shown/,
    );
    await sets.choose(undefined);
    assert.equal(below('shop').length, 3);
    assert.equal(treeMessage(tree.model, filter, sets), '');
    tree.dispose();
    filter.dispose();
  });

  it('limit the picker of tools, which has a row for the others', async () => {
    await write({ mine: ['shop/look'] });
    await sets.choose('mine');
    const actions = { start: async () => false, startAll: async () => undefined };
    const { result, seen } = await answering([['Show 3 more'], ['pay']], () =>
      pickTool({ registry, actions, toolSets: sets }),
    );
    assert.equal(result?.tool.name, 'pay');
    assert.deepEqual(seen[0], ['shop|', 'look|', 'Show 3 more tools that are not in “mine”|']);
    assert.ok(seen[1]?.includes('sell|') && !seen[1].some((row) => row.startsWith('Show')));
  });

  it('are in the status bar if there are any, and have a label for screen readers', async () => {
    const { createStatusBarItem } = vscode.window;
    const made: { item?: vscode.StatusBarItem; isShown: boolean } = { isShown: false };
    const make = (id: string, alignment: vscode.StatusBarAlignment): vscode.StatusBarItem => {
      const item = createStatusBarItem(id, alignment);
      const [show, hide] = [item.show.bind(item), item.hide.bind(item)];
      item.show = () => {
        made.isShown = true;
        show();
      };
      item.hide = () => {
        made.isShown = false;
        hide();
      };
      made.item = item;
      return item;
    };
    Object.assign(vscode.window, { createStatusBarItem: make });
    const status = new ToolSetStatus(sets);
    Object.assign(vscode.window, { createStatusBarItem });
    const label = (): string | undefined => made.item?.accessibilityInformation?.label;
    assert.equal(made.isShown, false);
    await write({ 'a $(bug)': ['shop'] });
    assert.deepEqual([made.isShown, made.item?.text], [true, '$(tools) All Tools']);
    await sets.choose('a $(bug)');
    assert.match(label() ?? '', /^Tool set: a /);
    assert.ok(made.item?.text.startsWith('$(tools) a') && !made.item.text.includes(' $(bug)'));
    assert.equal(made.item?.backgroundColor, undefined);
    await write({});
    assert.match(label() ?? '', /is missing: no tool is shown$/);
    assert.ok(made.isShown && made.item?.backgroundColor !== undefined);
    status.dispose();
  });
});
