import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog, dismissDialog, sentArguments } from './dialog';
import { editorText, waitForTab } from './editors';
import {
  pick,
  pressQuickButton,
  pressRowButton,
  readQuickInput,
  rowButtons,
  runCommand,
  typeAndAccept,
} from './quickInput';
import { treeRow } from './sideBar';
import {
  chooseTool,
  closeEditors,
  openToolgate,
  reloadWindow,
  startAll,
  waitForInput,
  waitForPage,
  waitForQuestion,
} from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const office = scriptedServer(`(server) => {
  const text = { type: 'string' };
  const tool = (name, properties) => ({
    name,
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object', properties, required: Object.keys(properties) },
  });
  server.tools = [
    tool('say', { word: text }),
    tool('travel', { from: text, to: text }),
    tool('sign', { user: text, password: { ...text, format: 'password' } }),
    tool('begin', {}),
    tool('note', { sessionId: text, line: text }),
    tool('file', { pages: { type: 'array', items: { type: 'object' } } }),
    tool('grow', { size: text }),
  ];
  server.on('tools/call', (message) => {
    // From its first call on it wants more.
    if (message.params.name === 'grow') server.tools[6] = tool('grow', { size: text, colour: text });
    if (message.params.name !== 'begin') return server.text(message, 'done');
    const structuredContent = { session: { id: 's-4711', token: 'hunter2-hunter2' } };
    server.reply(message, { content: [], structuredContent });
  });
}`);

