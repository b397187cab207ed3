import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { commands, settings } from '../../src/ids';
import { type Agent, type BridgeCommand } from '../host/agentClients';
import { accept, pressingKey, watchShown } from './pressingKeys';
import { agentThrough, run, set, useWindow, withoutAnswer } from './realWindow';

const configuration = () => vscode.workspace.getConfiguration(settings.section);

/** What lists and boxes show while `work` runs; each is closed, or its row that begins so is taken. */
async function shownBy(work: () => Thenable<unknown>, row?: string): Promise<string> {
  const seen: string[] = [];
  const end = watchShown({
    pick: (pick) => {
      seen.push(JSON.stringify([pick.title, pick.items]));
      const wanted = pick.items.filter(({ label }) => row !== undefined && label.startsWith(row));
      if (wanted.length === 0) setTimeout(() => pick.hide());
      else pick.activeItems = wanted;
    },
    box: (box) => {
      seen.push(JSON.stringify([box.title, box.value]));
      setTimeout(() => box.hide());
    },
  });
  const done = Promise.resolve(work());
  await (row === undefined ? done : pressingKey(accept, done));
  end();
  return seen.join('\n');
}

describe('An unanswered call of an agent as a document', () => {
  const { extension, answers, dialogs } = useWindow({
    servers: (real) => ({ garden: real.demoEntry() }),
  });
  let bridge: BridgeCommand;
  let robot: Agent;

  before(async () => {
    await set(settings.agentServers, ['garden']);
    await set(settings.agentsEnabled, true);
    answers.pick = ['Cursor', 'Copy Entry'];
    await run(commands.copyAgentConfiguration);
    const [gateway] = JSON.parse(await vscode.env.clipboard.readText()).mcpServers.toolgate.args;
    bridge = { command: process.execPath, args: [gateway], cwd: extension.folder };
    robot = await agentThrough(bridge, 'robot');
  });
  after(async () => {
    await robot?.close();
    for (const name of [settings.agentsEnabled, settings.agentServers, settings.rules]) {
      await set(name, undefined);
    }
  });

  const unanswered = (tool: string, given: Record<string, unknown>) =>
    withoutAnswer(async () => {
      const { text } = await robot.call(`garden__${tool}`, given);
      assert.match(text, /The user did not answer in time/);
    });

  /** Entries of the audit journal about a tool, the newest last. */
  async function journaled(tool: string): Promise<readonly Record<string, unknown>[]> {
    const storage = path.dirname(path.dirname(bridge.args[0] ?? ''));
    const folder = path.join(storage, 'journal');
    const files = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).toSorted();
    const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')));
    return texts
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.includes(`"${tool}"`))
      .map((line) => JSON.parse(line));
  }

  it('fills in no later call of the user after it is closed', async () => {
    await unanswered('plant_note', { name: 'Trojan', text: 'Of an agent.' });
    answers.pick = 'Plant';
    const draft = await shownBy(() => run(commands.runDraft));
    assert.match(draft, /Trojan/);
    dialogs.seen.length = 0;
    const own = await shownBy(() =>
      run(commands.callTool, { serverId: 'garden', toolName: 'plant_note' }),
    );
    assert.notEqual(own, '');
    assert.doesNotMatch(own, /Trojan|Of an agent/);
    assert.deepEqual(dialogs.seen, []);
  });

  it('fills in no later call after it ran, or from a document that stays open', async () => {
    const bed = { bed: { name: 'Trojan', size: { lengthM: 1, widthM: 1 } } };
    const plants = [{ kind: 'rose', count: 3 }];
    await unanswered('plan_bed', { ...bed, plants });
    answers.pick = 'Plan';
    await run(commands.runDraft);
    const draft = vscode.window.activeTextEditor?.document;
    assert.ok(draft);
    assert.match(draft.getText(), /Trojan/);
    const own = async (): Promise<vscode.TextDocument | undefined> => {
      await run(commands.callTool, { serverId: 'garden', toolName: 'plan_bed' });
      return vscode.window.activeTextEditor?.document;
    };
    const beside = await own();
    assert.match(beside?.uri.path ?? '', /plan_bed/);
    assert.doesNotMatch(beside?.getText() ?? '', /Trojan/);
    await run(commands.cancelArguments, beside?.uri);
    dialogs.press = () => 'Run';
    await vscode.window.showTextDocument(draft);
    const before = (await journaled('plan_bed')).length;
    await run(commands.runArguments, draft.uri);
    assert.ok((await journaled('plan_bed')).length > before);
    await run(commands.cancelArguments, draft.uri);
    await vscode.window.showTextDocument((await own()) ?? assert.fail());
    const after = vscode.window.activeTextEditor?.document;
    assert.match(after?.uri.path ?? '', /plan_bed/);
    assert.doesNotMatch(after?.getText() ?? '', /Trojan/);
    await run(commands.cancelArguments, after?.uri);
  });

  it('is a call of its agent even if the tool has no arguments', async () => {
    await unanswered('list_notes', {});
    dialogs.press = () => 'Run';
    answers.pick = 'List';
    const before = (await journaled('list_notes')).length;
    dialogs.seen.length = 0;
    await run(commands.runDraft);
    assert.doesNotMatch(dialogs.seen[0]?.detail ?? '', /not you/);
    const made = (await journaled('list_notes')).slice(before);
    assert.deepEqual([...new Set(made.flatMap(({ origin }) => origin ?? []))], ['history']);
    assert.ok(made.length > 0);
  });

  it('is decided by the rule that the user chooses for the tool, in real settings', async () => {
    const tool = { serverId: 'garden', toolName: 'list_notes' };
    const asked = async (): Promise<string> => {
      dialogs.seen.length = 0;
      dialogs.press = () => undefined;
      const { isError } = await robot.call('garden__list_notes');
      return `${isError ? 'refused' : 'called'}, ${dialogs.seen.length} asked`;
    };
    const written = (): unknown =>
      JSON.parse(JSON.stringify(configuration().inspect(settings.rules)?.globalValue ?? []));
    const choose = async (label: string): Promise<void> => {
      const changed = new Promise((resolve) => vscode.workspace.onDidChangeConfiguration(resolve));
      await shownBy(() => run(commands.setForAgents, tool), label);
      await changed;
    };
    const about = { origin: 'agent', server: 'garden', tool: 'list_notes' };
    assert.equal(await asked(), 'refused, 1 asked');
    await choose('Allow without asking');
    assert.deepEqual(written(), [{ effect: 'allow', ...about, risk: 'readOnly' }]);
    assert.equal(await asked(), 'called, 0 asked');
    await choose('Deny to agents');
    assert.deepEqual(written(), [{ effect: 'deny', ...about }]);
    assert.equal(await asked(), 'refused, 0 asked');
    const names = (await robot.tools()).map(({ name }) => name);
    assert.ok(names.length > 0 && !names.includes('garden__list_notes'));
    await choose('Ask every time');
    assert.deepEqual(written(), [{ effect: 'ask', ...about, risk: ['readOnly', 'additive'] }]);
    assert.equal(await asked(), 'refused, 1 asked');
  });
});
