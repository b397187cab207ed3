import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { openWindows } from '../vscode/window';
import { pressDialog, readDialog } from './dialog';
import { runCommand, typeAndAccept } from './quickInput';
import { openView } from './sideBar';
import { chooseTool, openToolgate, startAll, waitForServer } from './toolgate';
import { eventually } from '../waiting';
import { useWindow } from './window';
import { demoServer, everythingServer, type Workspace } from './workspace';

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

describe('The end of the window', function () {
  this.timeout(180_000);
  let page: Page;
  let workspace: Workspace;
  /** What is there before servers are started: VS Code's own. */
  let before: ReadonlySet<number>;
  const servers = ['demo', 'everything', 'steered', 'stubborn'];
  const processes = () => [...openWindows].at(-1)?.server.processes() ?? [];

  useWindow(
    {
      servers: (own) => ({
        demo: demoServer,
        everything: everythingServer,
        steered: own.steered('steered'),
        stubborn: own.steered('stubborn', 'stubborn'),
      }),
    },
    async (opened) => {
      ({ page, workspace } = opened);
      before = new Set(processes());
      await openToolgate(page);
      await startAll(page, 4);
    },
  );

  const pidOf = (server: string) => {
    const line = workspace.received(server).findLast((each) => each.startsWith('started '));
    return Number(line?.split(' ')[1]);
  };
  async function startAgain(): Promise<void> {
    await openView(page, 'Toolgate');
    before = new Set(processes());
    await runCommand(page, 'Toolgate: Start All Servers');
    for (const server of servers) await waitForServer(page, server, /tools/);
  }
  async function call(n: string): Promise<void> {
    await chooseTool(page, 'echo');
    await typeAndAccept(page, n);
    assert.equal((await readDialog(page)).message, 'Run “echo” on “steered”?');
  }

  it('answers an open question with no', async () => {
    await call('41');
    await page.reload();
    await startAgain();
    await call('42');
    await pressDialog(page, 'Run');
    const calls = await eventually(
      () => workspace.received('steered').filter((line) => line.startsWith('called')),
      (all) => all.length > 0,
    );
    assert.deepEqual(calls, ['called echo {"n":42}']);
  });

  it('by force leaves only processes that ignore the end of stdin, and the next window ends those', async function () {
    if (process.platform !== 'linux') this.skip();
    const [steered, stubborn] = [pidOf('steered'), pidOf('stubborn')];
    // "pid (name) state parent …": the extension host.
    const stat = readFileSync(`/proc/${steered}/stat`, 'utf8').replace(/^.*\) /, '');
    process.kill(Number(stat.split(' ')[1]), 'SIGKILL');
    await areGone(steered);
    await page.reload();
    await areGone(stubborn);
    await startAgain();
  });

  it('leaves no process of a server, not even one that ignores signals', async () => {
    const started = processes().filter((pid) => !before.has(pid));
    for (const server of ['steered', 'stubborn'])
      assert.ok(started.includes(pidOf(server)), server);
    await page.close();
    // VS Code's own part goes on; what the extension started goes with the window.
    await areGone(...started);
  });
});
