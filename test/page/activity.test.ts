import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { pressDialog } from './dialog';
import { notifications, pressNotification } from './notifications';
import { callRows } from './sideBar';
import { chooseTool, openToolgate, startAll } from './toolgate';
import { runCommand } from './quickInput';
import { eventually, patienceMs } from './waiting';
import { useWindow } from './window';
import { scriptedServer, type Workspace } from './workspace';

/** Reports progress once and never answers; writes down what reaches it. */
const slowScript = `async (server) => {
  const { appendFileSync } = await import('node:fs');
  const inputSchema = { type: 'object' };
  const annotations = { readOnlyHint: true };
  server.tools = ['dig', 'brief', 'quick'].map((name) => ({ name, inputSchema, annotations }));
  const note = (line) => appendFileSync(process.env.NOTES, line + '\\n');
  server.on('notifications/cancelled', ({ params }) => note('cancelled ' + params.reason));
  server.on('tools/call', (message) => {
    const { name, _meta } = message.params;
    note('called ' + name);
    if (name === 'quick') return server.text(message, 'done');
    const { progressToken } = _meta;
    const params = { progressToken, progress: 3, total: 10, message: 'third bed' };
    if (name === 'dig') server.send({ method: 'notifications/progress', params });
  });
}`;

describe('Running calls in a window', function () {
  this.timeout(90_000);
  let page: Page;
  let workspace: Workspace;
  const notesFile = () => path.join(workspace.folder, 'notes.txt');
  const notes = () =>
    existsSync(notesFile()) ? readFileSync(notesFile(), 'utf8').trimEnd().split('\n') : [];

  useWindow(
    {
      settings: {
        'toolgate.calls.maxPerServer': 2,
        'toolgate.calls.timeouts': { 'garden/brief': 15_000 },
      },
      servers: (own) => ({
        garden: { ...scriptedServer(slowScript), env: { NOTES: `${own.folder}/notes.txt` } },
      }),
    },
    async (opened) => {
      ({ page, workspace } = opened);
      await openToolgate(page);
      await startAll(page, 1);
    },
  );

  async function call(tool: string): Promise<void> {
    await chooseTool(page, tool);
    await pressDialog(page, 'Run');
  }
  /** The rows of the view, without the seconds. */
  const rows = async (): Promise<string[]> =>
    (
      await callRows(page).evaluateAll((all) =>
        all.map((row) => {
          const text = (part: string) => row.querySelector(part)?.textContent?.trim() ?? '';
          return `${text('.label-name')} | ${text('.label-description')}`;
        }),
      )
    ).map((row) => row.replaceAll(/\d+(\.\d+)? m?s/g, '_').replace(/^\d\d:\d\d /, ''));
  const untilRows = (isEnough: (rows: string[]) => boolean) => eventually(rows, isEnough);
  async function pressOnRow(row: number, action: string): Promise<void> {
    const found = callRows(page).nth(row);
    await found.hover({ timeout: patienceMs });
    await found.locator(`.action-label[aria-label^="${action}"]`).click({ timeout: patienceMs });
  }
  const status = () => page.locator('.statusbar .statusbar-item[id*="toolgate.activity"]');

  it('show in the view with progress, wait for their turn, and are cancelled from there', async () => {
    await page.getByText('Calls of tools show here while they run').waitFor();
    await call('dig');
    assert.deepEqual(await untilRows(([row]) => row?.includes('third bed') === true), [
      'garden · dig | _ · 3/10 · third bed',
    ]);
    await call('dig');
    await call('quick');
    assert.deepEqual(await untilRows((all) => all[2]?.includes('waits') === true), [
      'garden · dig | _ · 3/10 · third bed',
      'garden · dig | _ · 3/10 · third bed',
      'garden · quick | waits for its turn',
    ]);
    await eventually(
      async () => (await status().textContent()) ?? '',
      (text) => text.includes('3 calls'),
    );
    const told = await notifications(page);
    assert.ok(
      told.some((text) => text.includes('Calling “dig” on “garden”: third bed')),
      told.join('\n'),
    );
    await pressOnRow(0, 'Cancel Running Call…');
    // The third has its place now, and its answer.
    await page.locator('.tabs-container .tab', { hasText: 'quick' }).first().waitFor();
    assert.deepEqual(await untilRows((all) => all.some((row) => row === 'garden · quick | _')), [
      'garden · dig | _ · 3/10 · third bed',
      'garden · quick | _',
      'garden · dig | cancelled · its server has not answered · _',
    ]);
    await eventually(
      async () => notes(),
      (all) => all.length === 4,
    );
    assert.deepEqual(notes(), ['called dig', 'called dig', 'cancelled Cancelled', 'called quick']);
  });

  it('open their result from the view, and offer to stop a server that does not answer', async () => {
    await runCommand(page, 'View: Close All Editors');
    await callRows(page).nth(1).click();
    await page.locator('.tabs-container .tab', { hasText: 'quick' }).first().waitFor();
    await pressOnRow(0, 'Cancel Running Call…');
    await untilRows(([row]) => row?.includes('cancelled') === true);
    // Sooner it would be a double click.
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    await pressOnRow(0, 'Cancel Running Call…');
    const told = await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.includes('Stop the server?')),
    );
    assert.match(
      told[0] ?? '',
      /^“dig” was cancelled, but server “garden” may go on working on it/,
    );
    await status().waitFor({ state: 'hidden' });
  });

  it('can be given more time near the end of it, and are told to stop when it is over', async () => {
    await call('brief');
    const told = await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.includes('“brief” on “garden” has')),
      20_000,
    );
    const warning = told.find((text) => text.includes('“brief” on “garden” has')) ?? '';
    assert.match(warning, /^“brief” on “garden” has \d s left to answer; then it is cancelled\.$/);
    await pressNotification(page, 'Wait Longer');
    // Its first time limit is over by then.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    assert.match((await rows())[0] ?? '', /^garden · brief \| _/);
    const end = await eventually(
      rows,
      ([row]) => row?.startsWith('garden · brief | failed') === true,
    );
    assert.match(end[0] ?? '', /^garden · brief \| failed · .+ · _$/);
    assert.equal(notes().at(-1), 'cancelled Timed out');
    const failed = await notifications(page);
    assert.ok(
      failed.some((text) =>
        /did not answer within 15 s.*garden\/brief.*calls\.timeouts/.test(text),
      ),
      failed.join('\n'),
    );
    await pressNotification(page, 'Run Again');
    await pressDialog(page, 'Cancel');
  });
});
