import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog } from './dialog';
import { editorText, replaceText, waitForTab } from './editors';
import { clearNotifications, notifications } from './notifications';
import {
  pick,
  pressQuickButton,
  readQuickInput,
  typeAndAccept,
  typeAndAcceptAtOnce,
  type QuickInput,
} from './quickInput';
import { chooseTool, closeEditors, openToolgate, startAll, waitForStatus } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { demoServer, scriptedServer } from './workspace';

describe('The arguments of a call', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow({ servers: () => ({ demo: demoServer }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });

  const step = (number: number): Promise<QuickInput> =>
    eventually(
      () => readQuickInput(page),
      ({ title }) => title === `Plant a note (demo) (${number}/6)`,
    );

  it('are asked one by one, checked in place, and Back keeps what was entered', async () => {
    await chooseTool(page, 'Plant a note');
    await step(1);
    await typeAndAccept(page, '');
    const { message } = await eventually(
      () => readQuickInput(page),
      ({ isInvalid }) => isInvalid,
    );
    assert.match(message, /must have at least 1 character/);
    await typeAndAccept(page, 'Sage');
    assert.equal((await step(2)).value, 'Water me.');
    await pressQuickButton(page, 'Back');
    assert.equal((await step(1)).value, 'Sage');
    await page.keyboard.press('Enter');
    await step(2);
    await page.keyboard.press('Enter');
    assert.deepEqual(
      (await step(3)).items.map(({ label }) => label),
      ['red', 'yellow', 'blue', 'white', 'Leave out'],
    );
    await pick(page, 'blue');
    assert.equal((await step(4)).value, '3');
    await typeAndAccept(page, ''); // Optional, so nothing means absent.
    await step(5);
    await typeAndAccept(page, '12.5');
    await step(6);
    await pick(page, 'Leave out');
    const { detail } = await readDialog(page);
    assert.deepEqual(JSON.parse(detail.slice(detail.indexOf('{'))), {
      name: 'Sage',
      text: 'Water me.',
      color: 'blue',
      heightCm: 12.5,
    });
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“plant_note” was not called.');
  });

  it('are a document where they are nested, which is not sent while it has problems', async () => {
    await chooseTool(page, 'Plan a flower bed');
    await waitForTab(page, 'plan_bed.arguments.jsonc');
    await page.locator('.codelens-decoration a', { hasText: 'Run “Plan a flower bed”' }).waitFor();
    await page.keyboard.press('ControlOrMeta+Enter');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => /^Nothing was sent: \d+ problems\./.test(text)),
    );
    assert.equal(await page.locator('.monaco-dialog-box').count(), 0);
    await clearNotifications(page);
  });

  it('run from the document with Ctrl+Enter when they fit', async () => {
    const bed = { name: 'Herbs', size: { lengthM: 2, widthM: 1 } };
    const given = { bed, plants: [{ kind: 'tulip', count: 3 }] };
    await replaceText(page, JSON.stringify(given));
    await page.keyboard.press('ControlOrMeta+Enter');
    const { message, detail } = await readDialog(page);
    assert.equal(message, 'Run “Plan a flower bed” (plan_bed) on “demo”?');
    assert.deepEqual(JSON.parse(detail.slice(detail.indexOf('{'))), given);
    await pressDialog(page, 'Run');
    await waitForTab(page, /^plan_bed\.mcp(txt|json|md)$/);
    assert.match(await editorText(page), /Herbs/);
    await closeEditors(page);
  });
});

const camp = scriptedServer(`(server) => {
  const text = { type: 'string' };
  server.tools = [
    {
      name: 'pitch',
      inputSchema: {
        type: 'object',
        properties: {
          tags: { type: 'array', items: text },
          tent: {
            type: 'object',
            title: 'Tent',
            properties: { color: text, poles: { type: 'integer', minimum: 1 } },
            required: ['poles'],
          },
          pin: { type: 'string', format: 'password' },
        },
        required: ['tags'],
      },
    },
    {
      name: 'read_map',
      inputSchema: {
        type: 'object',
        properties: { path: text, date: { type: 'string', format: 'date' } },
        required: ['path'],
      },
    },
  ];
}`);

