import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog, questionNotes, sentArguments } from './dialog';
import { editorText, replaceText, waitForTab } from './editors';
import {
  pick,
  pressQuickButton,
  readQuickInput,
  typeAndAccept,
  type QuickInput,
} from './quickInput';
import { chooseTool, closeEditors, openToolgate, startAll, waitForStatus } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const shop = scriptedServer(`(server) => {
  const text = { type: 'string' };
  const $schema = 'http://json-schema.org/draft-07/schema#';
  const tool = (name, inputSchema) => ({ name, inputSchema, annotations: { readOnlyHint: true } });
  server.tools = [
    tool('lost', { $schema }),
    tool('search', {
      type: 'object',
      properties: { query: text, filter: { type: 'object', additionalProperties: text }, tags: true },
      required: ['query'],
    }),
    tool('crawl', {
      $schema,
      type: 'object',
      properties: {
        url: text,
        options: {
          type: 'object',
          properties: { depth: { type: 'integer', minimum: 1, default: 3 }, only: { type: 'array' } },
          required: ['depth', 'only'],
          default: { depth: 3, only: [] },
        },
      },
      required: ['url', 'options'],
    }),
  ];
}`);

describe('Arguments that a schema does not tell, or that steps cannot hold', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow({ servers: () => ({ shop }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });

  const waitForStep = (title: string): Promise<QuickInput> =>
    eventually(
      () => readQuickInput(page),
      (input) => input.title === title,
    );
  const detailOf = async (): Promise<string> => {
    return sentArguments(await readDialog(page));
  };
  const cancel = async (tool: string): Promise<void> => {
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, `“${tool}” was not called.`);
  };

  it('say that the schema names none, and offer JSON at once', async () => {
    await chooseTool(page, 'lost');
    const step = await waitForStep('lost (shop)');
    assert.equal(step.placeholder, 'The schema of this tool names no arguments.');
    assert.deepEqual(
      step.items.map(({ label }) => label),
      ['Enter as JSON', 'Call without Arguments'],
    );
    await pick(page, 'Enter as JSON');
    await waitForTab(page, 'lost.arguments.jsonc');
    assert.match(await editorText(page), /The schema of this tool names no arguments\./);
    await replaceText(page, '{"path": "a"}');
    await page.keyboard.press('ControlOrMeta+Enter');
    assert.equal(await detailOf(), '{ "path": "a" }');
    await cancel('lost');
    await closeEditors(page);
  });

  it('can be none, which the question says, too', async () => {
    await chooseTool(page, 'lost');
    await waitForStep('lost (shop)');
    await pick(page, 'Call without Arguments');
    const notes = questionNotes(await readDialog(page));
    assert.equal(notes[1], 'The schema of this tool names no arguments.');
    assert.equal(await detailOf(), '{}');
    await cancel('lost');
  });

  it('are steps for the rest, which name what only JSON can hold', async () => {
    await chooseTool(page, 'search');
    const { message } = await waitForStep('search (shop)');
    assert.match(message, /^query — Only as JSON: filter, tags /);
    await typeAndAccept(page, 'tea');
    assert.equal(await detailOf(), '{ "query": "tea" }');
    await cancel('search');
  });

  it('are one press away from the steps, with what was entered there', async () => {
    await chooseTool(page, 'search');
    await waitForStep('search (shop)');
    await pressQuickButton(page, 'Enter as JSON');
    await waitForTab(page, 'search.arguments.jsonc');
    const text = await editorText(page);
    assert.match(text, /Optional: "filter", "tags"/);
    assert.match(text, /"query": "tea"/);
    await closeEditors(page);
  });

  it('may be left to the server where it has a default, which the question and the review show', async () => {
    await chooseTool(page, 'crawl');
    const { message } = await waitForStep('crawl (shop)');
    assert.match(message, /^url — Only as JSON: options /);
    await typeAndAccept(page, 'a:b');
    const said = 'Left out: the server takes its own default';
    const shown = 'options: {"depth":3,"only":[]}';
    assert.equal(await detailOf(), '{ "url": "a:b" }');
    assert.deepEqual(questionNotes(await readDialog(page)).slice(-2), [`${said}:`, shown]);
    await pressDialog(page, 'Review');
    await waitForTab(page, 'crawl.review.txt');
    const review = await editorText(page);
    assert.ok(review.includes(`${said}\n    ${shown}`), review);
    await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().click();
    await waitForTab(page, /^crawl\.(mcptxt|mcpjson|mcpmd)$/);
    assert.match(await editorText(page), /"arguments":\s*\{\s*"url": ?"a:b"\s*\}/);
    await closeEditors(page);
  });
});
