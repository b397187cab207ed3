import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog, sentArguments } from './dialog';
import { editorText, lens, replaceText, waitForTab } from './editors';
import { clearNotifications, notifications } from './notifications';
import {
  pick,
  pressQuickButton,
  readQuickInput,
  runCommand,
  typeAndAccept,
  typeAndAcceptAtOnce,
} from './quickInput';
import { callRows, expandRow, openView, pressMenuEntry, showRow } from './sideBar';
import {
  chooseTool,
  closeEditors,
  openToolgate,
  startAll,
  waitForInput,
  waitForPage,
  waitForQuestion,
  waitForStatus,
} from './toolgate';
import { eventually, patienceMs } from '../waiting';
import { useWindow } from './window';
import { filesystemServer, scriptedServer, type Workspace } from './workspace';

const camp = scriptedServer(`(server) => {
  const text = { type: 'string' };
  const tent = { color: text, poles: { type: 'integer', minimum: 1 } };
  const seed = {
    kind: { enum: ['beans', 'peas'], description: 'What **grows** [here](command:x)' },
    count: { type: 'integer', minimum: 1 },
  };
  const tool = (name, required, properties) =>
    ({ name, inputSchema: { type: 'object', properties, required: [required] } });
  server.tools = [
    tool('pitch', 'tags', {
      tags: { type: 'array', items: text },
      tent: { type: 'object', title: 'Tent', properties: tent, required: ['poles'] },
      pin: { type: 'string', format: 'password' },
    }),
    tool('sow', 'seeds', {
      seeds: { type: 'array', items: { type: 'object', properties: seed, required: ['kind'] } },
    }),
    tool('summarise', 'prompt', { prompt: text, words: { type: 'integer' } }),
  ];
  server.on('tools/call', (message) => server.text(message, JSON.stringify(message.params.arguments)));
}`);

