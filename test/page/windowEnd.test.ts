import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { TaskServer } from '../servers/taskServer';
import { openWindows } from '../vscode/window';
import { eventually } from '../waiting';
import { pressDialog, questionNotes, readDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { pressNotification, waitForNotification } from './notifications';
import { dismissQuickInput, pick, runCommand, typeAndAccept } from './quickInput';
import { callLines, callRows, chooseFromRowMenu, expandRow, openView } from './sideBar';
import { chooseTool, openToolgate, startAll, waitForInput, waitForServer } from './toolgate';
import { useWindow } from './window';
import { everythingServer, type Workspace } from './workspace';

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** VS Code lets an extension host go some time after its window. */
const goneMs = 45_000;
const areGone = (...pids: readonly number[]) =>
  eventually(
    () => pids.filter(isAlive),
    (left) => left.length === 0,
    goneMs,
  );

describe('A window with servers and tasks', function () {
  this.timeout(180_000);
  let page: Page;
  let workspace: Workspace;
  let server: TaskServer;
  let asker: TaskServer;
  /** What is there before servers are started: VS Code's own. */
  let vscodes: ReadonlySet<number>;
  const servers = ['everything', 'steered', 'stubborn', 'digger', 'asker'];
  const processes = () => [...openWindows].at(-1)?.server.processes() ?? [];

  before(async () => {
    server = await TaskServer.start({ era: 'stateful' });
    asker = await TaskServer.start({ era: 'stateless', suffix: ' Elsewhere' });
  });
  after(() => Promise.all([server.stop(), asker.stop()]));
  useWindow(
    {
      servers: (own) => ({
        everything: everythingServer,
        steered: own.steered('steered'),
        stubborn: own.steered('stubborn', 'stubborn'),
        digger: { url: server.url },
        asker: { url: asker.url },
      }),
    },
    async (opened) => {
      ({ page, workspace } = opened);
      // VS Code Server asks whoever serves it for the key by which it keeps secrets in the browser.
      await page.route('**/mint-key', (route) => route.fulfill({ body: Buffer.alloc(32, 7) }));
      await openToolgate(page);
      await startAll(page, servers.length);
    },
  );

  const pidOf = (name: string) => {
    const line = workspace.received(name).findLast((each) => each.startsWith('started '));
    return Number(line?.split(' ')[1]);
  };
  async function startAgain(): Promise<void> {
    vscodes = new Set(processes());
    await runCommand(page, 'Toolgate: Start All Servers');
    for (const name of servers) await waitForServer(page, name, /tools/);
  }
  async function call(n: string): Promise<void> {
    await chooseTool(page, 'echo');
    await typeAndAccept(page, n);
    assert.equal((await readDialog(page)).message, 'Run “echo” on “steered”?');
  }
  const firstLine = (part: string) =>
    eventually(
      () => callLines(page),
      ([first = '']) => first.includes(part),
    );
  /** Presses Run in the question for it, which says that it is a task, and waits until that reports. */
  async function runTask(tool: string): Promise<readonly string[]> {
    await chooseTool(page, tool);
    const words = 'It runs as a task, which may continue without this window.';
    assert.ok(questionNotes(await readDialog(page)).includes(words));
    await pressDialog(page, 'Run');
    return firstLine('Digging…');
  }

  it('answers an open question with no when it is reloaded', async () => {
    await call('41');
    await page.reload();
    await openView(page, 'Toolgate');
    await startAgain();
    await call('42');
    await pressDialog(page, 'Run');
    const calls = await eventually(
      () => workspace.received('steered').filter((line) => line.startsWith('called')),
      (all) => all.length > 0,
    );
    assert.deepEqual(calls, ['called echo {"n":42}']);
  });

  it('when it is killed, leaves only a task, which returns its result once, and processes that ignore the end of stdin, which the next window ends', async function () {
    if (process.platform !== 'linux') this.skip();
    const [line] = await runTask('Long Work');
    assert.match(line ?? '', /^Long Work \| task · _ · Digging… · kept until /);
    await server.arrival('tasks/get');
    const [steered, stubborn] = [pidOf('steered'), pidOf('stubborn')];
    // "pid (name) state parent …": the extension host.
    const stat = readFileSync(`/proc/${steered}/stat`, 'utf8').replace(/^.*\) /, '');
    process.kill(Number(stat.split(' ')[1]), 'SIGKILL');
    await areGone(steered);
    await page.reload();
    await areGone(stubborn);
    await openView(page, 'Toolgate');
    await firstLine('waits for server');
    await startAgain();
    await firstLine('Digging…');
    await openView(page, 'Explorer');
    server.finish();
    await waitForNotification(page, '“Long Work” on “digger” has ended.');
    await pressNotification(page, 'Show Result');
    await waitForTab(page, /Long Work|long/);
    await openView(page, 'Toolgate');
    const lines = await callLines(page);
    assert.equal(lines.filter((each) => each.startsWith('Long Work')).length, 1);
    assert.equal(server.count('tools/call'), 1);
    await runCommand(page, 'Toolgate: Show Audit Journal');
    await eventually(
      () => editorText(page),
      (text) => /Long Work|long/.test(text) && text.includes('✓'),
    );
  });

  it('starts a task for a tool that the user set to run as one, with Cancel Task on its row', async () => {
    await expandRow(page, 'digger');
    await chooseFromRowMenu(page, 'Long or Short Work', 'Run as Task');
    const calls = (await callLines(page)).length;
    const lines = await runTask('Long or Short Work');
    assert.equal(lines.length, calls + 1);
    const row = callRows(page).first();
    await row.hover();
    await row.locator('.action-label[aria-label^="Cancel Task"]').click();
    await server.arrival('tasks/cancel');
    await chooseFromRowMenu(page, 'Long or Short Work', 'Run Directly');
  });

  it('keeps the question of a task on its row, and asks again from there', async () => {
    await chooseTool(page, 'Asking Work Elsewhere');
    await pressDialog(page, 'Run');
    const title = 'Server “asker” asks you';
    await waitForInput(page, title);
    await dismissQuickInput(page);
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

  it('leaves no process of a server when it closes, not even one that ignores signals', async () => {
    const started = processes().filter((pid) => !vscodes.has(pid));
    for (const name of ['steered', 'stubborn']) assert.ok(started.includes(pidOf(name)), name);
    await page.close();
    // VS Code's own part goes on; what the extension started goes with the window.
    await areGone(...started);
  });
});
