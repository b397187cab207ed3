import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { editorText, tabs, waitForTab } from './editors';
import { pick, runCommand } from './quickInput';
import { expandTests, openTests, pressTestAction, testRow, waitForTests } from './testing';
import { approveServers, closeEditors, waitForStatus } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { demoServer } from './workspace';

const plant = (name: string) => ({
  server: 'demo',
  tool: 'plant_note',
  arguments: { name, text: 'Beside the beans' },
});
const weather = {
  server: 'demo',
  tool: 'look_up_weather',
  arguments: { place: 'Oslo' },
  expect: { values: { '/content/0/text': 'Snow' } },
};
/** A line for each call, so that all of them are in sight. */
const garden = `{
  "calls": {
    "sage": ${JSON.stringify(plant('Sage'))},
    "dill": ${JSON.stringify(plant('Dill'))},
    "weather": ${JSON.stringify(weather)}
  }
}
`;
const slow = JSON.stringify({
  server: 'demo',
  tool: 'wait_for_sunset',
  arguments: { seconds: 60 },
});
const allow = (tool: string) => ({ effect: 'allow', server: 'demo', tool });

/** What the window shows is looked at in the order in which a person comes to it. */
describe('Call files in the Test Explorer', function () {
  this.timeout(60_000);
  let page: Page;
  let folder = '';

  useWindow(
    {
      files: { 'garden.mcpcall': garden, 'beds/slow.mcpcall': slow },
      servers: () => ({ demo: demoServer }),
      settings: {
        'toolgate.rules': [allow('look_up_weather'), allow('wait_for_sunset')],
        // In a browser VS Code saves by itself.
        'files.autoSave': 'off',
      },
    },
    (opened) => {
      ({ page } = opened);
      ({ folder } = opened.workspace);
    },
  );

  const rowsSo = (...expected: readonly RegExp[]) =>
    waitForTests(page, (rows) => expected.every((each) => rows.some((row) => each.test(row))));

  const message = () => page.locator('.test-error-content-widget', { hasText: 'Oslo: sunny' });

  it('are found when it is opened, and their calls when they are looked at', async () => {
    await openTests(page);
    const files = await rowsSo(/^garden/);
    assert.deepEqual(files, ['beds/slow.mcpcall (Not yet run)', 'garden.mcpcall (Not yet run)']);
    await expandTests(page, 'garden.mcpcall');
    const names = ['sage', 'dill', 'weather'].map((name) => `${name} (Not yet run)`);
    await waitForTests(page, (rows) => rows.slice(2).join() === names.join());
    await runCommand(page, 'Toolgate: Open Call File…');
    await pick(page, 'garden.mcpcall');
    await waitForTab(page, 'garden.mcpcall');
    const icons = page.locator('.testing-run-glyph');
    await eventually(
      () => icons.count(),
      (count) => count === 3,
    );
  });

  it('run after one question for all that would ask, and what came stands at its line', async () => {
    await pressTestAction(page, 'garden.mcpcall', 'Run Test');
    await approveServers(page);
    await waitForTab(page, 'Run All.mcptext');
    const text = await editorText(page);
    assert.deepEqual(text.match(/^(?:\[.\]| - ) \w+/gm), ['[x] sage', '[x] dill', ' -  weather']);
    assert.match(text, /Runs without a question\./);
    await page.locator('.codelens-decoration a', { hasText: 'Run, 2 Checked' }).first().click();
    await rowsSo(/^sage \(Passed\)/, /^dill \(Passed\)/, /^weather \(Failed\)/);
    await waitForTab(page, 'garden.mcpcall');
    await message().waitFor();
  });

  it('offer what came in place of what was expected, on the diff of both', async () => {
    await message().click();
    const accept = page.getByText('Accept as Expected').first();
    await accept.waitFor();
    await accept.click();
    await eventually(
      () => tabs(page),
      (all) => all.some(({ label, isDirty }) => label === 'garden.mcpcall' && isDirty),
    );
    await page.keyboard.press('Escape');
    await accept.waitFor({ state: 'detached' });
    const text = await editorText(page);
    assert.match(text, /"\/content\/0\/text": ?"Oslo: sunny, 21 °C/);
    assert.equal(text.includes('Snow'), false);
    await pressTestAction(page, 'weather', 'Run Test');
    await rowsSo(/^weather \(Passed\)/);
    await runCommand(page, 'File: Save');
  });

  it('expect the whole answer after a press above the call', async () => {
    const lenses = page.locator('.codelens-decoration a', { hasText: 'Expect This Answer' });
    const readPlaces = () =>
      lenses.evaluateAll((all) => all.map((lens) => lens.getBoundingClientRect().top));
    let before = '';
    // Lenses come one after the other, and move what stands below them.
    const places = await eventually(readPlaces, (now) => {
      const isStill = now.join() === before;
      before = now.join();
      return isStill && now.length === 3;
    });
    await lenses.nth(places.indexOf(Math.max(...places))).click();
    const text = await eventually(
      () => editorText(page),
      (now) => now.includes('"answer"'),
    );
    assert.match(text.slice(text.indexOf('"weather"')), /"answer": ?\{/);
    await lenses.nth(2).waitFor({ state: 'detached' });
    await pressTestAction(page, 'weather', 'Run Test');
    await rowsSo(/^weather \(Passed\)/);
    await runCommand(page, 'File: Save');
  });

  it('run by themselves when their file changes, as far as nobody has to be asked', async () => {
    await pressTestAction(page, 'garden.mcpcall', 'Turn on Continuous Run');
    const off = '.action-label[aria-label^="Turn off Continuous Run"]';
    await testRow(page, 'garden.mcpcall').locator(off).waitFor({ state: 'attached' });
    await closeEditors(page);
    writeFileSync(path.join(folder, 'garden.mcpcall'), garden);
    await rowsSo(/^sage \(Skipped\)/, /^dill \(Skipped\)/, /^weather \(Failed\)/);
    assert.equal(await page.locator('.monaco-dialog-box').count(), 0);
    await pressTestAction(page, 'garden.mcpcall', 'Turn off Continuous Run');
  });

  it('are one where a name stands twice, as while a call is copied', async () => {
    const twice = `{ "calls": { "look": ${JSON.stringify(weather)}, "look": ${JSON.stringify(weather)} } }`;
    writeFileSync(path.join(folder, 'beds/twice.mcpcall'), twice);
    await rowsSo(/^beds\/twice/);
    await expandTests(page, 'beds/twice.mcpcall');
    const rows = await rowsSo(/^look/);
    assert.equal(rows.filter((row) => row.startsWith('look')).length, 1);
    rmSync(path.join(folder, 'beds/twice.mcpcall'));
    await waitForTests(page, (all) => all.every((row) => !row.startsWith('beds/twice')));
  });

  it('are cancelled with their run', async () => {
    await expandTests(page, 'beds/slow.mcpcall');
    await pressTestAction(page, 'wait_for_sunset', 'Run Test');
    // Not by its row: what that says stays behind what it draws, on a machine with much to do.
    await waitForStatus(page, '1 call');
    await runCommand(page, 'Test: Cancel Test Run');
    await rowsSo(/^wait_for_sunset \((?:Skipped|Not yet run)\)/);
  });

  it('say which tools of a server they have called', async () => {
    await runCommand(page, 'Toolgate: Show Exercised Tools');
    await waitForTab(page, 'Exercised Tools.mcptable');
    const text = await editorText(page);
    assert.match(text, /^demo: 2 of \d+ tools$/m);
    assert.match(text, /^✗ look_up_weather +[1-9] +2$/m);
    assert.match(text, /^✓ plant_note +2 +0$/m);
    assert.match(text, /^- list_notes +0 +0$/m);
  });
});
