import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { addingScheme, commands, settings } from '../../src/ids';
import { eventually } from '../waiting';
import { RealExtension } from './realExtension';
import { WindowAnswers } from './windowAnswers';
import { run, set } from './realWindow';

const previewUri = (): vscode.Uri | undefined =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputTextDiff ? [input.modified] : []))
    .find(({ scheme }) => scheme === addingScheme);

const preview = (): Promise<vscode.Uri | undefined> =>
  eventually(previewUri, (uri) => uri !== undefined);

describe('The configuration of an agent', () => {
  let extension: RealExtension;
  let answers: WindowAnswers;
  let file: string;

  before(async () => {
    extension = await new RealExtension().activate();
    answers = new WindowAnswers().begin();
    answers.press = (sentence) => (sentence.startsWith('Let agents') ? 'Turn On' : undefined);
    file = path.join(extension.folder, '.cursor', 'mcp.json');
  });
  beforeEach(() => {
    answers.pick = ['Cursor', 'Write to'];
    answers.told.length = 0;
  });
  after(async () => {
    answers.dispose();
    await set(settings.agentsEnabled, undefined);
    await extension.clear();
    await rm(path.dirname(file), { recursive: true, force: true });
  });

  const entryIn = async (text: Promise<string>): Promise<unknown> =>
    JSON.parse((await text).replaceAll(/\/\/.*/g, '')).mcpServers.toolgate;

  it('can be copied for each agent, and written for those whose file is known', async () => {
    answers.pick = undefined;
    await run(commands.copyAgentConfiguration);
    assert.deepEqual(answers.listed, [
      'Claude Code',
      'Codex',
      'Copilot CLI',
      'Cursor',
      'Gemini CLI',
      'Another Agent',
    ]);
    const ways = async (agent: string): Promise<readonly string[]> => {
      answers.pick = agent;
      await run(commands.copyAgentConfiguration);
      return answers.listed;
    };
    assert.deepEqual(await ways('Claude'), ['Write to .mcp.json…', 'Copy Entry']);
    const [home] = await ways('Copilot');
    assert.equal(home, `Write to ${path.join('~', '.copilot', 'mcp-config.json')}…`);
    await ways('Codex');
    assert.match(await vscode.env.clipboard.readText(), /^\[mcp_servers\.toolgate\]\ncommand = /);
  });

  it('is written after a preview of the file, and everything else in it stays', async () => {
    const before = '{\n  // mine\n  "mcpServers": {\n    "a": {"command":   "x"} // odd\n  }\n}\n';
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, before);
    const writing = run(commands.copyAgentConfiguration);
    const uri = await preview();
    assert.equal(await readFile(file, 'utf8'), before);
    await run(commands.writeServers, uri);
    await writing;
    const after = await readFile(file, 'utf8');
    assert.ok(after.startsWith(before.slice(0, before.indexOf(' // odd'))), after);
    assert.match(after, /\/\/ odd\n {4}"toolgate": \{/);
    const entry = await entryIn(Promise.resolve(after));
    const [gateway] = Object(entry).args;
    assert.deepEqual(entry, { command: 'node', args: [gateway] });
    assert.ok(existsSync(gateway));
    assert.match(answers.told.at(-1) ?? '', /mcp\.json now has the entry for Cursor\./);
    await run(commands.copyAgentConfiguration);
    assert.match(answers.told.at(-1) ?? '', /already has this entry for Cursor\./);
    assert.equal(await readFile(file, 'utf8'), after);
  });

  it('creates a missing file, and writes nothing after a no', async () => {
    await rm(path.dirname(file), { recursive: true, force: true });
    const refused = run(commands.copyAgentConfiguration);
    await preview();
    await run(commands.cancelAdding);
    await refused;
    assert.ok(!existsSync(file));
    const writing = run(commands.copyAgentConfiguration);
    const uri = await preview();
    await run(commands.writeServers, uri);
    await writing;
    assert.deepEqual(Object.keys(Object(await entryIn(readFile(file, 'utf8')))), [
      'command',
      'args',
    ]);
  });

  it('is not written into invalid JSON, or over another server of the same name', async () => {
    for (const text of ['{ "mcpServers": ', '{ "mcpServers": { "toolgate": {} } }', '[]']) {
      await writeFile(file, text);
      await run(commands.copyAgentConfiguration);
      assert.match(answers.told.at(-1) ?? '', /^Nothing was added: .+mcp\.json is not valid JSON/);
      assert.equal(await readFile(file, 'utf8'), text);
      assert.equal(previewUri(), undefined);
    }
  });
});
