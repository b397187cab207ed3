import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { TaskServer } from '../servers/taskServer';
import { openWindows } from '../vscode/window';
import { eventually } from '../waiting';
import { pressDialog, questionNotes, readDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { pressNotification, waitForNotification } from './notifications';
import { pick, runCommand } from './quickInput';
import { callLines, callRows, chooseFromRowMenu, expandRow, openView } from './sideBar';
import { chooseTool, openToolgate, startAll, waitForInput, waitForServer } from './toolgate';
import { useWindow } from './window';

/** The process in which the extension runs. */
function extensionHosts(): readonly number[] {
  const processes =
    openWindows.size === 0 ? [] : ([...openWindows].at(-1)?.server.processes() ?? []);
  return processes.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=extensionHost');
    } catch {
      return false;
    }
  });
}

describe('A task that outlives its window', function () {
  this.timeout(180_000);
  let page: Page;
  let server: TaskServer;
  let asker: TaskServer;

  before(async () => {
    server = await TaskServer.start({ era: 'stateful' });
    asker = await TaskServer.start({ era: 'stateless', suffix: ' Elsewhere' });
  });
  after(() => Promise.all([server.stop(), asker.stop()]));
  const servers = () => ({ digger: { url: server.url }, asker: { url: asker.url } });
  useWindow({ servers }, async (opened) => {
    ({ page } = opened);
    // VS Code Server asks whoever serves it for the key by which it keeps secrets in the browser.
    await page.route('**/mint-key', (route) => route.fulfill({ body: Buffer.alloc(32, 7) }));
    await openToolgate(page);
    await startAll(page, 2);
  });

  async function killWindow(): Promise<void> {
    for (const pid of extensionHosts()) process.kill(pid, 'SIGKILL');
    await page.reload();
    await openView(page, 'Toolgate');
  }

  it('is announced by the question, and has a row with its progress', async () => {
    await chooseTool(page, 'Long Work');
    const dialog = await readDialog(page);
    assert.ok(
      questionNotes(dialog).includes('It runs as a task, which may continue without this window.'),
    );
    await pressDialog(page, 'Run');
    const [line] = await eventually(
      () => callLines(page),
      ([first = '']) => first.includes('Digging…'),
    );
    assert.match(line ?? '', /^Long Work \| task · _ · Digging… · kept until /);
  });

  it('is restored after its window was killed, and returns its result once', async function () {
    if (process.platform !== 'linux') this.skip();
    await server.arrival('tasks/get');
    await killWindow();
    await eventually(
      () => callLines(page),
      ([first = '']) => first.includes('waits for server'),
    );
    await runCommand(page, 'Toolgate: Start All Servers');
    await waitForServer(page, 'digger', /tools/);
    await eventually(
      () => callLines(page),
      ([first = '']) => first.includes('Digging…'),
    );
    await openView(page, 'Explorer');
    server.finish();
    await waitForNotification(page, '“Long Work” on “digger” has ended.');
    await pressNotification(page, 'Show Result');
    await waitForTab(page, /Long Work|long/);
    await openView(page, 'Toolgate');
    assert.equal((await callLines(page)).length, 1);
    assert.equal(server.count('tools/call'), 1);
    await runCommand(page, 'Toolgate: Show Audit Journal');
    await eventually(
      () => editorText(page),
      (text) => (text.match(/Long Work|long/g) ?? []).length > 0 && text.includes('✓'),
    );
  });

  it('is started for a tool that the user set to run as a task, and has Cancel Task on its row', async () => {
    await openToolgate(page);
    await expandRow(page, 'digger');
    await chooseFromRowMenu(page, 'Long or Short Work', 'Run as Task');
    const calls = (await callLines(page)).length;
    await chooseTool(page, 'Long or Short Work');
    const dialog = await readDialog(page);
    assert.ok(
      questionNotes(dialog).includes('It runs as a task, which may continue without this window.'),
    );
    await pressDialog(page, 'Run');
    const lines = await eventually(
      () => callLines(page),
      ([first = '']) => first.includes('Digging…'),
    );
    assert.equal(lines.length, calls + 1);
    const row = callRows(page).first();
    await row.hover();
    await row.locator('.action-label[aria-label^="Cancel Task"]').click();
    await server.arrival('tasks/cancel');
    await chooseFromRowMenu(page, 'Long or Short Work', 'Run Directly');
  });

  it('keeps its question on its row, and asks again from there', async () => {
    await chooseTool(page, 'Asking Work Elsewhere');
    await pressDialog(page, 'Run');
    const title = 'Server “asker” asks you';
    await waitForInput(page, title);
    const firstLine = (part: string) =>
      eventually(
        () => callLines(page),
        ([first = '']) => first.includes(part),
      );
    await page.keyboard.press('Escape');
    await firstLine('Asking Work Elsewhere | task asks you');
    assert.equal(asker.count('tasks/update'), 0);
    const badge = page.locator('.activitybar .action-item .badge-content', { hasText: '1' });
    await badge.first().waitFor();
    const row = callRows(page).first();
    // The task may say that it asks before its question is at the row.
    await eventually(
      () => row.getAttribute('aria-label'),
      (label) => /The server asks you a question/.test(label ?? ''),
    );
    await row.hover();
    await row.locator('.action-label[aria-label^="Answer Question of Task"]').click();
    await waitForInput(page, title);
    await pick(page, 'Decline');
    await asker.arrival('tasks/update');
    asker.finish();
    await eventually(
      () => callLines(page),
      ([first = '']) => !first.includes('task'),
    );
    assert.equal(asker.count('tasks/update'), 1);
    assert.equal(asker.count('tools/call'), 1);
    await badge.first().waitFor({ state: 'detached' });
  });
});
