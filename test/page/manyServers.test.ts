import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { runCommand } from './quickInput';
import { expandRow, readTree, treeLines } from './sideBar';
import { approveServers, openToolgate } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const count = 40;

const crew = scriptedServer(`(server) => {
  server.tools = Array.from({ length: 20 }, (_, n) => ({
    name: 'tool_' + n,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  }));
}`);

const label = (n: number) => `crew${String(n).padStart(2, '0')}`;

describe('Forty servers that start together', function () {
  this.timeout(120_000);
  let page: Page;

  useWindow(
    {
      servers: () => Object.fromEntries(Array.from({ length: count }, (_, n) => [label(n), crew])),
    },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      await page.keyboard.press('Home');
      await eventually(labelsInSight, ([first]) => first === label(0));
    },
  );

  /** What is in sight, without scrolling. */
  const labelsInSight = () =>
    page
      .locator('.sidebar .pane:has(> .pane-header[aria-label^="Servers and Tools"])')
      .locator('.pane-body .monaco-list-rows > .monaco-list-row .label-name')
      .allTextContents();

  it('leave the view where it was, with their rows shut', async () => {
    await runCommand(page, 'Toolgate: Start All Servers');
    await approveServers(page);
    // Those out of sight may take a little longer; reading them would scroll the view.
    await page.locator('.sidebar .monaco-list-row', { hasText: '20 tools' }).first().waitFor();
    await page.waitForTimeout(10_000);
    assert.equal((await labelsInSight())[0], label(0));
    // Looking at the tree scrolls it, so that comes last.
    const all = await eventually(
      async () => treeLines(await readTree(page)),
      (lines) => lines.filter((line) => line.includes('20 tools')).length === count,
    );
    assert.equal(all.length, count);
    assert.ok(
      all.every((line) => line.startsWith('▸')),
      all.join('\n'),
    );
  });

  it('open one by one', async () => {
    await expandRow(page, label(1));
    assert.equal(
      (
        await eventually(
          () => readTree(page),
          (rows) => rows.length > count,
        )
      ).length,
      count + 20,
    );
  });
});
