import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { editorText, tabs, waitForTab } from './editors';
import { pick, readQuickInput, runCommand } from './quickInput';
import { callRows, pressMenuEntry } from './sideBar';
import { closeEditors, openToolgate, reloadWindow, startAll } from './toolgate';
import { eventually, patienceMs } from './waiting';
import { useWindow } from './window';
import { demoServer } from './workspace';

const weather = {
  server: 'demo',
  tool: 'look_up_weather',
  arguments: { place: 'Oslo' },
};
const garden = `{
  "calls": {
    "weather": ${JSON.stringify(weather)}
  }
}
`;

describe('What an earlier call brought, as what is expected', function () {
  this.timeout(90_000);
  let page: Page;

  useWindow(
    {
      files: { 'garden.mcpcall': garden },
      servers: () => ({ demo: demoServer }),
      settings: {
        'toolgate.rules': [{ effect: 'allow', server: 'demo', tool: 'look_up_weather' }],
        'files.autoSave': 'off',
      },
    },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      await startAll(page, 1);
      await runCommand(page, 'Toolgate: Open Call File…');
      await waitForTab(page, 'garden.mcpcall');
      await page.locator('.codelens-decoration a', { hasText: 'Run' }).last().click();
      await waitForTab(page, /look_up_weather/);
      await eventually(
        () => callRows(page).count(),
        (count) => count === 1,
      );
      // From here on nobody knows any more of which call of which file the answer is.
      await reloadWindow(page);
    },
  );

  const expected = () =>
    eventually(
      () => editorText(page),
      (text) => text.includes('"answer"'),
    );

  it('is written from the row of the call, for the call of the same tool that is picked', async () => {
    await closeEditors(page);
    await callRows(page).first().click({ button: 'right', timeout: patienceMs });
    await pressMenuEntry(page, 'Expect This Answer');
    const { items: rows } = await readQuickInput(page, 'Expect This Answer');
    assert.equal(rows.length, 2, JSON.stringify(rows));
    await pick(page, 'weather');
    await waitForTab(page, 'garden.mcpcall');
    assert.match(await expected(), /"expect": ?\{\s*"answer": ?\{[^]*Oslo: sunny/);
    await runCommand(page, 'File: Revert File');
    await closeEditors(page);
  });

  it('is written from a result that was kept, into a new call file where that is picked', async () => {
    await callRows(page).first().click();
    await waitForTab(page, /look_up_weather/);
    await runCommand(page, 'Toolgate: Expect This Answer');
    await readQuickInput(page, 'Expect This Answer');
    await pick(page, 'New Call File…');
    const text = await expected();
    assert.match(text, /"tool": ?"look_up_weather"/);
    assert.match(text, /Oslo: sunny/);
    const open = await tabs(page);
    assert.ok(open.some(({ label, isDirty }) => isDirty && label.endsWith('.mcpcall')));
  });
});