describe('The arguments of a call that are more than plain texts', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow({ servers: () => ({ camp }), files: { 'map.txt': 'north' } }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });

  const waitForStep = (title: string): Promise<QuickInput> =>
    eventually(
      () => readQuickInput(page),
      (input) => input.title === title,
    );

  const sent = async (): Promise<unknown> => {
    const { detail } = await readDialog(page);
    // Its command, which is the script above, has braces too.
    return JSON.parse(detail.slice(detail.lastIndexOf('\n{')));
  };

  it('are lines that Enter adds, and an object that is opened before it is asked for', async () => {
    await chooseTool(page, 'pitch');
    await waitForStep('pitch (camp) (1/3)');
    // The second one is found in the first, and is a line of its own all the same.
    for (const tag of ['near water', 'near']) {
      await typeAndAcceptAtOnce(page, tag);
      await eventually(
        () => readQuickInput(page),
        ({ value, items }) => value === '' && items.some(({ label }) => label === tag),
      );
    }
    await page.keyboard.press('Enter');
    await waitForStep('pitch (camp) (2/3)');
    await pick(page, 'Fill in…');
    const color = await waitForStep('pitch (camp) (3/5)');
    assert.match(color.message, /^Tent › color/);
    await page.keyboard.press('Enter');
    await waitForStep('pitch (camp) (4/5)');
    await typeAndAccept(page, '3');
    await waitForStep('pitch (camp) (5/5)');
  });

  it('are masked where they are secrets, which are not there any more the next time', async () => {
    const box = page.locator('.quick-input-widget:visible .quick-input-box input');
    assert.equal(await box.getAttribute('type'), 'password');
    await typeAndAccept(page, 'hunter2');
    assert.deepEqual(await sent(), {
      tags: ['near water', 'near'],
      tent: { poles: 3 },
      pin: 'hunter2',
    });
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“pitch” was not called.');
    await chooseTool(page, 'pitch');
    const again = await waitForStep('pitch (camp) (1/5)');
    assert.deepEqual(
      again.items.map(({ label }) => label),
      ['Go On', 'near water', 'near'],
    );
    await page.keyboard.press('Enter');
    await waitForStep('pitch (camp) (2/5)');
    await pick(page, 'Leave out');
    assert.equal((await waitForStep('pitch (camp) (3/3)')).value, '');
    await page.keyboard.press('Enter');
    assert.deepEqual(await sent(), { tags: ['near water', 'near'] });
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“pitch” was not called.');
  });

  it('are the path of a file that is picked, and a date that is doubted once', async () => {
    await chooseTool(page, 'read_map');
    await waitForStep('read_map (camp) (1/2)');
    await pressQuickButton(page, 'Pick a File');
    const dialog = await eventually(
      () => readQuickInput(page),
      ({ title, items }) =>
        title.startsWith('Pick a File') && items.some(({ label }) => label === 'map.txt'),
    );
    assert.match(dialog.value, /garden\/$/);
    await pick(page, 'map.txt');
    const path = await waitForStep('read_map (camp) (1/2)');
    assert.match(path.value, /\/garden\/map\.txt$/);
    await page.keyboard.press('Enter');
    await waitForStep('read_map (camp) (2/2)');
    await page.keyboard.type('tomorrow');
    await page.keyboard.press('Enter');
    const doubted = await eventually(
      () => readQuickInput(page),
      ({ message }) => message.startsWith('This is not a date.'),
    );
    assert.match(doubted.message, /Press Enter once more to use it as it is\.$/);
    await page.keyboard.press('Enter');
    assert.deepEqual(await sent(), { path: path.value, date: 'tomorrow' });
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“read_map” was not called.');
  });
});