describe('A call', function () {
  this.timeout(90_000);
  let workspace: Workspace;
  let page: Page;

  useWindow(
    {
      files: { 'hello.txt': 'Hello!', 'note.txt': 'Water the roses.\nCut.\n', 'plan.txt': 'Dig.' },
      servers: (own) => ({
        camp,
        files: filesystemServer(own.folder),
      }),
    },
    async (opened) => {
      ({ workspace, page } = opened);
      await openToolgate(page);
      await startAll(page, 2);
    },
  );
  afterEach(() => closeEditors(page));

  const sent = async (): Promise<unknown> => JSON.parse(sentArguments(await readDialog(page)));
  /** The rows of the page: what stands in which field. */
  const rowsOf = async (title: string): Promise<Record<string, string>> => {
    const { items } = await waitForPage(page, title);
    return Object.fromEntries(items.map(({ label, description }) => [label, description]));
  };
  const notCalled = (tool: string) => waitForStatus(page, `“${tool}” was not called.`);

  it('accepts lists, objects, secrets and files', async () => {
    await chooseTool(page, 'pitch');
    await waitForQuestion(page, 'pitch (camp)', 'tags');
    // The second one is found in the first, and is a line of its own all the same.
    for (const tag of ['near water', 'near']) {
      await typeAndAcceptAtOnce(page, tag);
      await eventually(
        () => readQuickInput(page),
        ({ value, items }) => value === '' && items.some(({ label }) => label === tag),
      );
    }
    await page.keyboard.press('Enter');
    await waitForPage(page, 'pitch (camp)');
    await pick(page, 'Tent');
    await waitForQuestion(page, 'pitch (camp)', 'Tent › poles');
    await typeAndAccept(page, '3');
    await waitForPage(page, 'pitch (camp)');
    await pick(page, 'pin');
    await waitForQuestion(page, 'pitch (camp)', 'pin');
    const box = page.locator('.quick-input-widget:visible .quick-input-box input');
    assert.equal(await box.getAttribute('type'), 'password');
    await typeAndAccept(page, 'hunter2');
    assert.deepEqual(await rowsOf('pitch (camp)'), {
      Run: '',
      tags: 'near water, near',
      Tent: '(filled in below)',
      'Tent › color': '',
      'Tent › poles': '3',
      pin: '(hidden)',
      'Enter as JSON': '',
    });
    await page.keyboard.press('Enter');
    const [tags, tent] = [['near water', 'near'], { poles: 3 }];
    assert.deepEqual(await sent(), { tags, tent, pin: 'hunter2' });
    await pressDialog(page, 'Cancel');
    await notCalled('pitch');
    await chooseTool(page, 'Read Text File');
    await waitForQuestion(page, 'Read Text File (files)', 'path');
    await pressQuickButton(page, 'Choose a File');
    await eventually(
      () => readQuickInput(page),
      ({ title, items }) =>
        title.startsWith('Choose a File') && items.some(({ label }) => label === 'note.txt'),
    );
    await pick(page, 'note.txt');
    const { value } = await waitForQuestion(page, 'Read Text File (files)', 'path');
    assert.equal(value, `${workspace.folder}/note.txt`);
    await page.keyboard.press('Enter');
    await waitForPage(page, 'Read Text File (files)');
    await page.keyboard.press('Enter'); // Run, with what is optional left out.
    assert.deepEqual(await sent(), { path: value });
    await pressDialog(page, 'Run');
    // Its structured content says the same, so the text is what opens.
    await waitForTab(page, 'read_text_file.mcptxt');
    assert.equal(await editorText(page), 'Water the roses.\nCut.\n');
  });

  /** Where the cursor is in the text is said by `|`. */
  async function write(text: string): Promise<void> {
    const [before = '', after = ''] = text.split('|');
    await replaceText(page, before + after);
    await page.keyboard.press('ControlOrMeta+End');
    for (let count = 0; count < after.length; count += 1) await page.keyboard.press('ArrowLeft');
  }

  it('accepts nested arguments in a document with completions and problems, and runs by a key', async () => {
    const marks = (count: number) =>
      eventually(
        () => page.locator('.monaco-editor .squiggly-error').count(),
        (now) => now === count,
      );
    await chooseTool(page, 'sow');
    await waitForTab(page, 'sow.arguments.jsonc');
    await lens(page, 'Run “sow”').waitFor();
    await write('{"seeds": [{ | }]}');
    // The language service reads the schema in its own time.
    const proposals = await eventually(
      async () => {
        await page.keyboard.press('Control+Space');
        const names = page.locator('.suggest-widget.visible .monaco-list-row .label-name');
        await names
          .first()
          .waitFor({ timeout: patienceMs / 10 })
          .catch(() => undefined);
        return names.allTextContents();
      },
      (all) => all.includes('kind'),
    );
    assert.deepEqual(proposals.toSorted(), ['count', 'kind']);
    await page.keyboard.press('Escape');
    await write('{"seeds": [{"ki|nd": "oak"}]}');
    await marks(1);
    await page.mouse.move(700, 500); // Away from what shows a hover of its own.
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.press('ControlOrMeta+i');
    const hover = page.locator('.monaco-hover:visible', { hasText: 'What' }).first();
    await hover.waitFor({ timeout: patienceMs });
    assert.match((await hover.textContent()) ?? '', /What \*\*grows\*\* \[here\] \(command:x\)/);
    assert.equal(await hover.locator('a[data-href^="command:x"]').count(), 0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+Enter');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.startsWith('Not sent. ')),
    );
    await clearNotifications(page);
    await replaceText(page, '{"seeds": [{"kind": "peas"},]}');
    await marks(0);
    await page.keyboard.press('ControlOrMeta+Enter');
    assert.deepEqual(await sent(), { seeds: [{ kind: 'peas' }] });
    await pressDialog(page, 'Run');
    await waitForTab(page, 'sow.mcpjson');
  });

  const explorerRow = (file: string) =>
    page.locator('.explorer-folders-view .monaco-list-row', { hasText: file });

  it('is filled in with the selection of an editor or of the explorer', async () => {
    await openView(page, 'Explorer');
    await explorerRow('note.txt').dblclick();
    await waitForTab(page, 'note.txt');
    await editorText(page); // Leaves the cursor at the start.
    await page.keyboard.press('Shift+End');
    await runCommand(page, 'Toolgate: Send to MCP Tool…');
    await waitForInput(page, 'Send to Tool');
    await pick(page, 'summarise');
    assert.equal((await rowsOf('summarise (camp)'))['prompt'], 'Water the roses.');
    await page.keyboard.press('Enter');
    assert.deepEqual(await sent(), { prompt: 'Water the roses.' });
    await pressDialog(page, 'Cancel');
    await page
      .locator('.editor-group-container.active .view-line')
      .nth(1)
      .click({ button: 'right' });
    await pressMenuEntry(page, 'Send to MCP Tool…');
    await waitForInput(page, 'Send to Tool');
    await pick(page, 'summarise');
    await waitForTab(page, 'summarise.arguments.jsonc');
    assert.match(await editorText(page), /"prompt": "Water the roses\.\\nCut\.\\n"/);
    await explorerRow('plan.txt').click({ button: 'right' });
    await pressMenuEntry(page, 'Send to MCP Tool…');
    await waitForInput(page, 'Send to Tool');
    await pick(page, 'Read Text File');
    const { path } = await rowsOf('Read Text File (files)');
    assert.equal(path, `${workspace.folder}/plan.txt`);
    await page.keyboard.press('Escape');
    await openToolgate(page);
  });

  it('is filled in with a file or a past answer that is dropped onto the row of a tool', async () => {
    await expandRow(page, 'camp');
    await expandRow(page, 'files');
    const row = await showRow(page, 'Read Text File');
    // As the explorer of this window writes it.
    const fileUri = `vscode-remote://${new URL(page.url()).host}${workspace.folder}/hello.txt`;
    await page.evaluate('window.dropped = new DataTransfer()');
    await page.evaluate(`dropped.setData('text/uri-list', '${fileUri}')`);
    const dataTransfer = await page.evaluateHandle('dropped');
    for (const event of ['dragenter', 'dragover', 'drop']) {
      await row.dispatchEvent(event, { dataTransfer });
    }
    const { path } = await rowsOf('Read Text File (files)');
    assert.equal(path, `${workspace.folder}/hello.txt`);
    await page.keyboard.press('Enter');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'read_text_file.mcptxt');
    const input = page.locator('.quick-input-widget:visible');
    await eventually(
      async () => {
        await callRows(page)
          .first()
          .dragTo(await showRow(page, 'summarise'));
        // A row that is drawn anew while it is dragged goes nowhere.
        await input.waitFor({ timeout: patienceMs / 3 }).catch(() => undefined);
        return input.isVisible();
      },
      (isOpen) => isOpen,
    );
    assert.equal((await rowsOf('summarise (camp)'))['prompt'], 'Hello!');
    await page.keyboard.press('Escape');
    await closeEditors(page);
    // Among the editors it opens.
    await callRows(page).first().hover();
    await page.mouse.down();
    const editors = await page.locator('.editor-group-container').first().boundingBox();
    assert.ok(editors);
    const [x, y] = [editors.x + editors.width / 2, editors.y + editors.height / 2];
    await page.mouse.move(x, y, { steps: 10 });
    // The place where it would open is drawn before it can be dropped there.
    await page.locator('#monaco-workbench-editor-drop-overlay').first().waitFor();
    await page.mouse.move(x + 1, y + 1, { steps: 3 });
    await page.mouse.up();
    await waitForTab(page, 'read_text_file.mcptxt');
  });
});
