import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { openWindow } from '../vscode/window';
import { pressDialog, readDialog } from './dialog';
import { runCommand, typeAndAccept } from './quickInput';
import { openView } from './sideBar';
import { chooseTool, openToolgate, startAll, waitForServer } from './toolgate';
import { eventually } from './waiting';
import { demoServer, everythingServer, makeWorkspace } from './workspace';

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('The end of the window', function () {
  this.timeout(120_000);

  it('leaves no process of a server, not even of a stubborn one', async () => {
    const workspace = makeWorkspace();
    workspace.configure({
      demo: demoServer,
      everything: everythingServer,
      steered: workspace.steered('steered'),
      stubborn: workspace.steered('stubborn', 'stubborn'),
    });
    const window = await openWindow({ folder: workspace.folder });
    try {
      const before = new Set(window.server.processes());
      await openToolgate(window.page);
      await startAll(window.page, 4);
      const started = window.server.processes().filter((pid) => !before.has(pid));
      const own = ['steered', 'stubborn'].map((name) => {
        const line = workspace.received(name).findLast((each) => each.startsWith('started '));
        return Number(line?.split(' ')[1]);
      });
      assert.ok(started.length >= 4, `${started.length} processes`);
      for (const pid of own)
        assert.ok(started.includes(pid), `${pid} is not among ${started.join(' ')}`);

      await window.page.close();
      // VS Code's own part goes on; what the extension started goes with the window.
      await eventually(
        () => Promise.resolve(started.filter(isAlive)),
        (left) => left.length === 0,
        45_000,
      );
    } finally {
      await window.close();
      workspace.remove();
    }
    assert.ok(!existsSync(workspace.folder));
  });

  it('answers the question that is open with no', async () => {
    const workspace = makeWorkspace();
    workspace.configure({ steered: workspace.steered('steered') });
    const window = await openWindow({ folder: workspace.folder });
    const { page } = window;
    const call = async (n: string) => {
      await chooseTool(page, 'echo');
      await typeAndAccept(page, n);
      const { message } = await readDialog(page);
      assert.equal(message, 'Run “echo” on “steered”?');
    };
    try {
      await openToolgate(page);
      await startAll(page, 1);
      await call('41');
      await page.reload();
      await openView(page, 'Toolgate');
      await runCommand(page, 'Toolgate: Start All Servers');
      await waitForServer(page, 'steered', /tools/);
      await call('42');
      await pressDialog(page, 'Run');
      const calls = () => workspace.received('steered').filter((line) => line.startsWith('called'));
      await eventually(
        () => Promise.resolve(calls()),
        (all) => all.length > 0,
      );
      assert.deepEqual(calls(), ['called echo {"n":42}']);
    } finally {
      await window.close();
      workspace.remove();
    }
  });

  it('by force leaves only what ignores the end of its stdin, and the next window ends that', async function () {
    if (process.platform !== 'linux') this.skip();
    const workspace = makeWorkspace();
    workspace.configure({
      steered: workspace.steered('steered'),
      stubborn: workspace.steered('stubborn', 'stubborn'),
    });
    const window = await openWindow({ folder: workspace.folder });
    try {
      await openToolgate(window.page);
      await startAll(window.page, 2);
      const pidOf = (name: string) =>
        Number(
          workspace
            .received(name)
            .find((line) => line.startsWith('started '))
            ?.split(' ')[1],
        );
      const [steered, stubborn] = [pidOf('steered'), pidOf('stubborn')];
      // "pid (name) state parent …": the extension host.
      const parent = readFileSync(`/proc/${steered}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[1];
      process.kill(Number(parent), 'SIGKILL');
      const isGone = (pid: number) =>
        eventually(
          () => Promise.resolve(isAlive(pid)),
          (alive) => !alive,
          45_000,
        );
      await isGone(steered);
      await window.page.reload();
      await isGone(stubborn);
    } finally {
      await window.close();
      workspace.remove();
    }
  });
});
