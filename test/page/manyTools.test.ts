import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { dismissDialog, readDialog } from './dialog';
import { pick, readQuickInput, runCommand } from './quickInput';
import { expandRow, readTree, treeLines } from './sideBar';
import { approveServers, openToolgate, waitForInput, waitForServer } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const crowd = `(server) => {
  server.tools = Array.from({ length: 20_000 }, (_, n) => ({
    name: 'tool_' + n,
    description: 'Does the work number ' + n + '. ' + 'It is described at some length. '.repeat(6),
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: n % 2 === 0 },
  }));
}`;

/** The longest time in which the window answered nothing, since this was called. */
async function watchStalls(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`
    globalThis.longestStallMs = 0;
    let before = performance.now();
    setInterval(() => {
      const now = performance.now();
      globalThis.longestStallMs = Math.max(globalThis.longestStallMs, now - before);
      before = now;
    }, 5);
  `);
  return async () => Number(await page.evaluate('globalThis.longestStallMs'));
}

describe('A server with 20,000 tools', function () {
  this.timeout(90_000);
  let page: Page;
  let longestStallMs: () => Promise<number>;

  after(async () => {
    console.log(`  longest stall of the window: ${Math.round(await longestStallMs())} ms`);
  });
  useWindow({ servers: () => ({ crowd: scriptedServer(crowd) }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    longestStallMs = await watchStalls(page);
  });

  const lines = async () => treeLines(await readTree(page));

  it('is listed, in pages that open', async () => {
    await runCommand(page, 'Toolgate: Start Server');
    await pick(page, 'crowd');
    await approveServers(page);
    await waitForServer(page, 'crowd', /20000 tools/);
    await expandRow(page, 'crowd');
    const pages = await eventually(lines, (all) => all.length === 21);
    assert.equal(pages[20], '  ▸ Tools 19001 to 20000  tool_19000 … tool_19999');
    await page.keyboard.press('Home');
    await expandRow(page, 'Tools 1 to 1000');
    await page.keyboard.press('Home');
    const opened = await eventually(
      () => readTree(page, 5),
      (rows) => rows[2]?.label === 'tool_0',
    );
    assert.deepEqual(
      opened.slice(2).map(({ label }) => label),
      ['tool_0', 'tool_1', 'tool_2'],
    );
  });

  it('is filtered as one types', async () => {
    await runCommand(page, 'Toolgate: Filter Tools…');
    await waitForInput(page, 'Filter Tools');
    await page.keyboard.type('tool_1999');
    await eventually(
      () => readQuickInput(page),
      ({ title }) => title === 'Filter Tools: 11 of 20000 tools',
    );
    await page.keyboard.press('Enter');
    // The row of the server may say so a moment after the tools are there.
    const found = await eventually(
      lines,
      (all) => all.length === 12 && all[0]?.includes(' 11 of') === true,
    );
    assert.deepEqual(found.slice(0, 3), [
      '▾ crowd  11 of 20000 tools',
      '    tool_1999  destructive?',
      '    tool_19990  read-only',
    ]);
    await runCommand(page, 'Toolgate: Clear Filter');
    // A view that is drawn anew while it has the focus takes it back from what opens just then.
    await eventually(lines, (all) => all.length === 21);
  });

  it('is searched in the picker', async () => {
    await runCommand(page, 'Toolgate: Call Tool…');
    await waitForInput(page, 'Call Tool');
    await page.keyboard.type('tool_19998');
    await eventually(
      () => readQuickInput(page),
      ({ items }) => items[0]?.label === 'tool_19998',
    );
    await page.keyboard.press('Enter');
    assert.equal((await readDialog(page)).message, 'Run “tool_19998” on “crowd”?');
    await dismissDialog(page);
  });
});
