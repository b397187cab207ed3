import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog, sentArguments } from './dialog';
import { editorText, tabs, waitForTab } from './editors';
import { clearNotifications, notifications } from './notifications';
import { pick, readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { approveServers, openToolgate, waitForServer } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { demoServer } from './workspace';

const chained = `{
  // The second call uses what the first one brings.
  "calls": {
    "plant": {
      "server": "demo",
      "tool": "plant_note",
      "arguments": { "name": "Sage", "text": "Beside \${input:neighbour}" },
    },
    "read": {
      "server": "demo",
      "tool": "look_up_weather",
      "arguments": { "place": "\${calls.plant.content./0/text}" },
      "expect": { "values": { "/content/0/type": "text" } },
    },
  },
}
`;

const unmet = `{
  "server": "demo",
  "tool": "list_notes",
  "expect": {
    "values": {
      "/content/0/type": "image"
    }
  }
}
`;

const malformed = `{
  "calls": {
    "list": { "server": "demo", "tool": "list_notes", "argument": {} },
    "again": { "server": "demo", "tool": "list_notes" }
  }
}
`;

const inEnvironment = `{
  "server": "demo",
  "tool": "look_up_weather",
  "arguments": { "place": "\${var:place}" }
}
`;

describe('A call file', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow(
    {
      files: {
        'chained.mcpcall': chained,
        'unmet.mcpcall': unmet,
        'malformed.mcpcall': malformed,
        'weather.mcpcall': inEnvironment,
      },
      settings: {
        'toolgate.callFiles.environments': {
          garden: { place: 'the garden' },
          hill: { place: 'the hill' },
        },
      },
      servers: () => ({ demo: demoServer }),
    },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
    },
  );

  async function open(name: string): Promise<void> {
    await runCommand(page, 'View: Close All Editors');
    await runCommand(page, 'Toolgate: Open Call File…');
    await pick(page, name);
    await waitForTab(page, name);
    await lens('Run').waitFor();
  }

  const lens = (text: string | RegExp) =>
    page.locator('.codelens-decoration a, .codelens-decoration span', { hasText: text }).first();
  const lenses = (): Promise<string[]> =>
    page
      .locator('.codelens-decoration')
      .evaluateAll((all) =>
        all.map((each) => (each.textContent ?? '').replaceAll('\u00a0', ' ').trim()),
      );
  const runAll = () => page.locator('.codelens-decoration a', { hasText: 'Run All' }).click();

  /** Runs the one or other call by its lens; the lens `Run All` stands before them. */
  const runCall = (index: number) =>
    page
      .locator('.codelens-decoration a', { hasText: /^\s*Run\s*$/ })
      .nth(index)
      .click();

  it('starts the server of a call after the question whether it may, and goes on', async () => {
    await open('unmet.mcpcall');
    await runCall(0);
    await approveServers(page);
    await waitForServer(page, 'demo', /running|tools/);
    const { message } = await readDialog(page);
    assert.equal(message, 'Run “List notes” (list_notes) on “demo”?');
    await pressDialog(page, 'Run');
  });

  it('shows what a run was expected to bring and did not, above the call and at its line', async () => {
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.includes('“list_notes” did not pass: Expected "image"')),
    );
    await clearNotifications(page);
    await page.locator('.tabs-container .tab', { hasText: 'unmet.mcpcall' }).click();
    await eventually(lenses, (all) => all.some((text) => text.includes('✗ Expected "image"')));
    await page.locator('.squiggly-error').first().waitFor();
  });

  it('uses what an earlier call brought, and says so as long as there is nothing', async () => {
    await open('chained.mcpcall');
    await runCall(1);
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.includes('Not sent. Run “plant” first')),
    );
    assert.equal(await page.locator('.monaco-dialog-box').count(), 0);
    await clearNotifications(page);
    await runCall(0);
    await readQuickInput(page, 'Input “neighbour”');
    await typeAndAccept(page, 'the beans');
    const { detail } = await readDialog(page);
    assert.match(detail, /"text": "Beside the beans"/);
    await pressDialog(page, 'Run');
    await waitForTab(page, /^plant_note\./);
    const planted = (await editorText(page)).trim();
    assert.match(planted, /Planted "Sage"/);
    await page.locator('.tabs-container .tab', { hasText: 'chained.mcpcall' }).click();
    await eventually(lenses, (all) => all.some((text) => text.includes('✓')));
    await runCall(1);
    const sent = sentArguments(await readDialog(page));
    assert.deepEqual(JSON.parse(sent), { place: planted });
    await pressDialog(page, 'Cancel');
  });

  it('runs all calls in order, opens no result, and stops where one does not pass', async () => {
    await open('chained.mcpcall');
    await runAll();
    const { detail } = await readDialog(page); // The input is known already.
    assert.match(detail, /Beside the beans/);
    await pressDialog(page, 'Run');
    const all = await eventually(
      () => notifications(page),
      (texts) => texts.some((text) => text.includes('of 2 calls passed')),
    );
    // It was planted before.
    assert.ok(
      all.some((text) =>
        text.startsWith(
          '0 of 2 calls passed. “plant” did not pass: Expected no error from the tool',
        ),
      ),
      all.join('\n'),
    );
    assert.ok(all.some((text) => text.endsWith('Not run: “read”.')));
    await eventually(
      async () => (await tabs(page)).map(({ label }) => label).join(),
      (labels) => labels === 'chained.mcpcall,Report of chained-mcpcall.mcptable',
    );
    await clearNotifications(page);
  });

  it('runs nothing as long as it has problems', async () => {
    await open('malformed.mcpcall');
    await runCall(1);
    await eventually(
      () => notifications(page),
      (all) => all.includes('Not sent. “argument” has no meaning here.'),
    );
    assert.equal(await page.locator('.monaco-dialog-box').count(), 0);
    await clearNotifications(page);
  });

  it('takes values from the environment that is chosen in the status bar, and runs by Ctrl+Enter', async () => {
    await open('weather.mcpcall');
    await page.locator('.statusbar-item', { hasText: 'No Environment' }).click();
    await pick(page, 'hill');
    await page.locator('.statusbar-item', { hasText: 'hill' }).waitFor();
    await page.locator('.view-line', { hasText: 'look_up_weather' }).click();
    await page.keyboard.press('Control+Enter');
    const sent = sentArguments(await readDialog(page));
    assert.deepEqual(JSON.parse(sent), { place: 'the hill' });
    await pressDialog(page, 'Cancel');
  });
});
