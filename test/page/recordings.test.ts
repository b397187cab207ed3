import assert from 'node:assert/strict';
import path from 'node:path';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { runProgram, useWorkspaces } from '../cli/program';
import { editorText, waitForTab } from './editors';
import { pick, runCommand } from './quickInput';
import { chooseFromRowMenu, openView, pressMenuEntry, readTree, showRow } from './sideBar';
import { expandTests, openTests, testRow, waitForTests } from './testing';
import { approveServers, closeEditors, openToolgate, serverRows, waitForServer } from './toolgate';
import { eventually, patienceMs } from './waiting';
import { useWindow } from './window';
import { demoServer } from './workspace';

const weather = (place: string) => ({
  server: 'demo',
  tool: 'look_up_weather',
  arguments: { place },
});
const recorded = { calls: { oslo: weather('Oslo'), rome: weather('Rome') } };
/** With one that was not recorded. */
const tested = { calls: { oslo: weather('Oslo'), bern: weather('Bern') } };
const replayed = 'demo (recorded)';

/** The recording is made by the command line, as a colleague would send it. */
describe('A recording in a window', function () {
  this.timeout(90_000);
  let page: Page;
  const workspace = useWorkspaces();
  const files: Record<string, string> = { 'garden.mcpcall': JSON.stringify(tested, undefined, 2) };

  before('it was recorded elsewhere', async () => {
    const elsewhere = workspace({
      '.vscode/mcp.json': { servers: { demo: demoServer } },
      'garden.mcpcall': recorded,
    });
    const all = ['test', '--max-risk', 'destructive', '--record', 'run.mcprecord'];
    const { code, stderr } = await runProgram(elsewhere, all);
    assert.equal(code, 0, stderr);
    files['run.mcprecord'] = readFileSync(path.join(elsewhere, 'run.mcprecord'), 'utf8');
  });

  useWindow(
    {
      files,
      servers: () => ({ demo: demoServer }),
      settings: { 'toolgate.rules': [{ effect: 'allow', server: 'demo*' }] },
    },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
    },
  );

  /** The tree may be scrolled, with the row below its header. */
  const scrollToTop = async (): Promise<void> => {
    await runCommand(page, 'Toolgate: Focus on Servers and Tools View');
    await page.keyboard.press('Home');
  };

  const menuOf = async (label: string): Promise<readonly string[]> => {
    await scrollToTop();
    await (await showRow(page, label)).click({ button: 'right', timeout: patienceMs });
    const entries = page.locator('.monaco-menu .action-menu-item .action-label:not(.separator)');
    await entries.first().waitFor();
    const texts = await entries.allTextContents();
    await page.keyboard.press('Escape');
    return texts.map((text) => text.trim()).filter((text) => text !== '');
  };

  it('is replayed from its menu in the explorer, and has a row that says so', async () => {
    await openView(page, 'Explorer');
    const file = page.locator('.explorer-folders-view .monaco-list-row', {
      hasText: 'run.mcprecord',
    });
    await file.click({ button: 'right' });
    await pressMenuEntry(page, 'Replay Recording…');
    await approveServers(page);
    await openToolgate(page);
    await waitForServer(page, replayed, /replay/);
    await eventually(
      () => serverRows(page),
      (rows) => rows.find(({ label }) => label === replayed)?.icon === 'vm-running',
    );
    const row = (await readTree(page)).find(({ label }) => label === replayed);
    assert.match(row?.description ?? '', /replay/);
  });

  it('opens as lines, and offers the replay above them', async () => {
    await runCommand(page, 'View: Close All Editors');
    await openView(page, 'Explorer');
    const file = page.locator('.explorer-folders-view .monaco-list-row', {
      hasText: 'run.mcprecord',
    });
    await file.dblclick();
    await waitForTab(page, /run/);
    await page.locator('.codelens-decoration a', { hasText: 'Replay' }).first().waitFor();
    assert.match(await editorText(page), /tools\/call/);
    await closeEditors(page);
  });

  it('answers the tests of the profile Replay as far as they were recorded, and marks the calls', async () => {
    await openTests(page);
    await waitForTests(page, (rows) => rows.some((row) => row.startsWith('garden')));
    await expandTests(page, 'garden.mcpcall');
    await testRow(page, 'garden.mcpcall').click({ button: 'right' });
    await pressMenuEntry(page, 'Execute Using Profile...');
    await pick(page, 'Replay');
    await waitForTests(
      page,
      (rows) =>
        rows.some((row) => row.startsWith('oslo (Passed)')) &&
        rows.some((row) => /^bern \((?:Errored|Failed)\)/.test(row)),
    );
    await runCommand(page, 'Toolgate: Open Call File…');
    await waitForTab(page, 'garden.mcpcall');
    await page.locator('.codelens-decoration a', { hasText: '✓' }).first().waitFor();
    await closeEditors(page);
  });

  it('has in its menu what is done with it, and is removed there once it is stopped', async () => {
    await openToolgate(page);
    const running = await menuOf(replayed);
    assert.ok(running.includes('Stop Server'), running.join());
    assert.ok(!running.some((entry) => entry.startsWith('Remove Recorded Server')), running.join());
    await scrollToTop();
    await chooseFromRowMenu(page, replayed, 'Stop Server');
    await waitForServer(page, replayed, /stopped|not running|replay/);
    await eventually(
      () => menuOf(replayed),
      (entries) => entries.some((entry) => entry.startsWith('Remove Recorded Server')),
    );
    const other = await menuOf('demo');
    assert.ok(!other.some((entry) => entry.startsWith('Remove Recorded Server')), other.join());
    await scrollToTop();
    await chooseFromRowMenu(page, replayed, 'Remove Recorded Server…');
    await eventually(
      () => serverRows(page),
      (rows) => rows.every(({ label }) => label !== replayed),
    );
  });
});
