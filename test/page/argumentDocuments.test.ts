import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog, sentArguments } from './dialog';
import { replaceText, waitForTab } from './editors';
import { notifications } from './notifications';
import { pressQuickButton, readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { chooseTool, closeEditors, openToolgate, startAll, waitForPage } from './toolgate';
import { eventually, patienceMs } from './waiting';
import { useWindow } from './window';
import { demoServer, scriptedServer } from './workspace';

/** Its tool gets another schema as soon as it is called. */
const changing = `(server) => {
  const tool = (kinds) => ({
    name: 'sow',
    inputSchema: {
      type: 'object',
      properties: { seeds: { type: 'array', items: {
        type: 'object',
        properties: { kind: { enum: kinds, description: 'What **grows** [here](command:x)' } },
        required: ['kind'],
      } } },
      required: ['seeds'],
    },
  });
  server.tools = [tool(['beans', 'peas'])];
  server.on('tools/call', (message) => {
    server.tools = [tool(['kale', 'leek'])];
    server.text(message, JSON.stringify(message.params.arguments));
    server.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  });
}`;

describe('A document of arguments', function () {
  this.timeout(180_000);
  let page: Page;

  useWindow(
    { servers: () => ({ demo: demoServer, field: scriptedServer(changing) }) },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      await startAll(page, 2);
    },
  );

  const proposals = (): Promise<string[]> =>
    page
      .locator('.suggest-widget.visible .monaco-list-row .label-name')
      .evaluateAll((rows) => rows.map((row) => row.textContent ?? ''));
  const marks = () => page.locator('.monaco-editor .squiggly-error');
  const lens = (words: string) =>
    page.locator('.codelens-decoration a', { hasText: words }).first();

  /** Replaces all of the text and leaves the cursor at the place of `|`. */
  async function write(text: string): Promise<void> {
    const [before = '', after = ''] = text.split('|');
    await replaceText(page, before + after);
    await page.keyboard.press('ControlOrMeta+End');
    for (let count = 0; count < after.length; count += 1) await page.keyboard.press('ArrowLeft');
  }

  /** What is proposed at the cursor, asked for until it is what a schema proposes. */
  async function suggested(name: string): Promise<string[]> {
    const end = Date.now() + patienceMs * 2;
    for (;;) {
      await page.keyboard.press('Control+Space');
      try {
        return await eventually(proposals, (all) => all.includes(name), 2_000);
      } catch (error) {
        if (Date.now() > end) throw error;
        await page.keyboard.press('Escape');
      }
    }
  }

  it('proposes the names and the values of the schema', async () => {
    await chooseTool(page, 'Plan a flower bed');
    await waitForTab(page, 'plan_bed.arguments.jsonc');
    await lens('Run “Plan a flower bed”').waitFor();
    await write('{"plants": [{ | }]}');
    assert.deepEqual(await suggested('kind'), ['count', 'kind', 'months']);
    await page.keyboard.press('Escape');
    await write('{"plants": [{"kind": | }]}');
    assert.deepEqual(await suggested('"rose"'), ['"lily"', '"rose"', '"tulip"']);
    await page.keyboard.press('Escape');
  });

  it('marks what does not fit, once, and no more when it fits', async () => {
    await write(
      '{"bed": {"name": "A", "size": {"lengthM": 2, "widthM": 1}}, "plants": [{"kind": "oak", "count": 1}]}|',
    );
    await eventually(
      () => marks().count(),
      (count) => count === 1,
    );
    await runCommand(page, 'View: Toggle Problems');
    const rows = page.locator('.markers-panel .monaco-list-row .marker-message-details-container');
    await rows.first().waitFor();
    assert.equal(await rows.count(), 1);
    assert.match(
      (await rows.first().textContent()) ?? '',
      /must be one of "tulip", "rose", "lily"/,
    );
    await runCommand(page, 'View: Hide Panel');
    await write(
      '{"bed": {"name": "A", "size": {"lengthM": 2, "widthM": 1}}, "plants": [{"kind": "rose", "count": 1}],}|',
    );
    await eventually(
      () => marks().count(),
      (count) => count === 0,
    );
  });

  it('is sent exactly as it stands there', async () => {
    await page.keyboard.press('ControlOrMeta+Enter');
    const { detail } = await readDialog(page);
    assert.deepEqual(JSON.parse(sentArguments({ detail })), {
      bed: { name: 'A', size: { lengthM: 2, widthM: 1 } },
      plants: [{ kind: 'rose', count: 1 }],
    });
    await pressDialog(page, 'Run');
    await waitForTab(page, /^plan_bed\.mcp(txt|json|md)$/);
    await closeEditors(page);
  });

  it('shows what the server says of a property as plain words, and follows when it changes', async () => {
    await chooseTool(page, 'sow');
    await waitForTab(page, 'sow.arguments.jsonc');
    await lens('Run “sow”').waitFor();
    await write('{"seeds": [{"ki|nd": "beans"}]}');
    await page.mouse.move(700, 500); // Away from what shows a hover of its own.
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.press('ControlOrMeta+i');
    const hover = page.locator('.monaco-hover:visible', { hasText: 'What' }).first();
    await hover.waitFor({ timeout: patienceMs });
    assert.match((await hover.textContent()) ?? '', /What \*\*grows\*\* \[here\] \(command:x\)/);
    assert.equal(await hover.locator('a[data-href^="command:x"]').count(), 0);
    await eventually(
      () => marks().count(),
      (count) => count === 0,
    );
    await page.keyboard.press('Escape');
    await runCommand(page, 'Toolgate: Run Tool with These Arguments');
    await pressDialog(page, 'Run');
    await waitForTab(page, /^sow\.mcpjson$/);
    await page.locator('.tabs-container .tab[data-resource-name="sow.arguments.jsonc"]').click();
    await eventually(
      () => marks().count(),
      (count) => count === 1,
    );
    await write('{"seeds": [{"kind": | }]}');
    assert.deepEqual(await suggested('"kale"'), ['"kale"', '"leek"']);
    await page.keyboard.press('Escape');
    await closeEditors(page);
  });

  it('is left for steps again, with what stands in it', async () => {
    await chooseTool(page, 'Plant a note');
    await typeAndAccept(page, 'Sage');
    await waitForPage(page, 'Plant a note (demo)');
    await pressQuickButton(page, 'Enter as JSON');
    await waitForTab(page, 'plant_note.arguments.jsonc');
    await lens('Enter in Fields').waitFor();
    await write('{"name": "Thyme", "text": "Dry."}|');
    await lens('Enter in Fields').click();
    const { items } = await waitForPage(page, 'Plant a note (demo)');
    const written = items.filter(({ label }) => label === 'name' || label === 'text');
    assert.deepEqual(
      written.map(({ description }) => description),
      ['Thyme', 'Dry.'],
    );
    await page.keyboard.press('Escape');
    await eventually(
      () => page.locator('.tabs-container .tab').count(),
      (count) => count === 0,
    );
  });

  it('stays a document where steps cannot hold what stands in it', async () => {
    await chooseTool(page, 'Plant a note');
    await readQuickInput(page);
    await pressQuickButton(page, 'Enter as JSON');
    await waitForTab(page, 'plant_note.arguments.jsonc');
    await write('{"name": "Thyme", "other": 1}|');
    await runCommand(page, 'Toolgate: Enter Arguments in Fields');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.includes('cannot be entered in fields')),
    );
    await waitForTab(page, 'plant_note.arguments.jsonc');
    await closeEditors(page);
  });
});
