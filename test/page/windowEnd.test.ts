import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { openWindow } from '../vscode/window';
import { eventually } from './harness';
import { openToolgate, startAll } from './toolgate';
import { demoServer, everythingServer, makeWorkspace } from './workspace';

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('The end of the window', function () {
  this.timeout(60_000);

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
        20_000,
      );
    } finally {
      await window.close();
      workspace.remove();
    }
    assert.ok(!existsSync(workspace.folder));
  });
});
