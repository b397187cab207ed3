import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { runProgram, useWorkspaces } from '../cli/program';
import { pressDialog, readDialog, sentArguments } from './dialog';
import { editorText, lens, showTab, tabs, waitForTab } from './editors';
import { notifications } from './notifications';
import { pick, readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { callRows, chooseFromRowMenu, openView, pressMenuEntry, showRow, treeRow } from './sideBar';
import { expandTests, openTests, pressTestAction, testRow, waitForTests } from './testing';
import {
  approveServers,
  chooseTool,
  closeEditors,
  openToolgate,
  serverRows,
  waitForServer,
} from './toolgate';
import { eventually, exactly, patienceMs, retryMs } from '../waiting';
import { useWindow } from './window';
import { demoServer, type Workspace } from './workspace';

const call = (tool: string, given?: object, more: object = {}) => ({
  server: 'demo',
  tool,
  ...(given === undefined ? {} : { arguments: given }),
  ...more,
});
const calls = {
  read: call('read_note', { name: '${input:note}' }),
  rain: call(
    'look_up_weather',
    { place: 'Oslo' },
    { expect: { values: { '/content/0/text': 'Snow' } } },
  ),
  look: call('look_up_weather', { place: '${calls.read.content./0/text}' }),
  list: call('list_notes'),
  pull: call('delete_note', { name: '${var:note}' }),
};
/** A line for each call, so that all of them are in sight. */
const lines = Object.entries(calls).map(([name, each]) => `    "${name}": ${JSON.stringify(each)}`);
const garden = `{\n  "calls": {\n${lines.join(',\n')}\n  }\n}\n`;
const lonely = JSON.stringify({ server: 'nowhere', tool: 'look' });
const replayed = 'demo (recorded)';

/** In the order in which a person comes to it. */
describe('A call file', () => {
  let workspace: Workspace;
  let page: Page;
  const elsewhere = useWorkspaces();
  const files: Record<string, string> = { 'lonely.mcpcall': lonely };

  before('a colleague records one of its calls', async () => {
    const folder = elsewhere({
      '.vscode/mcp.json': { servers: { demo: demoServer } },
      'garden.mcpcall': { calls: { list: calls.list } },
    });
    const all = ['test', '--max-risk', 'destructive', '--record', 'run.mcprecord'];
    const { code, stderr } = await runProgram(folder, all);
    assert.equal(code, 0, stderr);
    files['run.mcprecord'] = readFileSync(path.join(folder, 'run.mcprecord'), 'utf8');
  });

  useWindow(
    {
      files,
      settings: {
        'toolgate.rules': [
          { effect: 'allow', server: 'demo', tool: 'look_up_weather' },
          { effect: 'allow', server: replayed },
        ],
        'toolgate.callFiles.environments': { hill: { note: 'Sage' } },
        // In a browser VS Code saves by itself.
        'files.autoSave': 'off',
      },
    },
    (opened) => {
      ({ page, workspace } = opened);
    },
  );

  const rowsSo = (...expected: readonly RegExp[]) =>
    waitForTests(page, (rows) => expected.every((each) => rows.some((row) => each.test(row))));
  const openFile = async (): Promise<void> => {
    await runCommand(page, 'Toolgate: Open Call File…');
    await waitForTab(page, 'garden.mcpcall');
  };
  const runLens = (index: number) =>
    page.locator('.codelens-decoration a', { hasText: exactly('Run') }).nth(index);
  const review = async (): Promise<void> => {
    assert.match((await readDialog(page)).message, /^Run the calls of “/);
    await pressDialog(page, 'Review');
  };
  const listed = async (): Promise<string> => {
    await waitForTab(page, 'Run All.mcptext');
    return editorText(page);
  };
  const heads = (text: string) => text.match(/^(?:\[.\]| - ) \[hill\] \w+/gm);
  const told = (start: string) =>
    eventually(
      () => notifications(page),
      (all) => all.some((text) => text.startsWith(start)),
    );
  const approve = async (tool: string): Promise<void> => {
    assert.match((await readDialog(page)).message, new RegExp(`\\(${tool}\\)`));
    await pressDialog(page, 'Run');
  };

  it('runs with the first click in a window in which nothing is configured', async () => {
    await runCommand(page, 'Test: Run All Tests');
    await openTests(page);
    await rowsSo(/^lonely.*\((?:Errored|Failed)\)/);
    rmSync(path.join(workspace.folder, 'lonely.mcpcall'));
    writeFileSync(path.join(workspace.folder, 'garden.mcpcall'), garden);
    workspace.configure({ demo: demoServer });
    await rowsSo(/^garden\.mcpcall \(Not yet run\)/);
    await waitForTests(page, (rows) => rows.every((row) => !row.startsWith('lonely')));
  });

  it('runs call by call, asks for missing values, and shows the outcome above each call', async () => {
    await openFile();
    await runLens(0).click();
    await approveServers(page);
    await readQuickInput(page, 'Input “note”');
    await typeAndAccept(page, 'welcome');
    assert.deepEqual(JSON.parse(sentArguments(await readDialog(page))), { name: 'welcome' });
    await approve('read_note');
    await waitForTab(page, /^read_note\./);
    const note = (await editorText(page)).trim();
    await showTab(page, 'garden.mcpcall');
    await lens(page, '✓').waitFor();
    // By a key, with what the first call brought; a rule allows it.
    await page.locator('.view-line', { hasText: '"look"' }).click();
    await page.keyboard.press('Control+Enter');
    await waitForTab(page, /^look_up_weather\./);
    assert.ok((await editorText(page)).startsWith(note));
    await showTab(page, 'garden.mcpcall');
    await page.locator('.statusbar-item', { hasText: 'No Environment' }).click();
    await pick(page, 'hill');
    await page.locator('.statusbar-item', { hasText: 'hill' }).waitFor();
    await runLens(1).click();
    await told('“rain” did not pass: Expected "Snow"');
    await showTab(page, 'garden.mcpcall');
    await lens(page, '✗ Expected "Snow"').waitFor();
    await page.locator('.squiggly-error').first().waitFor();
    await closeEditors(page);
  });

  it('runs in the Test Explorer after one question, and accepts the actual answer as the expected one', async () => {
    await openTests(page);
    await expandTests(page, 'garden.mcpcall');
    await rowsSo(/^read/, /^pull/);
    await openFile();
    await eventually(
      () => page.locator('.testing-run-glyph').count(),
      (count) => count === 5,
    );
    const row = testRow(page, 'garden.mcpcall');
    await row.hover();
    await row.locator('[aria-label^="Turn on Continuous Run"]').waitFor({ state: 'attached' });
    await pressTestAction(page, 'garden.mcpcall', 'Run Test');
    await review();
    assert.deepEqual(heads(await listed()), [
      '[x] [hill] read',
      ' -  [hill] rain',
      ' -  [hill] look',
      '[x] [hill] list',
      '[ ] [hill] pull',
    ]);
    await lens(page, 'Run, 2 Checked').click();
    assert.match((await readDialog(page)).message, /\(delete_note\)/);
    await pressDialog(page, 'Cancel');
    await rowsSo(
      /^read \(Passed\)/,
      /^rain \(Failed\)/,
      /^look \(Passed\)/,
      /^list \(Passed\)/,
      /^pull \(Skipped\)/,
    );
    await waitForTab(page, 'garden.mcpcall');
    await page.locator('.test-error-content-widget', { hasText: 'Oslo: ' }).click();
    const accept = page.getByText('Accept as Expected').first();
    await accept.click();
    await eventually(
      () => tabs(page),
      (all) => all.some(({ label, isDirty }) => label === 'garden.mcpcall' && isDirty),
    );
    // The key does nothing while the focus is on its way back to the file.
    await eventually(
      async () => {
        await page.keyboard.press('Escape');
        await accept.waitFor({ state: 'detached', timeout: retryMs }).catch(() => undefined);
        return accept.count();
      },
      (count) => count === 0,
    );
    assert.match(await editorText(page), /"\/content\/0\/text": ?"Oslo: /);
    await runCommand(page, 'File: Save');
    await pressTestAction(page, 'rain', 'Run Test');
    await rowsSo(/^rain \(Passed\)/);
    await lens(page, 'Expect This Result').click();
    await eventually(
      () => editorText(page),
      (text) => text.includes('"answer"'),
    );
    await runCommand(page, 'File: Revert File');
    await closeEditors(page);
  });

  it('runs as a whole from a list of its calls, and writes a report with links to the answers', async () => {
    await openFile();
    await lens(page, 'Run All').click();
    await review();
    assert.equal((await listed()).includes('{"name":"Sage"}'), false);
    await lens(page, 'Expand').waitFor(); // Until then lines move.
    await page.locator('.view-line', { hasText: 'pull' }).click();
    await page.keyboard.press('Space');
    await eventually(listed, (text) => text.includes('{"name":"Sage"}'));
    await lens(page, exactly('Check')).waitFor();
    await page.locator('.codelens-decoration a', { hasText: 'Uncheck' }).nth(1).click();
    await eventually(listed, (text) => text.includes('[ ] list'));
    await lens(page, 'Run, 1 Checked').waitFor();
    const run = '.editor-actions .action-label[aria-label^="Run Checked Calls"]';
    await page.locator(run).click({ timeout: patienceMs });
    await approve('list_notes');
    assert.match((await readDialog(page)).message, /\(delete_note\)/);
    await pressDialog(page, 'Cancel');
    await told('4 of 5 calls passed.');
    await showTab(page, 'Report of garden-mcpcall.mcptable');
    await page
      .locator('.view-line', { hasText: 'list_notes' })
      .locator('.detected-link')
      .first()
      .click({ modifiers: ['ControlOrMeta'], force: true });
    await waitForTab(page, /^list_notes\./);
    await closeEditors(page);
    await openFile();
    await lens(page, '✓').click();
    await waitForTab(page, /^read_note\./);
    await closeEditors(page);
  });

  it('is listed in the side bar with its calls, which run from there, and gets the answer of a past call as its expected answer', async () => {
    await runCommand(page, 'Toolgate: Focus on Call Files View');
    const pane = page.locator('.sidebar .pane:has(> .pane-header[aria-label^="Call Files"])');
    const row = (label: string) => pane.locator('.monaco-list-row', { hasText: label }).first();
    await row('garden.mcpcall').click({ timeout: patienceMs });
    await row('list').click({ timeout: patienceMs });
    await waitForTab(page, 'garden.mcpcall');
    await row('list').hover();
    await row('list').locator('.action-label[aria-label^="Run Call in File"]').click();
    await approve('list_notes');
    await waitForTab(page, /^list_notes\./);
    await closeEditors(page);

    await openToolgate(page);
    await chooseTool(page, 'List notes');
    await pressDialog(page, 'Run');
    await waitForTab(page, /^list_notes\./);
    // The answer opens before the row of the call knows that it is over.
    await callRows(page).first().locator('.codicon-pass').waitFor();
    await callRows(page).first().click({ button: 'right', timeout: patienceMs });
    await pressMenuEntry(page, 'Expect This Result');
    const { items } = await readQuickInput(page, 'Expect This Result');
    assert.deepEqual(
      items.map(({ label }) => label),
      ['list', 'New Call File…'],
    );
    await pick(page, 'list');
    await waitForTab(page, 'garden.mcpcall');
    await eventually(
      () => editorText(page),
      (text) => /"list": \{[^}]*"expect": ?\{\s*"answer"/.test(text),
    );
    await runCommand(page, 'File: Revert File');
    await closeEditors(page);
  });

  it('is answered by a recording as far as the recording goes', async () => {
    const file = () =>
      page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'run.mcprecord' });
    await openView(page, 'Explorer');
    const press = async (clickCount: number) => {
      await page.mouse.down({ clickCount });
      await page.mouse.up({ clickCount });
    };
    // The document takes the place of the recording at some time between two presses.
    for (const pauseMs of [0, 40, 80, 120]) {
      await file().hover();
      await press(1);
      await page.waitForTimeout(pauseMs);
      await press(2);
      await lens(page, 'Replay').waitFor();
      assert.match(await editorText(page), /tools\/call/);
      await eventually(
        () => tabs(page),
        (all) => all.every(({ label }) => label !== 'run.mcprecord'),
      );
      await closeEditors(page);
    }
    await file().click({ button: 'right' });
    await pressMenuEntry(page, 'Replay Recording…');
    await approveServers(page);
    // Reading the tree would scroll the row away while it opens.
    await openView(page, 'Toolgate');
    await waitForServer(page, replayed, /replay/);
    // Its row opens by itself, which would bring its view back.
    await eventually(
      () => treeRow(page, replayed).getAttribute('aria-expanded'),
      (value) => value === 'true',
    );
    await openTests(page);
    await testRow(page, 'garden.mcpcall').click({ button: 'right' });
    await pressMenuEntry(page, 'Execute Using Profile...');
    await pick(page, 'Replay');
    // What the file takes from elsewhere is asked about, whatever a rule allows.
    await pressDialog(page, 'Run');
    assert.match((await readDialog(page)).message, /^Really run the calls of “/);
    await pressDialog(page, 'Run');
    assert.match((await readDialog(page)).message, /\(delete_note\)/);
    await pressDialog(page, 'Cancel');
    await rowsSo(/^list \(Passed\)/, /^read \((?:Errored|Failed)\)/);
    await openToolgate(page);
    const menu = async (): Promise<readonly string[]> => {
      await (await showRow(page, replayed)).click({ button: 'right', timeout: patienceMs });
      const entries = page.locator('.monaco-menu .action-menu-item .action-label');
      await entries.first().waitFor();
      const texts = await entries.allTextContents();
      await page.keyboard.press('Escape');
      return texts;
    };
    const isRemovable = async () => (await menu()).some((text) => text.includes('Remove Recorded'));
    assert.equal(await isRemovable(), false);
    await chooseFromRowMenu(page, replayed, 'Stop Server');
    await eventually(isRemovable, (is) => is);
    await chooseFromRowMenu(page, replayed, 'Remove Recorded Server…');
    await eventually(
      () => serverRows(page),
      (all) => all.every(({ label }) => label !== replayed),
    );
  });
});
