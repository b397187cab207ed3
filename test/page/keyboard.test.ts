import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import {
  dismissDialog,
  pressDialog,
  readDialog,
  sentArguments,
  waitForDialogFocus,
  waitToRead,
} from './dialog';
import { editorText, waitForTab } from './editors';
import { KeyCount } from './keyCount';
import { acceptQuickInput, dismissQuickInput, readQuickInput, typeCommand } from './quickInput';
import { treeRow } from './sideBar';
import { spokenDialog, waitForSpoken } from './spoken';
import {
  approveServers,
  closeEditors,
  waitForInput,
  waitForPage,
  waitForQuestion,
  waitForServer,
} from './toolgate';
import { eventually } from '../waiting';
import { useWindow } from './window';
import { demoServer, scriptedServer } from './workspace';

const studio = scriptedServer(`(server) => {
  const text = { type: 'string' };
  const tool = (name, description, properties = {}) => ({
    name,
    description,
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
  });
  const journey = { from: text, to: text, day: text, seats: { type: 'integer' }, name: text };
  server.tools = [
    tool('about', 'Tells how to write'),
    tool('rewrite_all', 'Changes many'),
    tool('write_file', 'Puts a text into a file', { path: text, text }),
    tool('write', 'Puts a text somewhere', { text }),
    { ...tool('cancel_all', 'May destroy'), annotations: {} },
    tool('book', 'A journey', journey),
    { ...tool('rebook', 'May destroy a journey', journey), annotations: {} },
  ];
  server.on('tools/call', (message) => server.text(message, 'done'));
}`);

const journey = { from: 'Oslo', to: 'Bergen', day: 'Monday', seats: '2', name: 'Ann' };

