import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { pressDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { clearNotifications, notifications } from './notifications';
import { readQuickInput } from './quickInput';
import { chooseTool, closeEditors, openToolgate, startAll } from './toolgate';
import { eventually, patienceMs } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const mib = 1024 * 1024;
const lines = 500_000;

/** Documents of any size, and a text; the same bytes here and there. */
const archive = `(server) => {
  const name = (tool) => ({ name: tool, inputSchema: { type: 'object' } });
  server.tools = ['leaflet', 'volume', 'book', 'flood'].map(name);
  server.tools.push({ ...name('table'), outputSchema: { type: 'object' } });
  server.on('tools/call', (message) => {
    const tool = message.params.name;
    if (tool === 'table') {
      const rows = Array.from({ length: 400_000 }, (_, id) => ({ id, name: 'row ' + id, tags: [] }));
      return server.reply(message, { content: [], structuredContent: { rows } });
    }
    if (tool === 'flood') {
      const rows = Array.from({ length: 400_000 }, (_, id) => ({ id }));
      return server.reply(message, { content: [], _meta: { rows } });
    }
    if (tool === 'book') {
      const text = Array.from({ length: ${lines} }, (_, i) => 'line ' + (i + 1) + ' of the book');
      return server.text(message, text.join('\\n'));
    }
    const size = tool === 'leaflet' ? 3000 : ${20 * mib};
    const bytes = Buffer.alloc(size).map((_, i) => (i * 7919) >> 3);
    const blob = Buffer.concat([Buffer.from('%PDF-1.7\\n'), bytes]).toString('base64');
    const resource = { uri: 'archive:///' + tool + '.pdf', mimeType: 'application/pdf', blob };
    server.reply(message, { content: [{ type: 'resource', resource }] });
  });
}`;

function hashOf(size: number): string {
  const bytes = Buffer.alloc(size).map((_, index) => (index * 7919) >> 3);
  return createHash('sha256').update('%PDF-1.7\n').update(bytes).digest('hex');
}

const hashOfFile = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex');

describe('Large results', function () {
  this.timeout(90_000);
  let page: Page;
  let folder: string;

  useWindow({ servers: () => ({ archive: scriptedServer(archive) }) }, async (opened) => {
    ({ page } = opened);
    ({ folder } = opened.workspace);
    await openToolgate(page);
    await startAll(page, 1);
  });
  afterEach(() => closeEditors(page));

  async function call(tool: string): Promise<void> {
    await chooseTool(page, tool);
    await pressDialog(page, 'Run');
  }

  /** Nothing shows it, so the overview opens, which offers to save it. */
  async function savePdf(tool: string): Promise<void> {
    await call(tool);
    await waitForTab(page, `${tool}.mcpresult`);
    const lens = page.locator('.codelens-decoration a', { hasText: 'Save As…' }).first();
    await lens.click({ timeout: patienceMs });
  }

  /** Fills in the dialog that asks where to save, and presses Enter. */
  async function saveAt(file: string): Promise<void> {
    await readQuickInput(page);
    const box = page.locator('.quick-input-widget:visible .quick-input-box input');
    await eventually(
      () => box.inputValue(),
      (value) => value.endsWith('.pdf'),
    );
    await box.fill(file);
    await box.press('Enter');
  }

  for (const [tool, size] of [
    ['leaflet', 3_000],
    ['volume', 20 * mib],
  ] as const) {
    it(`are saved byte for byte: a PDF of ${size} bytes`, async () => {
      const file = path.join(folder, `${tool}-saved.pdf`);
      await savePdf(tool);
      await saveAt(file);
      await eventually(
        () => notifications(page),
        (all) => all.some((text) => text.startsWith(`Saved “${tool}-saved.pdf”`)),
      );
      assert.equal(hashOfFile(file), hashOf(size));
      await clearNotifications(page);
    });
  }

  it('overwrite a file only after a question', async () => {
    const file = path.join(folder, 'old.pdf');
    writeFileSync(file, 'old');
    await savePdf('leaflet');
    await saveAt(file);
    await eventually(
      () => readQuickInput(page),
      ({ title }) => title.includes('already exists'),
    );
    assert.equal(readFileSync(file, 'utf8'), 'old');
    await page.keyboard.press('Enter');
    await eventually(
      async () => hashOfFile(file),
      (hash) => hash === hashOf(3_000),
    );
    await clearNotifications(page);
  });

  it('that are text open by their beginning, and as a whole on a press', async () => {
    await call('book');
    await waitForTab(page, 'book-beginning.mcptxt');
    const lens = (words: RegExp) =>
      page.locator('.codelens-decoration').filter({ hasText: words }).first();
    const counts = /The beginning: 2\d\d KiB of 1\d MiB, 10,000 of 500,000 lines/;
    await lens(counts).waitFor({ timeout: patienceMs });
    assert.equal((await editorText(page)).split('\n').at(-1), 'line 10000 of the book');
    await lens(counts).locator('a', { hasText: 'Open Full' }).click();
    await waitForTab(page, 'book.mcptxt');
    await page.locator('.editor-group-container.active .monaco-editor').last().click();
    await page.keyboard.press('ControlOrMeta+End');
    await eventually(
      () => page.locator('.statusbar [id="status.editor.selection"]').innerText(),
      (place) => place.includes('Ln 500000'),
    );
  });

  it('of very many rows say that they were not checked, and open by their beginning', async () => {
    await call('table');
    await waitForTab(page, 'table.mcpresult');
    await eventually(
      () => editorText(page),
      (text) => text.includes('“17377790 bytes are too many to be checked”'),
    );
    const lens = page.locator('.codelens-decoration a', { hasText: /^Open/ }).first();
    await lens.click();
    await waitForTab(page, 'table-beginning.mcpjson');
    assert.match(await editorText(page), /^\{"rows":\[\{"id":0,"name":"row 0","tags":\[\]\},/);
  });

  it('of too many values are refused, with the setting that is the limit', async () => {
    await call('flood');
    await eventually(
      () => notifications(page),
      (all) =>
        all.some((text) =>
          /“archive” was stopped: it sent a message of more than 500000 values\. The limit is "toolgate\.connections\.maxMessageValues"\./.test(
            text,
          ),
        ),
    );
    await clearNotifications(page);
  });
});
