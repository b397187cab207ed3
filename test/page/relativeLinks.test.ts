import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { runCommand, typeAndAccept } from './quickInput';
import { chooseTool, closeEditors, openToolgate, startAll } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const answering = `(server) => {
  server.tools = [{ name: 'report', inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } }];
  server.capabilities.resources = {};
  const text = '# Report\\n\\n- [here](./pages/a.md)\\n- [gone](pages/none.md)\\n- [out](../secret.md)\\n- [run](command:x)\\n';
  server.on('tools/call', (message) => server.text(message, text));
  server.on('resources/list', (message) => server.reply(message, { resources: [] }));
  server.on('resources/read', (message) => {
    const { uri } = message.params;
    const text = uri.endsWith('index.md') ? '# Index\\n\\n[next](../b/next.md)\\n' : '# Next\\n\\nread ' + uri + '\\n';
    server.reply(message, { contents: [{ uri, mimeType: 'text/markdown', text }] });
  });
}`;

describe('Relative links in answers', function () {
  this.timeout(90_000);
  let page: Page;

  useWindow(
    {
      files: { 'pages/a.md': 'A page of this folder\n' },
      servers: () => ({ docs: { ...scriptedServer(answering), cwd: '${workspaceFolder}' } }),
    },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      await startAll(page, 1);
    },
  );
  afterEach(() => closeEditors(page));

  // Still the other kind where the key of the last press was let go over a dialog.
  const links = () => page.locator('.view-line :is(.detected-link, .detected-link-active)');
  /** It may be drawn anew in the moment of the press, which then was none. */
  const follow = () =>
    eventually(
      () =>
        links()
          .first()
          .click({ modifiers: ['ControlOrMeta'], force: true })
          .then(
            () => true,
            () => false,
          ),
      (isPressed) => isPressed,
    );

  it('lead to files of the folder of the server, after the question; others are no links', async () => {
    await chooseTool(page, 'report');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'report.mcpmd');
    assert.deepEqual(
      await eventually(
        () => links().allTextContents(),
        (all) => all.length > 0,
      ),
      ['./pages/a.md'],
    );
    await follow();
    const { message, detail } = await readDialog(page);
    assert.equal(message, 'Open this local file, which the server named?');
    assert.match(detail, /pages\/a\.md/);
    assert.match(detail, /It is in a folder that is open in this window\./);
    await dismissDialog(page);
    await waitForTab(page, 'report.mcpmd');
    await follow();
    await pressDialog(page, 'Open File');
    await waitForTab(page, 'a.md');
    assert.equal(await editorText(page), 'A page of this folder\n');
  });

  it('are no links where the overview quotes them', async () => {
    await chooseTool(page, 'report');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'report.mcpmd');
    await runCommand(page, 'Toolgate: Show Result Overview');
    await waitForTab(page, /\.mcpresult$/);
    await page.locator('.view-line', { hasText: './pages/a.md' }).first().waitFor();
    const shown = await eventually(
      () => links().allTextContents(),
      (all) => all.length > 0,
    );
    assert.ok(
      shown.every((text) => !text.includes('pages/')),
      shown.join(),
    );
  });

  it('of a resource lead to the one beside it, read from its server', async () => {
    await runCommand(page, 'Toolgate: Open Resource…');
    await typeAndAccept(page, 'docs://shelf/a/index.md');
    await waitForTab(page, /index.*\.mcpmd$/);
    await follow();
    await waitForTab(page, /next.*\.mcpmd$/);
    assert.match(await editorText(page), /read docs:\/\/shelf\/b\/next\.md/);
  });
});
