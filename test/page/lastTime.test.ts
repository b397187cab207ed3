import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog, dismissDialog, sentArguments } from './dialog';
import { editorText, waitForTab } from './editors';
import { pick, pressQuickButton, readQuickInput, runCommand, typeAndAccept } from './quickInput';
import {
  chooseTool,
  closeEditors,
  openToolgate,
  reloadWindow,
  startAll,
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
  ];
  server.on('tools/call', (message) => {
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
