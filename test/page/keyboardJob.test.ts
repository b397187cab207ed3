import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { typeCommand } from './quickInput';
import { treeRow } from './sideBar';
import { spokenDialog, waitForSpoken } from './spoken';
import { approveServers, waitForQuestion, waitForServer } from './toolgate';
import { useWindow } from './window';
import { demoServer } from './workspace';

/** The name of an icon, as it would be read aloud where one stands within a text. */
const iconName = /\$\(|codicon/;

/** The main job, without a mouse and without looking. */
describe('By keyboard, with what a screen reader says', function () {
  this.timeout(90_000);
  let page: Page;
  const said: string[] = [];

  useWindow(
    {
      servers: () => ({ demo: demoServer }),
      settings: { 'editor.accessibilitySupport': 'on' },
    },
    (opened) => {
      ({ page } = opened);
    },
  );

  const press = (key: string) => page.keyboard.press(key);
  const hears = async (words: RegExp): Promise<string> => {
    const heard = await waitForSpoken(page, words);
    said.push(heard);
    return heard;
  };
  const command = (title: string) => typeCommand(page, title);

  it('the tree is reached, and its rows say what they are in a few words', async () => {
    await command('Toolgate: Focus on Servers and Tools View');
    await treeRow(page, 'demo').waitFor();
    // A tree that has no rows yet, because the window is just being opened, takes no focus.
    await command('Toolgate: Focus on Servers and Tools View');
    await hears(/tree/);
    await press('Home');
    await hears(/^treeitem "Server demo/);
    await command('Toolgate: Start All Servers');
    await approveServers(page);
    await waitForServer(page, 'demo', /tools/);
    await command('Toolgate: Focus on Servers and Tools View');
    await press('Home');
    await hears(/^treeitem "Server demo/);
    await press('ArrowRight');
    await treeRow(page, 'Plant a note').waitFor();
    await press('ArrowDown');
    await hears(/^treeitem "(?!Server)/);
    await page.keyboard.type('Plant');
    await hears(/^treeitem "Plant a note/);
  });

  it('a tool is called, its arguments are entered, and it is approved', async () => {
    await press('Enter');
    await hears(/^textbox "Plant a note/);
    await waitForQuestion(page, 'Plant a note (demo)', 'name');
    await page.keyboard.type('rose');
    await press('Enter');
    await hears(/Run/);
    await press('ArrowDown');
    await hears(/^option "name, rose, Required"/);
    await press('ArrowUp');
    await press('Enter');
    await hears(/^button "Run"/);
    const dialog = await spokenDialog(page);
    assert.match(dialog, /^- dialog/);
    assert.match(dialog, /rose/);
    said.push(dialog);
  });

  it('the answer has the focus, under the name of the tool', async () => {
    await pressDialog(page, 'Run');
    await waitForTab(page, 'plant_note.mcptxt');
    await hears(/plant_note/);
    assert.match(await editorText(page), /Planted "rose"/);
  });

  it('and no name of an icon is said on the way', () => {
    assert.ok(said.length >= 9);
    assert.deepEqual(
      said.filter((words) => iconName.test(words)),
      [],
    );
  });
});
