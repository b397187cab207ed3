import type { Page } from 'playwright-core';
import { pressDialog } from './page/dialog';
import { replaceText, waitForTab } from './page/editors';
import { clearNotifications, notifications, pressNotification } from './page/notifications';
import { pick, readQuickInput, runCommand, typeAndAccept } from './page/quickInput';
import {
  chooseTool,
  closeEditors,
  waitForInput,
  waitForPage,
  waitForQuestion,
} from './page/toolgate';
import { eventually } from './waiting';

/** Takes a picture of the window under this name, once `prepare` has been done. */
export type TakePicture = (name: string, prepare?: () => Promise<void>) => Promise<void>;

/** The ways to say what a tool is called with, and what shows while it runs. */
export async function walkCalls(page: Page, picture: TakePicture): Promise<void> {
  await showSteps(page, picture);
  await showDocument(page, picture);
  await showCallFile(page, picture);
  await showRunning(page, picture);
}

async function showSteps(page: Page, picture: TakePicture): Promise<void> {
  const title = 'Plant a note (demo)';
  await chooseTool(page, 'Plant a note');
  await waitForQuestion(page, title, 'name');
  await typeAndAccept(page, 'Lavender');
  await waitForPage(page, title);
  await pick(page, 'text');
  await waitForQuestion(page, title, 'text');
  await typeAndAccept(page, 'Wants sun and little water');
  await picture('steps', async () => {
    await waitForPage(page, title);
  });
  await page.keyboard.press('Escape');
}

const bed = `{
  "bed": {
    "name": "South wall",
    "size": { "lengthM": 4, "widthM": 1.5 }
  },
  "plants": [
    { "kind": "rose", "count": 3 },
    { "kind": "oak", "count": 2 },
    { "kind": "", "count": 1 }
  ]
}`;

async function showDocument(page: Page, picture: TakePicture): Promise<void> {
  await chooseTool(page, 'Plan a flower bed');
  await waitForTab(page, 'plan_bed.arguments.jsonc');
  await replaceText(page, bed);
  await page.keyboard.press('ControlOrMeta+End');
  const before = '{ "kind": "';
  const keys = ['ArrowUp', 'ArrowUp', 'Home', ...Array.from(before, () => 'ArrowRight')];
  for (const key of keys) await page.keyboard.press(key);
  await picture('document', async () => {
    await page.locator('.squiggly-error').first().waitFor();
    const rows = page.locator('.suggest-widget.visible .monaco-list-row .label-name');
    await eventually(
      async () => {
        const shown = await rows.allTextContents();
        if (shown.includes('"tulip"')) return shown;
        // While the language service is reading the schema yet, words of the document are proposed.
        if (shown.length > 0) await page.keyboard.press('Escape');
        await page.keyboard.press('Control+Space');
        await page.waitForTimeout(1_000);
        return rows.allTextContents();
      },
      (shown) => shown.includes('"tulip"'),
    );
  });
  await page.keyboard.press('Escape');
  await closeEditors(page);
}

const calls = `{
  // Press Run above a call, or Run All.
  "calls": {
    "weather": {
      "server": "demo",
      "tool": "look_up_weather",
      "arguments": { "place": "Oslo" },
      "expect": { "values": { "/content/0/type": "text" } }
    },
    "plant": {
      "server": "demo",
      "tool": "plant_note",
      "arguments": { "name": "Sage", "text": "Beside the beans" },
      "expect": { "values": { "/content/0/text": "Nothing" } }
    }
  }
}`;

async function showCallFile(page: Page, picture: TakePicture): Promise<void> {
  await runCommand(page, 'Toolgate: Open Call File…');
  await waitForInput(page, 'Open Call File');
  await pick(page, 'garden.mcpcall');
  await waitForTab(page, 'garden.mcpcall');
  await replaceText(page, calls);
  const lens = (text: string | RegExp) =>
    page.locator('.codelens-decoration a', { hasText: text }).first();
  await lens('Run All').click();
  await pressDialog(page, 'Review');
  await waitForTab(page, 'Run All.mcptext');
  await picture('runAll', () => lens(/Run, \d Checked/).waitFor());
  await lens(/Run, \d Checked/).click();
  await eventually(
    () => notifications(page),
    (all) => all.some((text) => text.includes('1 of 2 calls passed')),
  );
  await clearNotifications(page);
  await page.locator('.tabs-container .tab', { hasText: 'garden.mcpcall' }).click();
  // The report stands beside it, where the picture has no room for both.
  await runCommand(page, 'View: Close Editors in Other Groups');
  await picture('callFile', async () => {
    const outcomes = page.locator('.codelens-decoration', { hasText: /[✓✗]/ });
    await eventually(
      () => outcomes.count(),
      (count) => count === 2,
    );
    await page.locator('.squiggly-error').first().waitFor();
  });
  await runCommand(page, 'File: Revert File');
  await closeEditors(page);
}

async function showRunning(page: Page, picture: TakePicture): Promise<void> {
  for (const seconds of ['60', '40']) {
    await chooseTool(page, 'Wait for the sunset');
    await eventually(
      () => readQuickInput(page),
      ({ title }) => title.startsWith('Wait for the sunset'),
    );
    await typeAndAccept(page, seconds);
    await pressDialog(page, 'Run');
  }
  await picture('running', async () => {
    await eventually(
      () => notifications(page),
      (all) => all.filter((text) => text.includes('The sun has gone down')).length === 2,
    );
  });
  for (let left = 2; left > 0; left -= 1) {
    await pressNotification(page, 'Cancel');
    await eventually(
      () => notifications(page),
      (all) => all.filter((text) => text.includes('The sun has gone down')).length < left,
    );
  }
}
