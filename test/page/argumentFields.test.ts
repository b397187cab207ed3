import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog, sentArguments } from './dialog';
import {
  pick,
  pressQuickButton,
  readQuickInput,
  typeAndAccept,
  typeAndAcceptAtOnce,
} from './quickInput';
import {
  chooseTool,
  openToolgate,
  startAll,
  waitForPage,
  waitForQuestion,
  waitForStatus,
} from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

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

  const sent = async (): Promise<unknown> => {
    const { detail } = await readDialog(page);
    // Its command, which is the script above, has braces too.
    return JSON.parse(sentArguments({ detail }));
  };

  it('are lines that Enter adds, and an object that is opened before it is asked for', async () => {
    await chooseTool(page, 'pitch');
    await waitForQuestion(page, 'pitch (camp)', 'tags');
    // The second one is found in the first, and is a line of its own all the same.
    for (const tag of ['near water', 'near']) {
      await typeAndAcceptAtOnce(page, tag);
      await eventually(
        () => readQuickInput(page),
        ({ value, items }) => value === '' && items.some(({ label }) => label === tag),
      );
    }
    await page.keyboard.press('Enter');
    await waitForPage(page, 'pitch (camp)');
    await pick(page, 'Tent');
    await waitForQuestion(page, 'pitch (camp)', 'Tent › poles');
    await typeAndAccept(page, '3');
    const { items } = await waitForPage(page, 'pitch (camp)');
    assert.deepEqual(
      items.map(({ label, description }) => [label, description]),
      [
        ['Run', ''],
        ['tags', 'near water, near'],
        ['Tent', '(filled in below)'],
        ['Tent › color', ''],
        ['Tent › poles', '3'],
        ['pin', ''],
        ['Enter as JSON', ''],
      ],
    );
  });

  it('are masked where they are secrets, which are not there any more the next time', async () => {
    await pick(page, 'pin');
    await waitForQuestion(page, 'pitch (camp)', 'pin');
    const box = page.locator('.quick-input-widget:visible .quick-input-box input');
    assert.equal(await box.getAttribute('type'), 'password');
    await typeAndAccept(page, 'hunter2');
    const { items } = await waitForPage(page, 'pitch (camp)');
    assert.equal(items.find(({ label }) => label === 'pin')?.description, '(not shown)');
    await page.keyboard.press('Enter');
    assert.deepEqual(await sent(), {
      tags: ['near water', 'near'],
      tent: { poles: 3 },
      pin: 'hunter2',
    });
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“pitch” was not called.');
    await chooseTool(page, 'pitch');
    const again = await waitForPage(page, 'pitch (camp)');
    assert.equal(again.items.find(({ label }) => label === 'pin')?.description, '');
    await pick(page, 'tags');
    assert.deepEqual(
      (await waitForQuestion(page, 'pitch (camp)', 'tags')).items.map(({ label }) => label),
      ['Go On', 'near water', 'near'],
    );
    await page.keyboard.press('Enter');
    await waitForPage(page, 'pitch (camp)');
    await pick(page, 'Tent');
    await waitForQuestion(page, 'pitch (camp)', 'Tent');
    await pick(page, 'Leave out');
    await waitForPage(page, 'pitch (camp)');
    await page.keyboard.press('Enter');
    assert.deepEqual(await sent(), { tags: ['near water', 'near'] });
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“pitch” was not called.');
  });

  it('are the path of a file that is picked, and a date that is doubted once', async () => {
    await chooseTool(page, 'read_map');
    await waitForQuestion(page, 'read_map (camp)', 'path');
    await pressQuickButton(page, 'Pick a File');
    const dialog = await eventually(
      () => readQuickInput(page),
      ({ title, items }) =>
        title.startsWith('Pick a File') && items.some(({ label }) => label === 'map.txt'),
    );
    assert.match(dialog.value, /garden\/$/);
    await pick(page, 'map.txt');
    const path = await waitForQuestion(page, 'read_map (camp)', 'path');
    assert.match(path.value, /\/garden\/map\.txt$/);
    await page.keyboard.press('Enter');
    await waitForPage(page, 'read_map (camp)');
    await pick(page, 'date');
    await waitForQuestion(page, 'read_map (camp)', 'date');
    await page.keyboard.type('tomorrow');
    await page.keyboard.press('Enter');
    const doubted = await eventually(
      () => readQuickInput(page),
      ({ message }) => message.startsWith('This is not a date.'),
    );
    assert.match(doubted.message, /Press Enter once more to use it as it is\.$/);
    await page.keyboard.press('Enter');
    await waitForPage(page, 'read_map (camp)');
    await page.keyboard.press('Enter');
    assert.deepEqual(await sent(), { path: path.value, date: 'tomorrow' });
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“read_map” was not called.');
  });
});
