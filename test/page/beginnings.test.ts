import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { dismissDialog, isDialogOpen, pressDialog, readDialog, sentArguments } from './dialog';
import { editorText, lens, replaceText, tabs, waitForTab } from './editors';
import { clearNotifications, notifications, pressNotificationLink } from './notifications';
import {
  acceptQuickInput,
  dismissQuickInput,
  openPaletteWith,
  pick,
  pressQuickButton,
  readQuickInput,
  runCommand,
  typeAndAccept,
  waitForQuickInputFocus,
} from './quickInput';
import { expandRow, openView, pressRowAction, showRow, treeRow } from './sideBar';
import {
  chooseTool,
  closeEditors,
  startAll,
  waitForInput,
  waitForPage,
  waitForQuestion,
  waitForServer,
  waitForStatus,
} from './toolgate';
import { eventually, exactly } from '../waiting';
import { useWindow } from './window';
import type { Workspace } from './workspace';

describe('The first use @package', () => {
  let page: Page;
  let workspace: Workspace;

  useWindow({}, async (opened) => {
    ({ page, workspace } = opened);
    await openView(page, 'Toolgate');
  });
  afterEach(() => closeEditors(page));

  const buttons = () => page.locator('.sidebar .welcome-view .monaco-button');
  const ticked = () =>
    page.locator('.gettingStartedContainer .step-title').evaluateAll((titles) =>
      titles.flatMap((title) => {
        const box = title.closest('.getting-started-step')?.querySelector('[role="checkbox"]');
        return box?.getAttribute('aria-checked') === 'true' ? [title.textContent] : [];
      }),
    );
  const untilWalkthrough = () =>
    page.locator('.gettingStartedContainer .step-title').first().waitFor();
  const openWalkthrough = async () => {
    await runCommand(page, 'Toolgate: Open Walkthrough');
    await untilWalkthrough();
  };

  it('shows what to do without tools, has tools to call after one click, and ticks the completed steps of the walkthrough', async () => {
    await buttons().first().waitFor();
    assert.deepEqual(await buttons().allTextContents(), ['Add Demo Server']);
    const links = page.locator('.sidebar .welcome-view a:not(.monaco-button)');
    assert.deepEqual(await links.allTextContents(), [
      'add a server',
      'import servers',
      'open the configuration',
      'walkthrough',
    ]);
    await runCommand(page, 'Toolgate: Call Tool…');
    const sentence = 'There is no tool to call because no MCP server is configured. Add one first.';
    await eventually(
      () => notifications(page),
      (all) => all.includes(sentence),
    );
    await clearNotifications(page);
    await links.filter({ hasText: 'walkthrough' }).click();
    await untilWalkthrough();
    assert.deepEqual(await ticked(), []);
    await closeEditors(page);

    await buttons().filter({ hasText: 'Add Demo Server' }).click();
    // A tool under the pointer would be looked at.
    await page.mouse.move(900, 500);
    await waitForServer(page, 'Demo', /^Server Demo: 21 tools/);
    await chooseTool(page, 'List notes');
    await pressDialog(page, 'Run');
    await waitForTab(page, /^list_notes\./);
    await openWalkthrough();
    const added = ['Add a server', 'Call a tool'];
    assert.deepEqual(await eventually(ticked, (all) => all.length >= added.length), added);
    await (await showRow(page, 'List notes')).click();
    await waitForTab(page, /^list_notes\.definition/);
    await openWalkthrough();
    const all = ['Add a server', 'See what each tool may do', 'Call a tool'];
    assert.deepEqual(await eventually(ticked, (now) => now.length >= all.length), all);
    // The demo is offered no more.
    await openPaletteWith(page, 'Add Demo Server');
    const offered = (await readQuickInput(page)).items.map(({ label }) => label);
    assert.deepEqual(
      offered.filter((label) => label.endsWith('Demo Server')),
      ['Toolgate: Remove Demo Server'],
    );
    await dismissQuickInput(page);
  });

  const sent = async (): Promise<unknown> => JSON.parse(sentArguments(await readDialog(page)));
  /** The rows of the page: what stands in which field. */
  const rowsOf = async (title: string): Promise<Record<string, string>> => {
    const { items } = await waitForPage(page, title);
    return Object.fromEntries(items.map(({ label, description }) => [label, description]));
  };
  const notCalled = (tool: string) => waitForStatus(page, `“${tool}” was not called.`);

  const note = 'Plant a note (Demo)';
  const rows = () => rowsOf(note);
  const question = (words: string) => waitForQuestion(page, note, words);

  it('asks for required arguments, lists the others on one page, and sends what the page shows', async () => {
    await chooseTool(page, 'Plant a note');
    await question('name: ');
    await typeAndAccept(page, '');
    const { message } = await eventually(
      () => readQuickInput(page),
      ({ isInvalid }) => isInvalid,
    );
    assert.match(message, /^name: .*must have at least 1 character/);
    await typeAndAccept(page, 'Sage');
    assert.deepEqual(Object.keys(await rows()), [
      'Run',
      'name',
      'text',
      'color',
      'priority',
      'Height in cm',
      'pinned',
      'Enter as JSON',
    ]);
    await pressQuickButton(page, 'Back');
    assert.equal((await question('name: ')).value, 'Sage');
    await acceptQuickInput(page);
    await rows();
    await pick(page, 'color');
    await question('color');
    await pick(page, 'blue');
    assert.equal((await rows())['color'], 'blue');
    await pick(page, 'priority');
    assert.equal((await question('priority: ')).value, '3');
    await pressQuickButton(page, 'Back');
    // Looked at, not taken.
    assert.match((await rows())['priority'] ?? '', /^default: 3/);
    await pick(page, 'Height in cm');
    await question('Height in cm');
    await page.keyboard.type('12.5');
    await pressQuickButton(page, 'Back');
    assert.equal((await rows())['Height in cm'], '12.5');
    const color = page.locator('.quick-input-list .monaco-list-row', { hasText: 'color' });
    await color.hover();
    await color.locator('[aria-label="Leave Out"]').click();
    await eventually(rows, (now) => now['color']?.startsWith('default: red') === true);
    await acceptQuickInput(page);
    const asked = await readDialog(page);
    assert.equal(asked.message, 'Run “Plant a note” (plant_note) on “Demo”?');
    assert.deepEqual(asked.buttons.toSorted(), ['Allow…', 'Cancel', 'Review', 'Run']);
    assert.deepEqual(await sent(), { name: 'Sage', text: 'Water me.', heightCm: 12.5 });
    await pressDialog(page, 'Run');
    await waitForTab(page, 'plant_note.mcptxt');
    assert.match(await editorText(page), /^Planted "Sage"/);
  });

  it('fills in the arguments of the last call, and converts them to JSON and back', async () => {
    await chooseTool(page, 'Plant a note');
    // Who looks for a row runs nothing.
    await waitForPage(page, note);
    await page.keyboard.type('run');
    const labels = async () => (await readQuickInput(page)).items.map(({ label }) => label);
    await eventually(labels, (all) => all.every((label) => !/[RJ]/.test(label)));
    await waitForQuickInputFocus(page);
    await page.keyboard.press('Enter');
    assert.equal(await isDialogOpen(page), false);
    await pressQuickButton(page, 'Back');
    await waitForInput(page, 'Call Tool');
    await pick(page, 'Plant a note');
    await waitForPage(page, note);
    await pick(page, 'text');
    await question('text: ');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Dry.');
    // Given up.
    await dismissQuickInput(page);
    await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await chooseTool(page, 'Plant a note');
    assert.equal((await rows())['text'], 'Dry.');
    await pressQuickButton(page, 'Enter as JSON');
    await waitForTab(page, 'plant_note.arguments.jsonc');
    assert.match(
      await editorText(page),
      /^\/\/ Optional: [^]*"text": "Dry\."[^]*"heightCm": 12\.5/,
    );
    await replaceText(page, '{"name": "Thyme", "text": "Wet."}');
    await lens(page, 'Enter as Fields').click();
    const { name, text } = await rows();
    assert.deepEqual([name, text, await tabs(page)], ['Thyme', 'Wet.', []]);
    await acceptQuickInput(page);
    assert.deepEqual(await sent(), { name: 'Thyme', text: 'Wet.' });
    await pressDialog(page, 'Cancel');
    await notCalled('plant_note');
  });

  it('sends nothing to the server before Run, in every form of the question', async () => {
    const calls = () => workspace.received('steered').filter((line) => line.startsWith('called'));
    const review = async (n: number): Promise<void> => {
      await chooseTool(page, 'echo');
      await typeAndAccept(page, String(n));
      await pressDialog(page, 'Review');
      await waitForTab(page, 'echo.review.txt');
    };
    workspace.configure({ steered: workspace.steered('steered') });
    await treeRow(page, 'steered').waitFor();
    await startAll(page, 2);
    await expandRow(page, 'steered');
    await pressRowAction(page, 'never', 'Call Tool…');
    await dismissDialog(page);
    await notCalled('never');
    await review(45);
    assert.match(await editorText(page), /^Arguments that will be sent\n {4}\{\n {6}"n": 45\n/m);
    await runCommand(page, 'View: Close Editor');
    await notCalled('echo');
    await review(46);
    await runCommand(page, 'File: New Untitled Text File');
    await waitForTab(page, /^Untitled-1/);
    // What is not in front cannot be agreed to; the link brings it there.
    await pressNotificationLink(page, 'Run');
    await waitForTab(page, 'echo.review.txt');
    assert.deepEqual(calls(), []);
    await pressNotificationLink(page, 'Run');
    await waitForTab(page, 'echo.mcpjson');
    assert.deepEqual(calls(), ['called echo {"n":46}']);
    await review(48);
    await lens(page, 'Edit Arguments').click();
    await waitForTab(page, 'echo.arguments.jsonc');
    await replaceText(page, '{ "n": "forty-nine" }');
    await page.keyboard.press('ControlOrMeta+Enter');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.startsWith('Not sent.')),
    );
    await clearNotifications(page);
    await replaceText(page, '{ "n": 49 }');
    await lens(page, 'Use These Arguments').click();
    assert.deepEqual(await sent(), { n: 49 });
    await pressDialog(page, 'Review');
    await waitForTab(page, 'echo.review.txt');
    await lens(page, exactly('Run')).click();
    // The tab of the first answer may still be there.
    await eventually(
      async () => calls(),
      (all) => all.length === 2,
    );
    assert.deepEqual(calls(), ['called echo {"n":46}', 'called echo {"n":49}']);
  });
});
