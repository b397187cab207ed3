import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { editorText, replaceText, tabs, waitForTab } from './editors';
import { readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { callRows } from './sideBar';
import { chooseTool, closeEditors, openToolgate, startAll } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const answering = `(server) => {
  const word = { type: 'string' };
  const given = { type: 'object', properties: { word }, required: ['word'] };
  const readOnly = { readOnlyHint: true, openWorldHint: false };
  server.tools = [
    { name: 'say', inputSchema: given, annotations: readOnly },
    { name: 'paint', inputSchema: { type: 'object', properties: {} }, annotations: readOnly },
  ];
  server.on('tools/call', (message) => {
    const { name, arguments: given } = message.params;
    const text = (text) => ({ type: 'text', text });
    const image = { type: 'image', data: '${png}', mimeType: 'image/png' };
    const content = name === 'say'
      ? [text('one ' + given.word), text('two ' + given.word)]
      : [text('A picture of the garden'), image];
    server.reply(message, { content });
  });
}`;

const call = `{
  "server": "artist",
  "tool": "say",
  "arguments": { "word": "leaf" }
}
`;

describe('After a run', function () {
  this.timeout(90_000);
  let page: Page;

  useWindow(
    { files: { 'say.mcpcall': call }, servers: () => ({ artist: scriptedServer(answering) }) },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      await startAll(page, 1);
    },
  );
  afterEach(() => closeEditors(page));

  const lens = (text: string) => page.locator('.codelens-decoration a', { hasText: text }).first();

  async function say(word: string): Promise<void> {
    await chooseTool(page, 'say');
    await typeAndAccept(page, word);
    await pressDialog(page, 'Run');
    await waitForTab(page, 'say.mcpresult');
  }

  it('the overview has the arguments, and above them what can be done with the call', async () => {
    await say('leaf');
    assert.match(await editorText(page), /^Arguments: \{"word":"leaf"\}$/m);
    await lens('Run Again').waitFor();
    await lens('Run Again').click();
    assert.match((await readDialog(page)).detail, /"word": "leaf"/);
    await dismissDialog(page);
    await lens('Edit Arguments').click();
    await eventually(
      () => readQuickInput(page),
      ({ value }) => value === 'leaf',
    );
    await typeAndAccept(page, 'blade');
    await pressDialog(page, 'Run');
    await page.locator('.view-line', { hasText: '"blade"' }).first().waitFor();
    await lens('Save as Call File').click();
    await waitForTab(page, /\.mcpcall$/);
    assert.match(await editorText(page), /"word": "blade"/);
    await runCommand(page, 'View: Revert and Close Editor');
  });

  it('the list to compare with tells calls apart by their arguments', async () => {
    await say('root');
    await lens('Compare with Past Call').click();
    const { items } = await eventually(
      () => readQuickInput(page),
      (input) => input.items.length > 1,
    );
    assert.deepEqual(
      items.slice(0, 2).map(({ detail }) => detail),
      ['word: blade', 'word: leaf'],
    );
    await page.keyboard.press('Escape');
  });

  it('rows have time and server before all else, and the arguments in short', async () => {
    const row = callRows(page).first();
    assert.match(
      (await row.innerText()).replaceAll(/\s+/g, ' '),
      /^\d\d:\d\d artist · say ?word: root · /,
    );
    const sash = page.locator('.monaco-sash.vertical:visible').first();
    const box = await sash.boundingBox();
    assert.ok(box !== null);
    const at = (x: number) => page.mouse.move(x, box.y + 300);
    await at(box.x + box.width / 2);
    await page.mouse.down();
    await at(250);
    await page.mouse.up();
    // What is not in sight is cut off by the view.
    const name = await row.locator('.label-name').boundingBox();
    const clip = await row.boundingBox();
    assert.ok(name !== null && clip !== null);
    assert.ok(name.x >= clip.x && name.x < clip.x + 60);
  });

  it('one picture with a few words about it opens as itself', async () => {
    await chooseTool(page, 'paint');
    await pressDialog(page, 'Run');
    await waitForTab(page, /\.png$/);
    await runCommand(page, 'Toolgate: Show Result Overview');
    await waitForTab(page, 'paint.mcpresult');
    assert.match(await editorText(page), /A picture of the garden/);
  });

  it('results stand beside the call file, and beside arguments in a document', async () => {
    const groups = () => page.locator('.editor-group-container').count();
    await runCommand(page, 'Toolgate: Open Call File…');
    await waitForTab(page, 'say.mcpcall');
    await lens('Run').click();
    await pressDialog(page, 'Run');
    await waitForTab(page, 'say.mcpresult');
    assert.equal(await groups(), 2);
    assert.deepEqual((await tabs(page)).map(({ label }) => label).toSorted(), [
      'say.mcpcall',
      'say.mcpresult',
    ]);
    await closeEditors(page);
    await chooseTool(page, 'say');
    await page.locator('.quick-input-widget .action-label[aria-label^="Enter as JSON"]').click();
    await waitForTab(page, /arguments/);
    await replaceText(page, '{ "word": "stem" }');
    await page.keyboard.press('ControlOrMeta+Enter');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'say.mcpresult');
    assert.equal(await groups(), 2);
  });
});
