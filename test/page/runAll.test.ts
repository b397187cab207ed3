import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog } from './dialog';
import { editorText, tabs, waitForTab } from './editors';
import { notifications } from './notifications';
import { runCommand } from './quickInput';
import { approveServers, openToolgate } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { demoServer } from './workspace';

const garden = `{
  "calls": {
    "plant": {
      "server": "demo",
      "tool": "plant_note",
      "arguments": { "name": "Sage", "text": "Beside the beans" }
    },
    "look": {
      "server": "demo",
      "tool": "look_up_weather",
      "arguments": { "place": "\${calls.plant.content./0/text}" }
    },
    "list": { "server": "demo", "tool": "list_notes" },
    "pull": {
      "server": "demo",
      "tool": "delete_note",
      "arguments": { "name": "Sage" }
    }
  }
}
`;

describe('All calls of a file', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow(
    { files: { 'garden.mcpcall': garden }, servers: () => ({ demo: demoServer }) },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      await runCommand(page, 'Toolgate: Open Call File…');
      await waitForTab(page, 'garden.mcpcall');
    },
  );

  const lens = (text: string | RegExp) =>
    page.locator('.codelens-decoration a', { hasText: text }).first();
  const listed = async (): Promise<string> => {
    await waitForTab(page, 'Run All.mcptext');
    return editorText(page);
  };
  /** The list as soon as it is so. */
  const listedSo = (isSo: (text: string) => boolean) => eventually(listed, isSo);
  const heads = (text: string) => text.match(/^(?:\[.\]| - ) \w+/gm);

  it('are one question: with risk and arguments, the destructive ones folded', async () => {
    await lens('Run All').click();
    await approveServers(page);
    const text = await listed();
    assert.deepEqual(heads(text), ['[x] plant', ' -  look', '[x] list', '[ ] pull']);
    assert.match(text, /Arguments: \{"name":"Sage","text":"Beside the beans"\}/);
    assert.match(text, /Asks separately: its arguments come from the answer of “plant”\./);
    assert.match(text, /Asks separately\. Unfold it to see its arguments and check it\./);
    assert.equal(text.includes('{"name":"Sage"}'), false);
    assert.equal(await page.locator('.monaco-dialog-box').count(), 0);
  });

  it('are checked and unchecked, a destructive one only when it is unfolded', async () => {
    await lens('Unfold').waitFor(); // Until then lines move.
    await page.locator('.view-line', { hasText: 'pull' }).click();
    await page.keyboard.press('Space');
    const unfolded = await listedSo((text) => text.includes('{"name":"Sage"}'));
    assert.deepEqual(heads(unfolded)?.at(-1), '[ ] pull');
    await lens('Check').waitFor();
    await page.locator('.codelens-decoration a', { hasText: 'Uncheck' }).nth(1).click();
    await listedSo((text) => text.includes('[ ] list'));
    await lens('Run, 1 Checked').waitFor();
  });

  it('run without a question where they are checked; the others ask by themselves', async () => {
    await lens('Run, 1 Checked').click();
    const look = await readDialog(page);
    assert.match(look.message, /look_up_weather/);
    assert.match(look.detail, /Planted/);
    await pressDialog(page, 'Run');
    assert.match((await readDialog(page)).message, /list_notes/);
    await pressDialog(page, 'Run');
    assert.match((await readDialog(page)).message, /delete_note/);
    await pressDialog(page, 'Cancel');
  });

  it('leave a report with a line for each, whose results open from there', async () => {
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.startsWith('3 of 4 calls passed.')),
    );
    const report = await eventually(
      () => tabs(page),
      (all) => all.some(({ label }) => label.startsWith('Report of garden')),
    );
    assert.equal(report.length, 2);
    await page.locator('.tabs-container .tab', { hasText: 'Report of garden' }).click();
    const text = await editorText(page);
    const lines = text.split('\n').filter((line) => /^. (plant|look|list|pull) /.test(line));
    assert.match(lines[0] ?? '', /^✓ plant +plant_note +demo +[\d.]+ m?s {2}passed$/);
    assert.match(lines[3] ?? '', /^⊘ pull +delete_note +demo +not called$/);
    assert.equal(new Set(lines.map((line) => line.indexOf('demo'))).size, 1);
    await page
      .locator('.view-line', { hasText: 'list_notes' })
      .locator('.detected-link')
      .first()
      .click({ modifiers: ['ControlOrMeta'], force: true });
    await waitForTab(page, /^list_notes\./);
  });

  it('open what each brought from the file, by its tick', async () => {
    await runCommand(page, 'View: Close All Editors');
    await runCommand(page, 'Toolgate: Open Call File…');
    await waitForTab(page, 'garden.mcpcall');
    await lens(/✓/).click();
    await waitForTab(page, /^plant_note\./);
  });
});
