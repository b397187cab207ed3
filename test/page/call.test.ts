import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { editorText, replaceText, tabs, waitForTab } from './editors';
import { clearNotifications, notifications, pressNotificationLink } from './notifications';
import { runCommand, typeAndAccept } from './quickInput';
import { pressRowAction } from './sideBar';
import {
  chooseTool,
  closeEditors,
  openToolgate,
  startAll,
  waitForPage,
  waitForStatus,
} from './toolgate';
import { eventually, exactly } from './waiting';
import { useWindow } from './window';
import { everythingServer, filesystemServer, type Workspace } from './workspace';

describe('A call from the palette @package', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let page: Page;

  useWindow(
    {
      files: { 'notes/hello.txt': 'Hello from a file.\n' },
      servers: (own) => ({
        everything: everythingServer,
        files: filesystemServer(own.folder),
        steered: own.steered('steered'),
      }),
    },
    async (opened) => {
      ({ workspace, page } = opened);
      await openToolgate(page);
      await startAll(page, 3);
    },
  );
  beforeEach(() => void (callsBefore = callsSoFar().length));
  afterEach(() => closeEditors(page));

  let callsBefore = 0;
  const callsSoFar = () =>
    workspace.received('steered').filter((line) => line.startsWith('called'));
  const calls = () => callsSoFar().slice(callsBefore);
  /** A later call that did arrive shows that an earlier one never will. */
  async function callEcho(n: number): Promise<void> {
    await chooseTool(page, 'echo');
    await typeAndAccept(page, String(n));
    await pressDialog(page, 'Run');
    await waitForTab(page, 'echo.mcpjson');
  }

  it('asks with tool, server, risk and arguments, and opens the text that came back', async () => {
    await chooseTool(page, 'Echo Tool');
    await typeAndAccept(page, 'Hello, Toolgate');
    const { message, detail, buttons } = await readDialog(page);
    assert.equal(message, 'Run “Echo Tool” (echo) on “everything”?');
    assert.deepEqual(detail.split('\n'), [
      '{ "message": "Hello, Toolgate" }',
      '',
      'Risk: read-only (declared); reaches no outside systems',
    ]);
    const expected = ['Always Allow This…', 'Cancel', 'Review', 'Run', 'Run and Remember…'];
    assert.deepEqual(buttons.toSorted(), expected);
    await pressDialog(page, 'Run');
    await waitForTab(page, 'echo.mcptxt');
    assert.equal(await editorText(page), 'Echo: Hello, Toolgate');
  });

  it('opens one image with few words at once, and has all parts in the overview', async () => {
    await chooseTool(page, 'Get Tiny Image Tool');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'get-tiny-image.png');
    await runCommand(page, 'Toolgate: Show Result Overview');
    await waitForTab(page, 'get-tiny-image.mcpresult');
    const text = await editorText(page);
    assert.deepEqual(text.match(/^\d\. .*$/gm), [
      '1. 1-text.txt (text, 31 bytes)',
      '2. get-tiny-image.png (image, image/png, 3.9 KiB)',
      '3. 3-text.txt (text, 32 bytes)',
    ]);
    assert.match(text, /│ The image above is the MCP logo\./);
    await page
      .locator('.codelens-decoration a', { hasText: exactly('Open') })
      .nth(1)
      .click();
    await waitForTab(page, 'get-tiny-image.png');
    const size = page.locator('.statusbar .statusbar-item', { hasText: /^\d+x\d+$/ });
    await size.waitFor();
    assert.equal(await size.textContent(), '20x20');
  });

  it('reads a file with server-filesystem', async () => {
    await chooseTool(page, 'Read Text File');
    await typeAndAccept(page, 'notes/hello.txt');
    const { items } = await waitForPage(page, 'Read Text File (files)');
    const optional = items.filter(({ label }) => label === 'head' || label === 'tail');
    assert.equal(optional.length, 2);
    for (const { description } of optional) assert.match(description, /^If provided, returns /);
    await page.keyboard.press('Enter'); // Run, with both left out.
    assert.match((await readDialog(page)).detail, /^\{ "path": "notes\/hello.txt" \}\n/);
    await pressDialog(page, 'Run');
    // Its structured content says the same, so the text is what opens.
    await waitForTab(page, 'read_text_file.mcptxt');
    assert.equal(await editorText(page), 'Hello from a file.\n');
  });

  it('never reaches the server when Cancel is pressed', async () => {
    await chooseTool(page, 'echo');
    await typeAndAccept(page, '41');
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“echo” was not called.');
    assert.deepEqual(await tabs(page), []);
    await callEcho(42);
    assert.deepEqual(calls(), ['called echo {"n":42}']);
  });

  it('never reaches the server when the dialog is closed by Escape', async () => {
    await chooseTool(page, 'echo');
    await typeAndAccept(page, '43');
    await dismissDialog(page);
    await waitForStatus(page, '“echo” was not called.');
    await callEcho(44);
    assert.deepEqual(calls(), ['called echo {"n":44}']);
  });

  it('can be read in full in an editor, and runs from there', async () => {
    await chooseTool(page, 'echo');
    await typeAndAccept(page, '45');
    await pressDialog(page, 'Review');
    await waitForTab(page, 'echo.review.txt');
    const text = await editorText(page);
    assert.match(text, /^Run “echo” on “steered”\?$/m);
    assert.match(text, /^Server\n {4}steered\n {4}\.vscode\/mcp\.json$/m);
    assert.match(text, /^How the server is reached\n {4}Command: .+$/m);
    assert.match(text, /^Arguments as they will be sent\n {4}\{\n {6}"n": 45\n {4}\}$/m);
    assert.match(text, /^ {4}readOnlyHint: yes/m);
    await page.locator('.codelens-decoration a', { hasText: /^\s*Run$/ }).click();
    await waitForTab(page, 'echo.mcpjson');
    assert.deepEqual(calls(), ['called echo {"n":45}']);
  });

  it('runs and is left from the links of its notification, which the review must be in front for', async () => {
    await chooseTool(page, 'echo');
    await typeAndAccept(page, '50');
    await pressDialog(page, 'Review');
    await waitForTab(page, 'echo.review.txt');
    await runCommand(page, 'File: New Untitled Text File');
    await waitForTab(page, /^Untitled-1/);
    await pressNotificationLink(page, 'Run');
    await waitForTab(page, 'echo.review.txt');
    assert.deepEqual(calls(), []);
    await pressNotificationLink(page, 'Run');
    await waitForTab(page, 'echo.mcpjson');
    assert.deepEqual(calls(), ['called echo {"n":50}']);
    await chooseTool(page, 'echo');
    await typeAndAccept(page, '51');
    await pressDialog(page, 'Review');
    await waitForTab(page, 'echo.review.txt');
    await pressNotificationLink(page, 'Cancel');
    await waitForStatus(page, '“echo” was not called.');
    assert.deepEqual(calls(), ['called echo {"n":50}']);
  });

  it('means no when the review is closed', async () => {
    await chooseTool(page, 'echo');
    await typeAndAccept(page, '46');
    await pressDialog(page, 'Review');
    await waitForTab(page, 'echo.review.txt');
    await runCommand(page, 'View: Close Editor');
    await waitForStatus(page, '“echo” was not called.');
    await callEcho(47);
    assert.deepEqual(calls(), ['called echo {"n":47}']);
  });

  it('lets its arguments be edited, checks them, and asks about what was made of them', async () => {
    await chooseTool(page, 'echo');
    await typeAndAccept(page, '48');
    await pressDialog(page, 'Review');
    await waitForTab(page, 'echo.review.txt');
    await page.locator('.codelens-decoration a', { hasText: 'Edit Arguments' }).click();
    await waitForTab(page, 'echo.arguments.jsonc');
    await replaceText(page, '{ "n": "forty-nine" }');
    await page.keyboard.press('ControlOrMeta+Enter');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.startsWith('Not sent.')),
    );
    await clearNotifications(page);
    await replaceText(page, '{ "n": 49 }');
    await page.locator('.codelens-decoration a', { hasText: 'Use These Arguments' }).click();
    assert.match((await readDialog(page)).detail, /"n": 49/);
    await pressDialog(page, 'Run');
    await waitForTab(page, 'echo.mcpjson');
    assert.deepEqual(calls(), ['called echo {"n":49}']);
  });

  it('starts from the row of a tool too', async () => {
    await pressRowAction(page, 'never', 'Call Tool…');
    assert.match((await readDialog(page)).message, /^Run “never” on “steered”\?$/);
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“never” was not called.');
  });
});
