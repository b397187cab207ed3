import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ClientProfile } from '../../src/host/configuration/clientProfiles';
import { commands } from '../../src/ids';
import { ToolFilterState } from '../../src/ui/tree/toolFilterState';
import { serverOf, Snapshots } from '../host/treeFixtures';
import type { Script } from '../servers/scripted';
import { assertEach } from '../assertions';
import { pressStart } from './dialogs';
import { accept, labelsOf, untilTaken, watchShown } from './pressingKeys';
import { run, useWindow } from './realWindow';
import { serverTreeOf } from './serverTrees';
import { chooseRow, escape, ShownPicks } from './shownPicks';

const yes = 'Choose…';

/** A server whose only tool is named after what it is told of its client. */
const telling: Script = (server) => {
  server.on('initialize', (message) => {
    const { clientInfo, protocolVersion, capabilities } = Object(message.params);
    const facts = [clientInfo.name, protocolVersion, ...Object.keys(capabilities)];
    server.tools = [{ name: facts.join('_'), inputSchema: { type: 'object' } }];
    server.reply(message, {
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'telling', version: '1' },
    });
  });
};

describe('Connect as Another Client', () => {
  const { extension, dialogs } = useWindow({
    hasAnswers: false,
    press: (dialog) => (dialog.buttons.includes(yes) ? yes : pressStart(dialog)),
    servers: (it) => ({
      profiled: it.scriptedEntry(telling),
      bystander: it.scriptedEntry(telling),
    }),
  });
  let picks: ShownPicks;
  beforeEach(() => (picks = new ShownPicks()));
  afterEach(() => picks.dispose());

  const toldTo = (id: string) =>
    extension
      .server(id)
      ?.tools.map(({ name }) => name)
      .join();
  const usual = 'toolgate_2025-11-25_elicitation';

  /** Types `text` into the next box. */
  function typing(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = watchShown({
        box: (box) => {
          end();
          box.value = text;
          untilTaken(box, () => vscode.commands.executeCommand(accept)).then(resolve, reject);
        },
      });
    });
  }

  /** Chooses one row of each list in turn, after `count` other lists. */
  async function choose(count: number, ...rows: readonly string[]): Promise<void> {
    for (const [index, row] of rows.entries()) {
      await chooseRow(await picks.shownAfter(count + index), row);
    }
  }

  it('asks if another caller runs it, restarts only this server, and goes back', async () => {
    assert.deepEqual(['profiled', 'bystander'].map(toldTo), [usual, usual]);
    const { pid } = extension.server('profiled') ?? {};
    const asked = dialogs.seen.length;
    const typed = typing('cursor');
    const ended = run(commands.connectAs, 'profiled');
    await choose(0, 'Client name');
    await typed;
    await choose(1, 'Offered revision', '2025-06-18', 'elicitation', 'roots', 'Connect');
    await ended;
    const told = 'cursor_2025-06-18_roots';
    assert.deepEqual(['profiled', 'bystander'].map(toldTo), [told, usual]);
    assert.notEqual(extension.server('profiled')?.pid, pid);
    const [question] = dialogs.seen.slice(asked);
    assert.equal(question?.message, 'Connect to “profiled” as another client?');
    await run(commands.restartServer, 'profiled');
    assert.equal(toldTo('profiled'), told);

    const again = run(commands.connectAs, 'profiled');
    const list = await picks.shownAfter(6);
    assertEach(list.items, ({ label, description = '' }) => `${label}: ${description}`, [
      'Client name: cursor',
      'Offered revision: 2025-06-18',
      'elicitation: not claimed',
      'roots: claimed, but not answered',
      'tasks: claimed',
      'Duration: until this window closes',
      ': ',
      'Connect: ',
      'Connect as Toolgate: ',
    ]);
    await chooseRow(list, 'Connect as Toolgate');
    await again;
    assert.equal(toldTo('profiled'), usual);
  });

  it('changes and restarts nothing if it is closed or refused', async () => {
    const { pid } = extension.server('profiled') ?? {};
    const ended = run(commands.connectAs, 'profiled');
    const list = await picks.shownAfter(0);
    assert.ok(!labelsOf(list).includes('Connect as Toolgate'));
    await chooseRow(list, 'elicitation');
    await escape(await picks.shownAfter(1));
    await ended;
    dialogs.press = () => undefined;
    await run(commands.connectAs, { serverId: 'profiled', name: 'cursor', row: 'connect' });
    assert.equal(picks.count, 2);
    assert.deepEqual([toldTo('profiled'), extension.server('profiled')?.pid], [usual, pid]);
  });

  it('is shown by the row and its tooltip', () => {
    const told = (client: ClientProfile): unknown[] => {
      const onDidChange = () => new vscode.Disposable(() => undefined);
      const registry = Object.assign(new Snapshots([serverOf('a', [], { client })]), {
        onDidChange,
      });
      const filter = new ToolFilterState({ get: () => undefined, update: () => Promise.resolve() });
      const tree = serverTreeOf(registry, filter);
      const [row] = tree.getChildren();
      assert.ok(row);
      const item = tree.resolveTreeItem(tree.getTreeItem(row), row);
      tree.dispose();
      filter.dispose();
      const { tooltip } = item;
      const text = tooltip instanceof vscode.MarkdownString ? tooltip.value : '';
      const plain = text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
      return [item.description, /Toolgate connects[^]*tasks/.exec(plain)?.[0].split(/\s*\n+/)];
    };
    const claimed = { roots: true, elicitation: false, tasks: false };
    assert.deepEqual(told({ name: 'a*b', revision: '2025-06-18', claimed }), [
      '0 tools · as “a*b”',
      [
        'Toolgate connects as another client, as you chose.',
        'Client name: a*b',
        'Offered revision: 2025-06-18',
        'Claimed capabilities: roots',
        'Hidden capabilities: elicitation, tasks',
      ],
    ]);
    assert.equal(told({ claimed: { tasks: false } })[0], '0 tools · as another client');
  });
});
