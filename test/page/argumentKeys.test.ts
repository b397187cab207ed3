import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { readDialog, sentArguments } from './dialog';
import { waitForTab } from './editors';
import { KeyCount } from './keyCount';
import { readQuickInput } from './quickInput';
import { closeEditors, openToolgate, startAll, waitForPage } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const studio = scriptedServer(`(server) => {
  const text = { type: 'string' };
  const tool = (name, properties, required) => ({
    name,
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
  });
  const type = { type: 'string', enum: ['png', 'jpeg'], default: 'png' };
  const shot = {
    element: { ...text, description: 'What to take.' },
    ref: text,
    filename: text,
    fullPage: { type: 'boolean' },
    quality: { type: 'integer', minimum: 1, maximum: 100, default: 80 },
    tags: { type: 'array', items: text },
    scale: { type: 'string', enum: ['css', 'device'], default: 'css' },
  };
  const order = { from: text, to: text, day: text, seats: { type: 'integer' }, name: text };
  server.tools = [
    tool('ping', {}, []),
    tool('say', { word: text }, ['word']),
    tool('book', order, Object.keys(order)),
    tool('shoot', { url: text, type, ...shot }, ['url']),
    tool('browser_take_screenshot', { type, ...shot }, ['type']),
  ];
  server.on('tools/call', (message) => server.text(message, 'done'));
}`);

const journey = { from: 'Oslo', to: 'Bergen', day: 'Monday', seats: '2', name: 'Ann' };

/** How often a person presses something, from the list of all tools to the answer. */
describe('Presses from a tool to its answer', function () {
  this.timeout(90_000);
  let page: Page;
  let keys: KeyCount;

  useWindow({ servers: () => ({ studio }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });
  beforeEach(() => {
    keys = new KeyCount(page);
  });
  afterEach(() => closeEditors(page));

  /** Approves, and says with what; the answer has come. */
  async function run(tool: string): Promise<unknown> {
    const { detail } = await readDialog(page);
    await keys.approve();
    await waitForTab(page, `${tool}.mcptxt`);
    return JSON.parse(sentArguments({ detail }));
  }

  const answer = (name: string, text: string) =>
    keys.answer(({ message, title }) => message.startsWith(name) && /\(studio\)/.test(title), text);

  async function runFromPage(tool: string): Promise<unknown> {
    await waitForPage(page, `${tool} (studio)`);
    await keys.press('Enter');
    return run(tool);
  }

  it('are 3 without arguments', async () => {
    await keys.choose('ping');
    assert.deepEqual(await run('ping'), {});
    assert.equal(keys.count, 3);
  });

  it('are 5 with one argument, and 4 when it is known', async () => {
    await keys.choose('say');
    await answer('word', 'hi');
    assert.deepEqual(await run('say'), { word: 'hi' });
    assert.equal(keys.count, 5);
    await closeEditors(page);
    keys = new KeyCount(page);
    await keys.choose('say');
    await eventually(
      () => readQuickInput(page),
      ({ value }) => value === 'hi',
    );
    await keys.press('Enter');
    assert.deepEqual(await run('say'), { word: 'hi' });
    assert.equal(keys.count, 4);
  });

  it('are two for each of five arguments that nobody knows yet', async () => {
    await keys.choose('book');
    for (const [name, text] of Object.entries(journey)) await answer(name, text);
    assert.deepEqual(await run('book'), { ...journey, seats: 2 });
    assert.equal(keys.count, 13);
  });

  it('are 4 with five arguments that are known, whatever they are', async () => {
    await keys.choose('book');
    assert.deepEqual(await runFromPage('book'), { ...journey, seats: 2 });
    assert.equal(keys.count, 4);
  });

  it('are 8 with five arguments of which one is another than the last time', async () => {
    await keys.choose('book');
    await waitForPage(page, 'book (studio)');
    await keys.type('seats');
    await eventually(
      () => readQuickInput(page),
      ({ items }) => items.length === 1,
    );
    await keys.press('Enter');
    await answer('seats', '3');
    assert.deepEqual(await runFromPage('book'), { ...journey, seats: 3 });
    assert.equal(keys.count, 8);
  });

  it('are 6 where one argument is required and eight are optional, and 4 when it is known', async () => {
    await keys.choose('shoot');
    await answer('url', 'a:b');
    assert.deepEqual(await runFromPage('shoot'), { url: 'a:b' });
    assert.equal(keys.count, 6);
    await closeEditors(page);
    keys = new KeyCount(page);
    await keys.choose('shoot');
    assert.deepEqual(await runFromPage('shoot'), { url: 'a:b' });
    assert.equal(keys.count, 4);
  });

  it('are 4 for a screenshot, whose only required argument has a default', async () => {
    await keys.choose('browser_take_screenshot');
    assert.deepEqual(await runFromPage('browser_take_screenshot'), { type: 'png' });
    assert.equal(keys.count, 4);
  });
});
