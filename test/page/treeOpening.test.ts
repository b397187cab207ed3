import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { runCommand } from './quickInput';
import { openView, readTree, treeLines } from './sideBar';
import { approveServers, openToolgate, startAll, waitForInput } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const tools = (names: string) => `(server) => {
  server.tools = ${names}.map((name) => ({
    name,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  }));
}`;
const some = (prefix: string, count: number) =>
  `Array.from({ length: ${count} }, (_, n) => '${prefix}_' + n)`;

/** What is in sight, without scrolling. */
const labelsInSight = (page: Page) =>
  page
    .locator('.sidebar .pane:has(> .pane-header[aria-label^="Servers and Tools"])')
    .locator('.pane-body .monaco-list-rows > .monaco-list-row .label-name')
    .allTextContents();

describe('A filter', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow(
    {
      servers: () => ({
        crowd: scriptedServer(tools(`[...${some('hay', 150)}, 'needle_of_crowd']`)),
        empty: scriptedServer(tools(some('straw', 120))),
        pair: scriptedServer(tools(`[...${some('hay', 110)}, 'needle_of_pair']`)),
      }),
    },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      await startAll(page, 3);
    },
  );

  const showsLines = (expected: readonly string[]) =>
    eventually(
      async () => treeLines(await readTree(page)),
      (lines) => JSON.stringify(lines) === JSON.stringify(expected),
    );

  it('opens the servers that have what it looks for, and no others', async () => {
    await showsLines(['▸ crowd  151 tools', '▸ empty  120 tools', '▸ pair  111 tools']);
    await runCommand(page, 'Toolgate: Filter Tools…');
    await waitForInput(page, 'Filter Tools');
    await page.keyboard.type('needle');
    await page.keyboard.press('Enter');
    await showsLines([
      '▾ crowd  1 of 151 tools',
      '    needle_of_crowd  read-only',
      '▸ empty  0 of 120 tools',
      '▾ pair  1 of 111 tools',
      '    needle_of_pair  read-only',
    ]);
    assert.equal((await labelsInSight(page))[0], 'crowd');
  });
});

describe('Servers that start with one press', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow(
    {
      viewport: { width: 1280, height: 600 },
      servers: () => ({
        first: scriptedServer(tools(some('tool', 30))),
        second: scriptedServer(tools(some('tool', 30))),
        // Slower than the others by more than those wait for it.
        slow: scriptedServer(`(server) => {
          (${tools("['last']")})(server);
          server.on('tools/list', (message) => {
            setTimeout(() => server.reply(message, { tools: server.tools }), 5_000);
          });
        }`),
      }),
    },
    async (opened) => {
      ({ page } = opened);
      await openView(page, 'Toolgate');
      // However short a row is in sight.
      await page.evaluate(`
        globalThis.rowsSeen = new Set();
        new MutationObserver(() => {
          const rows = [...document.querySelectorAll('.sidebar .monaco-list-row')];
          for (const row of rows) rowsSeen.add(row.querySelector('.label-name')?.textContent);
        }).observe(document.body, { childList: true, subtree: true });
      `);
    },
  );

  it('leave the top of the view in sight, also when the last one is slow', async () => {
    await runCommand(page, 'Toolgate: Start All Servers');
    await approveServers(page);
    await eventually(
      () => labelsInSight(page),
      ([first, second]) => first === 'first' && second === 'tool_0',
    );
    await page.evaluate('rowsSeen.clear()');
    await page.waitForFunction('rowsSeen.has("slow")');
    await eventually(
      () => labelsInSight(page),
      ([first]) => first === 'first',
    );
    const last = treeLines(await readTree(page)).slice(-2);
    assert.deepEqual(last, ['▾ slow  1 tool', '    last  read-only']);
  });
});
