import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AnsweredDialogs } from './dialogs';
import { RealExtension } from './realExtension';

/** In the real extension, with real files. */
describe('A server that is being written', () => {
  let extension: RealExtension;
  let dialogs: AnsweredDialogs;
  before(async () => {
    extension = await RealExtension.activate();
    dialogs = new AnsweredDialogs(({ buttons }) =>
      buttons.find((button) => button.startsWith('Start')),
    );
  });
  after(() => dialogs.dispose());
  afterEach(() => extension.clear());

  it('is restarted when a file changes that its entry names, and is not started by one', async () => {
    const { api, folder } = extension;
    await extension.configure({ written: { ...extension.demoEntry(), dev: { watch: '*.py' } } });
    const touch = (text: string) => writeFile(path.join(folder, 'server.py'), text);
    await api.start('written');
    const { pid } = extension.server('written') ?? {};
    assert.ok(pid !== undefined);
    // VS Code begins to watch what the entry names in its own time, and tells of nothing before.
    const touching = setInterval(() => void touch('1'), 1_000);
    await extension
      .until(() => {
        const now = extension.server('written');
        return now?.state === 'running' && now.pid !== pid;
      })
      .finally(() => clearInterval(touching));
    await api.stop('written');
    await touch('2');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal(extension.server('written')?.state, 'stopped');
  });
});
