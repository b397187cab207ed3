import type { Page } from 'playwright-core';
import { runCommand } from './quickInput';
import { openTests, waitForTests } from './testing';
import { useWindow } from './window';

const lonely = JSON.stringify({
  calls: { look: { server: 'nowhere', tool: 'look' }, list: { server: 'nowhere', tool: 'list' } },
});

describe('Tests in a window in which nothing is configured', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow({ files: { 'garden.mcpcall': lonely } }, (opened) => {
    ({ page } = opened);
  });

  it('run with the first press, which wakes the extension', async () => {
    await runCommand(page, 'Test: Run All Tests');
    await openTests(page);
    await waitForTests(page, (rows) =>
      rows.some((row) => /^garden.*\((?:Errored|Failed)\)/.test(row)),
    );
  });
});
