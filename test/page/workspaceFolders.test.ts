import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { makeTemporaryFolder } from '../vscode/server';
import { openWindow, type VscodeWindow } from '../vscode/window';
import { readQuickInput, runCommand } from './quickInput';
import { readTree, treeLines } from './sideBar';
import { openToolgate } from './toolgate';
import { eventually } from './waiting';

describe('A workspace of several folders in a window', function () {
  this.timeout(60_000);
  const { folder: place, remove } = makeTemporaryFolder('folders');
  const workspaceFile = path.join(place, 'garden.code-workspace');
  let window: VscodeWindow;
  let page: Page;

  const open = (...names: readonly string[]): void => {
    const folders = names.map((name) => ({ path: name }));
    writeFileSync(workspaceFile, JSON.stringify({ folders }));
  };
  const configure = (name: string, servers: object): void => {
    mkdirSync(path.join(place, name, '.vscode'), { recursive: true });
    const file = path.join(place, name, '.vscode/mcp.json');
    writeFileSync(file, JSON.stringify({ servers }));
  };

  before(async () => {
    configure('one', {
      same: { command: 'node' },
      'of-two': { command: 'node', args: ['${workspaceFolder:two}'] },
    });
    configure('two', { same: { command: 'node', args: ['-v'] }, second: { command: 'node' } });
    configure('three', { third: { command: 'node' } });
    open('one', 'two');
    window = await openWindow({
      folder: workspaceFile,
      settings: { 'toolgate.tree.groupByOrigin': true },
    });
    ({ page } = window);
    await openToolgate(page);
  });
  after(async () => {
    await window.close();
    remove();
  });

  const lines = async () => treeLines(await readTree(page));
  const showsLines = (...expected: readonly string[]) =>
    eventually(lines, (all) => JSON.stringify(all) === JSON.stringify(expected));

  it('shows a server of two folders once, below the first', async () => {
    await showsLines(
      '▾ one/.vscode/mcp.json  2 servers',
      '  ▸ same  stopped',
      '  ▸ of-two  stopped',
      '▾ two/.vscode/mcp.json  1 server',
      '  ▸ second  stopped',
    );
  });

  it('follows folders that come and go, and says what is missing with them', async () => {
    open('one', 'two', 'three');
    await eventually(lines, (all) => all.some((line) => line.includes('third')));
    open('one', 'three');
    await eventually(lines, (all) => !all.some((line) => line.includes('second')));
    await eventually(lines, (all) => all.some((line) => line.includes('same')));
    await eventually(lines, (all) => all.some((line) => line.includes('Variable without value')));
  });

  it('offers the files of its folders apart', async () => {
    await runCommand(page, 'Toolgate: Open Server Configuration');
    const { items } = await readQuickInput(page, 'Open Server Configuration');
    assert.deepEqual(
      items.slice(0, 2).map(({ label, description }) => `${label} (${description})`),
      ['one/.vscode/mcp.json (one)', 'three/.vscode/mcp.json (three)'],
    );
    await page.keyboard.press('Escape');
  });
});
