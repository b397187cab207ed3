import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { openWindows } from '../vscode/window';
import { pressDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { clearNotifications, notifications } from './notifications';
import { runCommand } from './quickInput';
import { chooseTool, closeEditors, openToolgate, startAll, waitForStatus } from './toolgate';
import { eventually, exactly } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const answering = `(server) => {
  const nothing = { type: 'object', properties: {} };
  server.tools = [
    { name: 'read', inputSchema: nothing, annotations: { readOnlyHint: true } },
    { name: 'find', inputSchema: nothing, annotations: { readOnlyHint: true } },
    { name: 'wipe', inputSchema: nothing },
  ];
  server.on('tools/call', (message) => server.text(message, 'done: ' + message.params.name));
}`;

describe('The audit journal', function () {
  this.timeout(120_000);
  let page: Page;

  useWindow(
    {
      servers: () => ({ notes: scriptedServer(answering) }),
      settings: { 'toolgate.rules': [{ effect: 'deny', tool: 'wipe', reason: 'Not here' }] },
    },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      await startAll(page, 1);
    },
  );
  afterEach(() => closeEditors(page));

  /** What stands behind the time of each line, of calls only. */
  async function calls(isEnough: (calls: readonly string[]) => boolean): Promise<string[]> {
    await waitForTab(page, 'Audit Journal.mcptable');
    return eventually(async () => {
      const text = await editorText(page);
      const lines = text.match(/(?<=^\d{4}-.{14} {2})notes .*/gm)?.filter(isCall) ?? [];
      return lines.map((line) => line.replaceAll(/ {2,}/g, ' | '));
    }, isEnough);
  }
  const isCall = (line: string) => / [✓✗⊘…] /.test(line);

  /** The files of the journal, as they lie on the disk. */
  function journalFiles(): string[] {
    const folder = [...openWindows].at(-1)?.server.userFolder ?? '';
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.jsonl') && path.basename(path.dirname(name)) === 'journal')
      .map((name) => path.join(folder, name));
  }

  const expected = [
    'notes | wipe | none | denied | rule 1 | ⊘ not called',
    'notes | find | none | asked: no | no rule | ⊘ not called',
    /^notes \| read \| none \| asked: yes \| no rule \| ✓ result \| \d+(\.\d)? m?s$/,
  ];

  it('has calls that ran, were not let run, and were denied', async () => {
    await chooseTool(page, 'read');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'read.mcptxt');
    await chooseTool(page, 'find');
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“find” was not called.');
    await chooseTool(page, 'wipe');
    await runCommand(page, 'Toolgate: Show Audit Journal');
    const found = await calls((lines) => lines.length === 3);
    for (const [index, words] of expected.entries()) {
      if (typeof words === 'string') assert.equal(found[index], words);
      else assert.match(found[index] ?? '', words);
    }
  });

  it('shows only what the filter lets through, and everything again', async () => {
    await runCommand(page, 'Toolgate: Show Audit Journal');
    await calls((lines) => lines.length === 3);
    await page.locator('.editor-actions .action-label[aria-label^="Filter Audit Journal"]').click();
    const row = page.locator('.quick-input-widget:visible .monaco-list-row', {
      has: page.locator('.label-name', { hasText: exactly('denied by a rule') }),
    });
    await row.click();
    await page.keyboard.press('Enter');
    assert.deepEqual(await calls((lines) => lines.length === 1), [expected[0]]);
    assert.match(await editorText(page), /^Filter: denied by a rule$/m);
    await page.locator('.codelens-decoration a', { hasText: 'Clear Filter' }).click();
    await calls((lines) => lines.length === 3);
  });

  it('is found to be whole, until somebody changes a byte of it', async () => {
    await clearNotifications(page);
    await runCommand(page, 'Toolgate: Verify Audit Journal');
    const [whole = ''] = await eventually(
      () => notifications(page),
      (said) => said.some((each) => each.includes('journal is')),
    );
    assert.match(whole, /^The audit journal is whole: all its \d+ lines are/);
    await clearNotifications(page);

    const file = journalFiles().find((each) => readFileSync(each, 'utf8').includes('"wipe"'));
    assert.ok(file !== undefined);
    const text = readFileSync(file, 'utf8');
    const line = text.slice(0, text.indexOf('"deny"')).split('\n').length;
    writeFileSync(file, text.replace('"deny"', '"dena"'));
    await runCommand(page, 'Toolgate: Show Audit Journal');
    await waitForTab(page, 'Audit Journal.mcptable');
    await page.locator('.codelens-decoration a', { hasText: 'Verify' }).click();
    await waitForTab(page, 'Verification.txt');
    const found = await eventually(
      () => editorText(page),
      (shown) => shown.includes('✗'),
    );
    assert.match(found, /^The audit journal is not as it was written, at one place\.$/m);
    assert.ok(
      found.includes(`${path.basename(file)}, line ${line}: not as it was written.`),
      found,
    );
  });
});
