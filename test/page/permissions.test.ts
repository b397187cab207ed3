import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { untilReady } from '../vscode/window';
import { dismissDialog, isDialogOpen, pressDialog, readDialog } from './dialog';
import { editorText } from './editors';
import { clearNotifications, notifications } from './notifications';
import { pick, pressQuickButton, readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { approveServers, chooseTool, openToolgate, startAll, waitForServer } from './toolgate';
import { eventually, exactly } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

/** Counts its calls, and on demand changes the tool `read`. */
const counting = `(server) => {
  const nothing = { type: 'object', properties: {} };
  const number = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const readOnly = { readOnlyHint: true };
  server.tools = [
    { name: 'read', inputSchema: number, annotations: readOnly },
    { name: 'find', inputSchema: nothing, annotations: readOnly },
    { name: 'write', inputSchema: nothing, annotations: { destructiveHint: false } },
    { name: 'wipe', inputSchema: nothing },
    { name: 'alter', inputSchema: nothing },
  ];
  let count = 0;
  server.on('tools/call', (message) => {
    const { name } = message.params;
    count += 1;
    server.text(message, name + ' as call ' + count);
    if (name !== 'alter') return;
    server.tools[0] = { ...server.tools[0], description: 'Reads, and tells others.' };
    server.send({ method: 'notifications/tools/list_changed' });
  });
}`;

describe('Permissions', function () {
  this.timeout(90_000);
  let page: Page;
  let calls = 0;

  useWindow({ servers: () => ({ notes: scriptedServer(counting) }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });

  async function choose(tool: string, n?: number): Promise<void> {
    await chooseTool(page, tool);
    if (n !== undefined) await typeAndAccept(page, String(n));
  }

  /** What the server says to the next call that reaches it. */
  async function waitForResult(tool: string): Promise<void> {
    calls += 1;
    const expected = `${tool} as call ${calls}`;
    await eventually(
      () => editorText(page).catch(() => ''),
      (text) => text === expected,
    );
  }

  async function runsUnasked(tool: string, n?: number): Promise<void> {
    await choose(tool, n);
    await waitForResult(tool);
    assert.equal(await isDialogOpen(page), false);
  }

  /** Asks, and is told no. */
  async function isAsked(tool: string, n?: number): Promise<string> {
    await choose(tool, n);
    const { detail } = await readDialog(page);
    await dismissDialog(page);
    return detail;
  }

  async function remember(tool: string, wishes: readonly string[], n?: number): Promise<void> {
    await choose(tool, n);
    await pressDialog(page, 'Run and Remember…');
    for (const wish of wishes) await pick(page, wish);
    await waitForResult(tool);
  }

  async function managed(): Promise<readonly string[]> {
    await runCommand(page, 'Toolgate: Manage Permissions…');
    const { items } = await readQuickInput(page, 'Permissions');
    return items.map(({ label, description }) => `${label}, ${description}`);
  }

  async function isTold(words: RegExp): Promise<void> {
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => words.test(text)),
    );
    await clearNotifications(page);
  }

  it('cover exactly the same arguments in this session', async () => {
    await remember('read', ['Exactly these arguments', 'This session'], 1);
    await runsUnasked('read', 1);
    await isAsked('read', 2);
  });

  it('cover a tool with any arguments in this workspace', async () => {
    await remember('write', ['This tool', 'This workspace']);
    await runsUnasked('write');
    await isAsked('wipe');
  });

  it('are asked for in two steps, and lead back to the question without being given', async () => {
    await choose('find');
    await pressDialog(page, 'Run and Remember…');
    const first = await readQuickInput(page);
    assert.match(first.title, /^Run and Remember: find/);
    assert.deepEqual(
      first.items.map(({ label }) => label),
      ['Exactly these arguments', 'This tool', 'Read-only tools of this server'],
    );
    await pick(page, 'This tool');
    const second = await readQuickInput(page);
    assert.deepEqual(
      second.items.map(({ label }) => label),
      ['This session', 'This workspace', 'Always'],
    );
    await pressQuickButton(page, 'Back');
    await pick(page, 'Exactly these arguments');
    await eventually(
      () => readQuickInput(page),
      ({ items }) => items.some(({ label }) => label === 'This session'),
    );
    await page.keyboard.press('Escape');
    await readDialog(page);
    await dismissDialog(page);
    await isAsked('find');
  });

  it('for a destructive tool are offered for the same arguments only', async () => {
    await choose('wipe');
    await pressDialog(page, 'Run and Remember…');
    const { items } = await readQuickInput(page);
    assert.deepEqual(
      items.map(({ label }) => label),
      ['This session', 'This workspace', 'Always'],
    );
    await page.keyboard.press('Escape');
    await readDialog(page);
    await dismissDialog(page);
  });

  it('of a session end with the window, those of the workspace do not', async () => {
    await page.reload();
    await untilReady(page);
    calls = 0;
    await openToolgate(page);
    await runCommand(page, 'Toolgate: Start All Servers');
    await waitForServer(page, 'notes', /running|5 tools/);
    await isAsked('read', 1);
    await runsUnasked('write');
  });

  it('for the read-only tools of a server cover those and no others', async () => {
    await remember('find', ['Read-only tools of this server', 'Always']);
    await runsUnasked('read', 5);
    await runsUnasked('find');
    await isAsked('wipe');
  });

  it('are listed with what they cover, and withdrawn when they are unchecked', async () => {
    assert.deepEqual((await managed()).slice(0, 2), [
      'The 2 tools of “notes” that were read-only then, always',
      '“write” of “notes” with any arguments, in this workspace',
    ]);
    await page
      .locator('.quick-input-list .monaco-list-row', { hasText: '“write” of “notes”' })
      .click();
    await page.locator('.quick-input-action .monaco-button', { hasText: exactly('OK') }).click();
    await isTold(/1 permission is withdrawn/);
    await isAsked('write');
    await runsUnasked('read', 6);
  });

  it('are suspended when a tool they cover changes, and say so', async () => {
    await choose('alter');
    await pressDialog(page, 'Run');
    await waitForResult('alter');
    assert.match(await isAsked('read', 7), /suspended/);
    await runsUnasked('find');
    assert.match((await managed())[0] ?? '', /always · suspended for 1 tool that changed$/);
    await page.keyboard.press('Escape');
  });

  it('are all forgotten at once, after one question', async () => {
    await runCommand(page, 'Toolgate: Forget All Permissions');
    const { message, detail } = await readDialog(page);
    assert.equal(message, 'Forget all permissions?');
    assert.match(detail, /^Calls without a question: 1$/m);
    await pressDialog(page, 'Forget All');
    await isTold(/All permissions are forgotten/);
    await isAsked('find');
    await runCommand(page, 'Toolgate: Manage Permissions…');
    await isTold(/There are no permissions/);
    // The server runs on; the next start of it is asked about again.
    await runCommand(page, 'Toolgate: Restart Server');
    await pick(page, 'notes');
    await approveServers(page);
  });
});
