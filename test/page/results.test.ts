import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog } from './dialog';
import { editorText, tabs, waitForTab } from './editors';
import { notifications, pressNotification } from './notifications';
import { pick, readQuickInput, runCommand, typeAndAccept, typeInto } from './quickInput';
import { chooseTool, closeEditors, openToolgate, startAll, waitForStatus } from './toolgate';
import { eventually } from '../waiting';
import { useWindow } from './window';
import { demoServer, scriptedServer, type Workspace } from './workspace';

/** Answers with links, with a text that stands twice and with a document. */
const library = `(server) => {
  const reads = [];
  const tool = (name, openWorldHint) => ({
    name,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true, openWorldHint },
  });
  server.tools = [tool('point', true), ...['note', 'report', 'leaflet'].map((name) => tool(name, false))];
  server.on('resources/read', (message) => {
    const { uri } = message.params;
    const markdown = uri.endsWith('index.md') ? '[next](../b/next.md)\\n' : 'read ' + uri;
    reads.push(uri);
    const content = uri.startsWith('docs:')
      ? { mimeType: 'text/markdown', text: markdown }
      : { mimeType: 'text/plain', text: 'read ' + reads.join(', ') };
    server.reply(message, { contents: [{ uri, ...content }] });
  });
  const text = (value) => ({ content: [{ type: 'text', text: value }] });
  const note = '# Note\\n\\nWater the **roses**.\\n';
  const blob = Buffer.concat([Buffer.from('%PDF-1.7\\n'), Buffer.alloc(3000, 'page ')]).toString('base64');
  const resource = { uri: 'archive:///leaflet.pdf', mimeType: 'application/pdf', blob };
  const answers = {
    point: () => ({ content: [{ type: 'resource_link', uri: 'garden://bench', name: 'bench' }] }),
    note: () => ({ ...text(note), structuredContent: { content: note } }),
    report: () => text('# Report\\n\\n- [here](./pages/a.md)\\n- [gone](pages/none.md)\\n- [out](../secret.md)\\n- [run](command:x)\\n'),
    leaflet: () => ({ content: [{ type: 'resource', resource }] }),
  };
  server.on('tools/call', (message) => server.reply(message, answers[message.params.name]()));
}`;

