import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { isDialogOpen, pressDialog } from './dialog';
import { editorText, replaceText, tabs, waitForTab } from './editors';
import { clearNotifications, notifications } from './notifications';
import { pick, pressQuickButton, readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { chooseTool, closeEditors, openToolgate, startAll, waitForStatus } from './toolgate';
import { eventually } from './waiting';
import { openWindows } from '../vscode/window';
import { useWindow } from './window';
import type { Workspace } from './workspace';

describe('Rules', function () {
  this.timeout(90_000);
  let workspace: Workspace;
  let page: Page;

  useWindow(
    {
      servers: (own) => ({ steered: own.steered('steered') }),
      // In a browser what is typed is saved after a second.
      settings: { 'files.autoSave': 'off' },
    },
    async (opened) => {
      ({ workspace, page } = opened);
      await openToolgate(page);
      await startAll(page, 1);
    },
  );
  afterEach(() => closeEditors(page));

  const calls = () => workspace.received('steered').filter((line) => line.startsWith('called'));

  /** Types over the user settings, as a person who saves them. */
  async function writeUserRules(rules: unknown, saves = true): Promise<void> {
    await runCommand(page, 'Toolgate: Open Rules');
    await waitForTab(page, 'settings.json');
    // The tab is there before what is in it.
    const written = await eventually(
      () => editorText(page),
      (text) => text.trim() !== '',
    );
    const before: unknown = JSON.parse(written);
    assert.ok(typeof before === 'object');
    const text = JSON.stringify({ ...before, 'toolgate.rules': rules }, undefined, 2);
    await replaceText(page, text);
    await page.keyboard.press('ControlOrMeta+End'); // There the rules are, with what stands above them.
    if (!saves) return;
    await page.keyboard.press('ControlOrMeta+s');
    await eventually(
      () => tabs(page),
      (all) => all.every(({ isDirty }) => !isDirty),
    );
  }

  async function callEcho(n: number): Promise<void> {
    await chooseTool(page, 'echo');
    await typeAndAccept(page, String(n));
  }

  const proposals = () =>
    eventually(
      () => page.locator('.suggest-widget.visible .monaco-list-row').allInnerTexts(),
      (all) => all.length > 0,
    );

  it('open where they stand, and a deny typed there refuses a call with its reason', async () => {
    await writeUserRules([{ effect: 'deny', tool: 'ech*', reason: 'Too loud here' }]);
    await callEcho(1);
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.includes('Too loud here')),
    );
    assert.equal(await isDialogOpen(page), false);
    assert.deepEqual(calls(), []);
    await clearNotifications(page);
  });

  it('make a call silent where they allow it', async () => {
    const when = { '/n': { equals: 2 } };
    await writeUserRules([{ effect: 'allow', server: 'steered', tool: 'echo', when }]);
    await callEcho(2);
    await waitForTab(page, 'echo.mcpjson');
    assert.deepEqual(calls(), ['called echo {"n":2}']);
    await callEcho(3);
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“echo” was not called.');
  });

  it('say in a document what each of them matched lately', async () => {
    await runCommand(page, 'Toolgate: Show What Rules Matched');
    await waitForTab(page, /./);
    const text = await editorText(page);
    const one = String.raw`Rule 1 in your user settings: allow\n {4}Calls: \d+\n`;
    assert.match(text, /^What rules matched lately\n\nPast calls looked at: [1-9]\d*\n/);
    assert.match(text, new RegExp(one));
  });

  it('are tried on past calls from above their setting, before they are saved', async () => {
    await writeUserRules([{ effect: 'deny', tool: 'echo', reason: 'Never again' }], false);
    await page.locator('.codelens-decoration a', { hasText: 'Try on past calls' }).click();
    await waitForTab(page, 'Rules on past calls.txt');
    const text = await editorText(page);
    assert.match(text, /^The rules as they stand in “settings\.json”, not saved yet$/m);
    assert.match(text, /“echo” on “steered” \(.*\)\n {4}Then: allow\n {4}Rules: allow → deny\n/);
    assert.match(text, /^ {4}Rule 1 in your user settings: deny — “Never again”$/m);
    await page.locator('.tab[data-resource-name="settings.json"]').click();
    await waitForTab(page, 'settings.json');
    await runCommand(page, 'File: Revert File');
  });

  it('begin as an empty list with proposals, where names are those of servers and tools', async () => {
    await writeUserRules(undefined);
    await closeEditors(page);
    await runCommand(page, 'Toolgate: Open Rules');
    await waitForTab(page, 'settings.json');
    const beginnings = await proposals();
    assert.ok(
      beginnings.some((text) => text.includes('Deny what is destructive')),
      beginnings.join(),
    );
    await page.keyboard.press('Escape');
    assert.match(await editorText(page), /"toolgate\.rules": \[\s*\]/);
    await replaceText(page, '{ "toolgate.rules": [{ "server": "st*", "tool": "" }] }');
    await page.keyboard.press('ControlOrMeta+End');
    for (let step = 0; step < '" }] }'.length; step += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ControlOrMeta+Space');
    const tools = await proposals();
    assert.ok(
      tools.some((text) => text.startsWith('"echo"') && text.includes('steered · read-only')),
      tools.join(),
    );
    await page.keyboard.press('Escape');
    await runCommand(page, 'File: Revert File');
  });

  it('are made from a question: shown before one is saved, and it answers the next such call', async () => {
    await writeUserRules([{ effect: 'ask', tool: 'other' }]);
    await closeEditors(page);
    await callEcho(7);
    await pressDialog(page, 'Always Allow This…');
    const { items } = await readQuickInput(page, 'Always Allow: echo');
    const about = '"effect":"allow","server":"steered","tool":"echo"';
    assert.deepEqual(
      items.map(({ label, detail }) => [label, detail]),
      [
        ['Exactly these arguments', `{${about},"when":{"":{"equals":{"n":7}}}}`],
        ['This tool, whatever its arguments', `{${about},"risk":"readOnly"}`],
      ],
    );
    await page.keyboard.press('Escape');
    await pressDialog(page, 'Always Allow This…');
    await readQuickInput(page, 'Always Allow: echo');
    await pressQuickButton(page, 'Back');
    await pressDialog(page, 'Always Allow This…');
    await pick(page, 'Exactly these arguments');
    await waitForTab(page, 'echo.mcpjson');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.includes('The rule is saved in your user settings.')),
    );
    await clearNotifications(page);
    assert.ok((await tabs(page)).every(({ label }) => label !== 'settings.json'));
    await closeEditors(page);
    await callEcho(7);
    await waitForTab(page, 'echo.mcpjson');
    assert.equal(await isDialogOpen(page), false);
    await callEcho(8);
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“echo” was not called.');
  });

  it('of a workspace cannot allow anything, and say so where they stand', async () => {
    await writeUserRules([]);
    const file = path.join(workspace.folder, '.vscode/settings.json');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ 'toolgate.rules': [{ effect: 'allow' }] }, undefined, 2));
    await callEcho(4);
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“echo” was not called.');
    await runCommand(page, 'Preferences: Open Workspace Settings (JSON)');
    await waitForTab(page, 'settings.json');
    await page.locator('.squiggly-warning').first().waitFor();
    await runCommand(page, 'Problems: Focus on Problems View');
    const problem = page.locator('.markers-panel .monaco-list-row', {
      hasText: 'Ignored: only your own user settings can allow calls',
    });
    await problem.first().waitFor();
    writeFileSync(file, '{}');
  });

  it('of a machine, as a container brings them, can refuse but not allow, and leave those of the person', async () => {
    const folder = [...openWindows].at(-1)?.server.userFolder ?? '';
    const machineFile = path.resolve(folder, '../Machine/settings.json');
    const setUpMachine = (rules: unknown) =>
      writeFileSync(machineFile, JSON.stringify({ 'toolgate.rules': rules }));
    const isTold = page.locator('.statusbar [id="status.notifications"] .codicon-bell-dot');
    const refusedWith = async (reason: string, n: number) => {
      await eventually(
        async () => {
          await callEcho(n);
          // Either comes late on a busy machine, and what is in front keeps the next call from being chosen.
          await eventually(
            async () => (await isDialogOpen(page)) || (await isTold.count()) > 0,
            (isAnswered) => isAnswered,
          );
          if (await isDialogOpen(page)) {
            await pressDialog(page, 'Cancel');
            await waitForStatus(page, '“echo” was not called.');
            return [];
          }
          const told = await notifications(page);
          await clearNotifications(page);
          return told;
        },
        (all) => all.some((text) => text.includes(reason)),
      );
    };
    await writeUserRules([]);
    const before = calls().length;
    setUpMachine([{ effect: 'allow' }, { effect: 'deny', tool: 'echo', reason: 'Not in here' }]);
    await refusedWith('Not in here', 10);
    await writeUserRules([{ effect: 'deny', tool: 'ech*', reason: 'Mine' }]);
    setUpMachine([{ effect: 'allow' }]);
    await refusedWith('Mine', 11);
    await writeUserRules([]);
    await callEcho(12);
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“echo” was not called.');
    assert.equal(calls().length, before);
    const ofMachine = readFileSync(machineFile, 'utf8');
    await callEcho(13);
    await pressDialog(page, 'Always Allow This…');
    await pick(page, 'Exactly these arguments');
    // Nothing was saved, so it is asked again.
    await pressDialog(page, 'Cancel');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.includes('could not be saved in your user settings')),
    );
    assert.equal(readFileSync(machineFile, 'utf8'), ofMachine);
    setUpMachine([]);
  });
});