/** The name of an icon, as it would be read aloud where one stands within a text. */
const iconName = /\$\(|codicon/;

/** Without a mouse, and without looking. */
describe('By keyboard,', () => {
  let page: Page;

  useWindow(
    {
      servers: () => ({ demo: demoServer, studio }),
      settings: { 'editor.accessibilitySupport': 'on' },
    },
    (opened) => {
      ({ page } = opened);
    },
  );
  afterEach(() => closeEditors(page));

  const press = (key: string) => page.keyboard.press(key);
  /** The editor of a document whose name ends like this, when it takes keys. */
  const focusedEditor = (end: string) =>
    page.locator(`.editor-instance .monaco-editor.focused[data-uri$="${end}"]`);
  const focusTree = () => typeCommand(page, 'Toolgate: Focus on Servers and Tools View');

  it('the tool picker keeps the focus while the server of the chosen tool starts', async () => {
    await focusTree();
    await treeRow(page, 'demo').waitFor();
    await typeCommand(page, 'Toolgate: Call Tool…');
    await waitForInput(page, 'Call Tool');
    await page.keyboard.type('Start “studio”');
    const first = async () => (await readQuickInput(page, 'Call Tool')).items[0]?.label;
    await eventually(first, (label) => label === 'Start “studio”');
    await acceptQuickInput(page);
    await approveServers(page);
    await waitForInput(page, 'Call Tool');
    // The tree opens the row of what has started.
    await eventually(
      () => treeRow(page, 'studio').getAttribute('aria-expanded'),
      (expanded) => expanded === 'true',
    );
    await page.keyboard.type('write');
    const { items } = await eventually(
      () => readQuickInput(page, 'Call Tool'),
      (input) => input.value === 'write' && input.items[0]?.label === 'write',
    );
    assert.deepEqual(
      items.slice(0, 4).map(({ label }) => label),
      ['write', 'write_file', 'rewrite_all', 'about'],
    );
    // Enter comes before the rows.
    await press('ControlOrMeta+a');
    await page.keyboard.type('about');
    await press('Enter');
    assert.equal((await readDialog(page)).message, 'Run “about” on “studio”?');
    await dismissDialog(page);
  });

  it('a screen reader hears every step of a call, from the tree to the answer, and no icon names; the help lists the keys', async () => {
    const said: string[] = [];
    const hears = async (words: RegExp) => said.push(await waitForSpoken(page, words));
    await focusTree();
    await treeRow(page, 'demo').waitFor();
    // A tree that has no rows yet, because the window is just being opened, takes no focus.
    await focusTree();
    await hears(/tree/);
    await press('Home');
    await hears(/^treeitem "Server demo/);
    await typeCommand(page, 'Toolgate: Start All Servers');
    await approveServers(page);
    await waitForServer(page, 'demo', /tools/);
    await focusTree();
    await press('Home');
    await hears(/^treeitem "Server demo/);
    await press('ArrowRight');
    await treeRow(page, 'Plant a note').waitFor();
    await press('ArrowDown');
    await hears(/^treeitem "(?!Server)/);
    await page.keyboard.type('Plant');
    await hears(/^treeitem "Plant a note/);
    await press('Enter');
    await hears(/^textbox "Plant a note/);
    await waitForQuestion(page, 'Plant a note (demo)', 'name');
    await page.keyboard.type('rose');
    await acceptQuickInput(page);
    await hears(/Run/);
    await press('ArrowDown');
    await hears(/^option "name, rose, Required"/);
    await press('ArrowUp');
    await acceptQuickInput(page);
    await hears(/^button "Run"/);
    const dialog = await spokenDialog(page);
    assert.match(dialog, /^- dialog[^]*rose/);
    await pressDialog(page, 'Run');
    await waitForTab(page, 'plant_note.mcptxt');
    await hears(/plant_note/);
    assert.match(await editorText(page), /Planted "rose"/);
    assert.deepEqual(
      [...said, dialog].filter((words) => iconName.test(words)),
      [],
    );
    await typeCommand(page, 'Toolgate: Keyboard and Screen Reader Help');
    await waitForTab(page, 'Keyboard and Screen Reader.txt');
    const help = await editorText(page);
    assert.match(help, /^Everywhere\nF1: shows all commands/);
    assert.match(help, /^Right Arrow and Left Arrow: expand and collapse a server\.$/m);
  });

  it('a tool takes 3 key presses, and 2 more for each unknown argument', async () => {
    let keys: KeyCount;
    const choose = async (tool: string): Promise<void> => {
      await closeEditors(page);
      keys = new KeyCount(page);
      await keys.choose(tool);
    };
    const answer = (name: string, text: string) =>
      keys.answer(
        ({ message, title }) => message.startsWith(name) && title.includes('(studio)'),
        text,
      );
    /** Approves; gives what was sent, and how many presses it took. */
    const run = async (tool: string): Promise<[unknown, number]> => {
      const { detail } = await readDialog(page);
      await keys.approve();
      await waitForTab(page, `${tool}.mcptxt`);
      return [JSON.parse(sentArguments({ detail })), keys.count];
    };
    await choose('about');
    assert.deepEqual(await run('about'), [{}, 3]);
    await choose('write');
    await answer('text', 'hi');
    assert.deepEqual(await run('write'), [{ text: 'hi' }, 5]);
    await choose('write');
    await eventually(
      () => readQuickInput(page),
      ({ value }) => value === 'hi',
    );
    await keys!.accept();
    assert.deepEqual(await run('write'), [{ text: 'hi' }, 4]);
    await choose('book');
    for (const [name, text] of Object.entries(journey)) await answer(name, text);
    assert.deepEqual(await run('book'), [{ ...journey, seats: 2 }, 13]);
    await choose('book');
    await waitForPage(page, 'book (studio)');
    await keys!.type('seats');
    await eventually(
      () => readQuickInput(page),
      ({ items }) => items.length === 1,
    );
    await keys!.accept();
    await answer('seats', '3');
    await waitForPage(page, 'book (studio)');
    await keys!.accept();
    assert.deepEqual(await run('book'), [{ ...journey, seats: 3 }, 8]);

    // From the answer: the argument that changed last is selected in the document.
    keys = new KeyCount(page);
    await focusedEditor('mcptxt').waitFor();
    await keys.press('F2');
    await focusedEditor('arguments.jsonc').waitFor();
    await keys.type('4');
    await keys.press('ControlOrMeta+Enter');
    assert.deepEqual(await run('book'), [{ ...journey, seats: 4 }, 4]);

    await closeEditors(page);
    keys = new KeyCount(page);
    await keys.press('ControlOrMeta+k');
    await keys.press('l');
    assert.deepEqual(await run('book'), [{ ...journey, seats: 4 }, 3]);
    await closeEditors(page);
    await press('ControlOrMeta+k');
    await press('g');
    await waitForInput(page, 'Call Tool');
    await dismissQuickInput(page);
  });

  it('Enter alone runs no destructive call, and one more key does', async () => {
    const keys = new KeyCount(page);
    const asks = async (message: string) => {
      await eventually(
        async () => (await readDialog(page)).message,
        (now) => now === message,
      );
      await waitForDialogFocus(page);
    };
    await keys.choose('cancel_all');
    await asks('Run “cancel_all” on “studio”?');
    await keys.press('Enter');
    await eventually(
      async () => (await readDialog(page)).detail,
      (detail) =>
        detail.startsWith('A key press was ignored because it came before you could read this.'),
    );
    await waitToRead(page);
    await keys.press('Enter');
    await asks('Really run “cancel_all” on “studio”?');
    await waitToRead(page);
    await keys.press('Enter');
    await waitForTab(page, 'cancel_all.review.txt');
    await closeEditors(page);
    await keys.choose('cancel_all');
    await asks('Run “cancel_all” on “studio”?');
    await waitToRead(page);
    const before = keys.count;
    await keys.press('Enter');
    await asks('Really run “cancel_all” on “studio”?');
    await waitToRead(page);
    await keys.press('Tab');
    await keys.press('Enter');
    await waitForTab(page, 'cancel_all.mcptxt');
    assert.equal(keys.count - before, 3);

    // Arguments can be typed behind the name.
    const few = new KeyCount(page);
    await few.choose('rebook', ' from=Oslo to=Bergen day="next Monday" seats=2 name=Ann');
    await waitForPage(page, 'rebook (studio)');
    await few.accept();
    await asks('Run “rebook” on “studio”?');
    const { detail } = await readDialog(page);
    assert.deepEqual(JSON.parse(sentArguments({ detail })), {
      ...journey,
      day: 'next Monday',
      seats: 2,
    });
    await waitToRead(page);
    await few.press('Enter');
    await asks('Really run “rebook” on “studio”?');
    await waitToRead(page);
    await few.press('Tab');
    await few.press('Enter');
    await waitForTab(page, 'rebook.mcptxt');
    assert.equal(few.count, 6);
  });
});