describe('What a tool was called with the last time', function () {
  this.timeout(120_000);
  let page: Page;

  useWindow({ servers: () => ({ office }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
    for (const [tool, ...texts] of calls) {
      await chooseTool(page, tool);
      for (const text of texts) await typeAndAccept(page, text);
      await pressDialog(page, 'Run');
      await waitForTab(page, `${tool}.mcptxt`);
      await closeEditors(page);
    }
    await chooseTool(page, 'file');
    await waitForTab(page, 'file.arguments.jsonc');
    await runCommand(page, 'Toolgate: Run Tool with These Arguments');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'file.mcptxt');
    await closeEditors(page);
    // Nothing but what was kept on the disk is left of it.
    await reloadWindow(page);
  });
  afterEach(() => closeEditors(page));

  const calls = [
    ['say', 'hello'],
    ['travel', 'Oslo', 'Bergen'],
    ['sign', 'ann', 'hunter2-hunter2'],
  ] as const;

  it('is proposed again after the window was reloaded', async () => {
    await chooseTool(page, 'say');
    const { value } = await waitForQuestion(page, 'say (office)', 'word');
    assert.equal(value, 'hello');
    await page.keyboard.press('Escape');
    await chooseTool(page, 'travel');
    await waitForPage(page, 'travel (office)');
    await page.keyboard.press('Enter');
    assert.deepEqual(JSON.parse(sentArguments(await readDialog(page))), {
      from: 'Oslo',
      to: 'Bergen',
    });
    await dismissDialog(page);
  });

  it('never has a secret in it', async () => {
    await chooseTool(page, 'sign');
    const { value } = await waitForQuestion(page, 'sign (office)', 'password');
    assert.equal(value, '');
    await typeAndAccept(page, 'another-one');
    const { items } = await waitForPage(page, 'sign (office)');
    assert.ok(items.some(({ description }) => /ann/.test(description)));
    await page.keyboard.press('Escape');
    await eventually(
      () => page.locator('.quick-input-widget:visible').count(),
      (count) => count === 0,
    );
  });

  it('is a document again where it was one', async () => {
    await chooseTool(page, 'file');
    await waitForTab(page, 'file.arguments.jsonc');
    assert.match(await editorText(page), /"pages": \[/);
  });
});

describe('A tool that was called before', function () {
  this.timeout(120_000);
  let page: Page;

  useWindow({ servers: () => ({ office }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
    for (const [tool, ...texts] of [
      ['travel', 'Oslo', 'Bergen'],
      ['sign', 'ann', 'hunter2-hunter2'],
    ] as const) {
      await chooseTool(page, tool);
      for (const text of texts) await typeAndAccept(page, text);
      await pressDialog(page, 'Run');
      await waitForTab(page, `${tool}.mcptxt`);
      await closeEditors(page);
    }
  });
  afterEach(() => closeEditors(page));

  /** Ctrl+Enter on the row of this tool. */
  const runLast = async (tool: string): Promise<void> => {
    await runCommand(page, 'Toolgate: Call Tool…');
    await waitForInput(page, 'Call Tool');
    await page.keyboard.type(tool);
    await eventually(
      () => readQuickInput(page, 'Call Tool'),
      ({ value, items }) => value === tool && items[0]?.label === tool,
    );
    await page.keyboard.press('ControlOrMeta+Enter');
  };

  it('is asked about at once by Ctrl+Enter in the picker, with the arguments of the last call', async () => {
    await runLast('travel');
    const dialog = await readDialog(page);
    assert.equal(dialog.message, 'Run “travel” on “office”?');
    assert.deepEqual(JSON.parse(sentArguments(dialog)), { from: 'Oslo', to: 'Bergen' });
    await pressDialog(page, 'Run');
    await waitForTab(page, 'travel.mcptxt');
  });

  it('is so by a button of its row, too, and only there', async () => {
    await runCommand(page, 'Toolgate: Call Tool…');
    await waitForInput(page, 'Call Tool');
    for (const other of ['sign', 'note']) assert.deepEqual(await rowButtons(page, other), []);
    await pressRowButton(page, 'travel', 'Run with Last Arguments');
    const dialog = await readDialog(page);
    assert.deepEqual(JSON.parse(sentArguments(dialog)), { from: 'Oslo', to: 'Bergen' });
    await dismissDialog(page);
  });

  it('is so with what its row shows, not with what was begun on the page since', async () => {
    await chooseTool(page, 'travel');
    await waitForPage(page, 'travel (office)');
    await pick(page, 'to');
    await waitForQuestion(page, 'travel (office)', 'to');
    await typeAndAccept(page, 'Bodø');
    await waitForPage(page, 'travel (office)');
    await page.keyboard.press('Escape');
    await runLast('travel');
    const dialog = await readDialog(page);
    assert.deepEqual(JSON.parse(sentArguments(dialog)), { from: 'Oslo', to: 'Bergen' });
    await dismissDialog(page);
  });

  it('asks for the rest first where there was a secret', async () => {
    await runLast('sign');
    const { value } = await waitForQuestion(page, 'sign (office)', 'password');
    assert.equal(value, '');
    await page.keyboard.press('Escape');
  });

  it('asks for what is missing where it wants more by now', async () => {
    await chooseTool(page, 'grow');
    await typeAndAccept(page, 'large');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'grow.mcptxt');
    const said = async () => (await treeRow(page, 'grow').getAttribute('aria-label')) ?? '';
    const before = await said();
    await runCommand(page, 'Toolgate: Refresh Tools');
    await eventually(said, (now) => now !== before);
    await runLast('grow');
    await waitForQuestion(page, 'grow (office)', 'colour');
    await page.keyboard.press('Escape');
  });

  it('and one that was not asks for its arguments', async () => {
    await runLast('note');
    await waitForQuestion(page, 'note (office) (1/2)', 'sessionId');
    await page.keyboard.press('Escape');
  });

  it('starts its server first where that does not run', async () => {
    await reloadWindow(page);
    await runLast('travel');
    const dialog = await readDialog(page);
    assert.deepEqual(JSON.parse(sentArguments(dialog)), { from: 'Oslo', to: 'Bergen' });
    await dismissDialog(page);
  });
});

describe('A value that came back from the same server', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow({ servers: () => ({ office }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });

  it('is taken by a button where a tool asks for one of that name', async () => {
    await chooseTool(page, 'begin');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'begin.mcpjson');
    await chooseTool(page, 'note');
    await waitForQuestion(page, 'note (office) (1/2)', 'sessionId');
    await pressQuickButton(page, 'Take from an Answer');
    const { items } = await readQuickInput(page, 'Take from an Answer…');
    assert.equal(items.length, 1);
    assert.match(items[0]?.description ?? '', /^from “begin”, \d+ s ago$/);
    await pick(page, 's-4711');
    await eventually(
      () => readQuickInput(page),
      ({ value, title }) => value === 's-4711' && title === 'note (office) (1/2)',
    );
    await page.keyboard.press('Enter');
    await waitForQuestion(page, 'note (office) (2/2)', 'line');
    const buttons = page.locator('.quick-input-titlebar .action-label');
    assert.equal(await buttons.and(page.locator('[aria-label^="Take from"]')).count(), 0);
    await page.keyboard.press('Escape');
  });
});
