import assert from 'node:assert/strict';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { waitForTab } from './editors';
import { runCommand, typeAndAccept } from './quickInput';
import { callLines, expandRow, readTree, treeLines } from './sideBar';
import { closeEditors, openToolgate, startAll, waitForInput } from './toolgate';
import { eventually } from '../waiting';
import { useWindow } from './window';

const everything = path.resolve(__dirname, '../../node_modules/.bin/mcp-server-everything');

describe('Prompts', function () {
  this.timeout(120_000);
  let page: Page;

  const server = { type: 'stdio', command: everything, args: ['stdio'] };
  useWindow({ servers: () => ({ everybody: server }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });
  afterEach(() => closeEditors(page));

  const proposals = (placeholder: RegExp, count: number) =>
    eventually(
      () => waitForInput(page, 'Team Management (everybody)'),
      (input) => placeholder.test(input.placeholder) && input.items.length === count,
    );

  it('are listed, filled in with completions, opened and repeated by keyboard', async () => {
    await expandRow(page, 'Prompts');
    const row = '      Team Management…  First argument choice narrows values for second argument.';
    await eventually(
      async () => treeLines(await readTree(page)),
      (lines) => lines.includes(row) && lines.includes('  ▾ Prompts  4'),
    );
    await runCommand(page, 'Toolgate: Open Prompt…');
    await waitForInput(page, 'Open Prompt');
    await typeAndAccept(page, 'team');
    await proposals(/^department: Choose the department/, 4);
    await page.keyboard.type('Sa');
    await proposals(/^department/, 2);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const names = await proposals(/^name/, 3);
    assert.deepEqual(
      names.items.map(({ label }) => label),
      ['David', 'Eve', 'Frank'],
    );
    await page.keyboard.press('Enter');
    await waitForTab(page, /completable-prompt/);
    await runCommand(page, 'Toolgate: Repeat Last Call');
    await eventually(
      () => callLines(page),
      (lines) => lines.length === 2 && lines.every((line) => line.includes('department: Sales')),
    );
  });
});