describe('What a call brought', function () {
  this.timeout(120_000);
  let page: Page;
  let workspace: Workspace;

  useWindow(
    {
      // The ways of documents; those of pages: answers.test.ts.
      settings: { 'toolgate.results.openPage': false },
      files: { 'pages/a.md': 'A page of this folder\n' },
      servers: () => ({
        demo: demoServer,
        library: { ...scriptedServer(library), cwd: '${workspaceFolder}' },
      }),
    },
    async (opened) => {
      ({ page, workspace } = opened);
      await openToolgate(page);
      await startAll(page, 2);
    },
  );
  afterEach(() => closeEditors(page));

  async function call(title: string, tab: string | RegExp): Promise<void> {
    await chooseTool(page, title);
    await pressDialog(page, 'Run');
    await waitForTab(page, tab);
  }
  const lens = (words: string | RegExp) =>
    page.locator('.codelens-decoration a', { hasText: words }).first();
  /** The first of these in the frame of a preview. */
  const inPreview = async (selector: string) => {
    const found = await eventually(
      async () => {
        const all = page.frames().map((frame) => frame.locator(selector).all());
        return (await Promise.all(all)).flat()[0];
      },
      (element) => element !== undefined,
    );
    return found ?? assert.fail();
  };
  const text = (isIt: (text: string) => boolean) => eventually(() => editorText(page), isIt);

  it('is shown by VS Code where it is a picture or sound, and its tab has a colour where it may be from beyond', async () => {
    await call('Show a flower', 'show_flower.png');
    await inPreview('.container.image img, img.scale-to-fit, body.image img');
    await call('Play a chime', 'play_chime.wav');
    const player = await inPreview('audio[controls]');
    await eventually(
      () => player.evaluate((audio) => Number(Reflect.get(audio, 'duration'))),
      // The player has read all of it, and can play it.
      (seconds) => seconds > 0.5,
    );
    const name = '.editor .tabs-container .tab.active .label-name';
    const color = async () =>
      String(await page.evaluate(`getComputedStyle(document.querySelector('${name}')).color`));
    // The dark and the light default of `toolgate.result.external`: an older VS Code may choose its theme.
    const external = ['rgb(177, 140, 242)', 'rgb(122, 62, 200)'];
    assert.ok(!external.includes(await color()));
    await call('point', 'point.mcpresult');
    await eventually(color, (each) => external.includes(each));
  });

  it('leads on: to its overview, to what it links to, to files of the folder after a question, and nowhere else', async () => {
    await call('note', 'note.mcpmd');
    await page.locator('.editor-actions a[aria-label^="Show Result Overview"]').click();
    await waitForTab(page, 'note.mcpresult');
    assert.match(
      await editorText(page),
      /^2\. 2-structured\.json \(structured content, \d+ bytes\)$/m,
    );

    await call('point', 'point.mcpresult');
    await lens('Read from server “library”').click();
    await waitForTab(page, /^bench\./);
    // Nothing was read before that press.
    await text((now) => now === 'read garden://bench');

    await call('report', 'report.mcpmd');
    assert.deepEqual(await links(), ['./pages/a.md']);
    await follow();
    const { message, detail } = await readDialog(page);
    assert.equal(message, 'Open this local file from the server?');
    assert.match(detail, /pages\/a\.md[^]*The file is in a folder that is open in this window\./);
    await pressDialog(page, 'Open File');
    await waitForTab(page, 'a.md');
    assert.equal(await editorText(page), 'A page of this folder\n');
    // Where the overview quotes them they are no links.
    await call('report', 'report.mcpmd');
    await runCommand(page, 'Toolgate: Show Result Overview');
    await waitForTab(page, /\.mcpresult$/);
    await page.locator('.view-line', { hasText: './pages/a.md' }).first().waitFor();
    assert.doesNotMatch((await links()).join(), /pages\//);
    // Those of a resource lead to the one beside it, which is read from its server.
    await runCommand(page, 'Toolgate: Open Resource…');
    await typeInto(page, 'Open Resource', 'docs://shelf/a/index.md');
    await pick(page, 'Read this URI from server “library”');
    await waitForTab(page, /index.*\.mcpmd$/);
    await follow();
    await waitForTab(page, /next.*\.mcpmd$/);
    await text((now) => now === 'read docs://shelf/b/next.md');
  });

  it('says on the way how far it is, and is cancelled from there', async () => {
    await chooseTool(page, 'Wait for the sunset');
    await typeAndAccept(page, '40');
    await pressDialog(page, 'Run');
    await eventually(
      () => notifications(page),
      (all) => all.some((told) => told.endsWith('The sun has gone down 10 %')),
    );
    await pressNotification(page, 'Cancel');
    await waitForStatus(page, 'The call of “wait_for_sunset” was cancelled.');
    assert.deepEqual(await tabs(page), []);
    // The server is as it was.
    await call('List notes', /^list_notes\./);
  });

  it('is saved byte for byte, over another file only after a question', async () => {
    const file = path.join(workspace.folder, 'old.pdf');
    writeFileSync(file, 'old');
    await call('leaflet', 'leaflet.mcpresult');
    await lens('Save As…').click();
    const box = page.locator('.quick-input-widget:visible .quick-input-box input');
    await eventually(
      () => box.inputValue(),
      (value) => value.endsWith('.pdf'),
    );
    await box.fill(file);
    await box.press('Enter');
    await eventually(
      () => readQuickInput(page),
      ({ title }) => title.includes('already exists'),
    );
    assert.equal(readFileSync(file, 'utf8'), 'old');
    await page.keyboard.press('Enter');
    const sent = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(3000, 'page ')]);
    await eventually(
      () => hashOf(readFileSync(file)),
      (hash) => hash === hashOf(sent),
    );
  });

  // Still the other kind where the key of the last press was let go over a dialog.
  const drawnLinks = () => page.locator('.view-line :is(.detected-link, .detected-link-active)');
  const links = () =>
    eventually(
      () => drawnLinks().allTextContents(),
      (all) => all.length > 0,
    );
  /** It may be drawn anew in the moment of the press, which then was none. */
  const follow = () =>
    eventually(
      () =>
        drawnLinks()
          .first()
          .click({ modifiers: ['ControlOrMeta'], force: true })
          .then(
            () => true,
            () => false,
          ),
      (isPressed) => isPressed,
    );
});

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
