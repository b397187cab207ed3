import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog } from './dialog';
import { editorText, tabs, waitForTab } from './editors';
import { notifications, pressNotification } from './notifications';
import { runCommand, typeAndAccept } from './quickInput';
import { chooseTool, closeEditors, openToolgate, startAll, waitForStatus } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { demoServer, scriptedServer } from './workspace';

/** Writes down what is read of it, and never before it is asked. */
const linking = `(server) => {
  const reads = [];
  server.tools = [
    { name: 'point', inputSchema: { type: 'object' } },
    { name: 'reads', inputSchema: { type: 'object' } },
    { name: 'note', inputSchema: { type: 'object' }, annotations: { openWorldHint: false } },
    { name: 'paper', inputSchema: { type: 'object' } },
  ];
  server.on('resources/read', (message) => {
    reads.push(message.params.uri);
    const { uri } = message.params;
    server.reply(message, { contents: [{ uri, mimeType: 'text/plain', text: 'by the pond' }] });
  });
  server.on('tools/call', (message) => {
    if (message.params.name === 'reads') return server.text(message, 'read: ' + reads.join(', '));
    if (message.params.name === 'note') {
      const text = '# Note\\n\\nWater the **roses**.\\n';
      const content = [{ type: 'text', text }];
      return server.reply(message, { content, structuredContent: { content: text } });
    }
    if (message.params.name === 'paper') {
      const blob = Buffer.from('%PDF-1.7\\n').toString('base64');
      const resource = { uri: 'garden://plans/paper', mimeType: 'application/pdf', blob };
      return server.reply(message, { content: [{ type: 'resource', resource }] });
    }
    const content = [{ type: 'resource_link', uri: 'garden://bench', name: 'bench' }];
    server.reply(message, { content });
  });
}`;

describe('What a call brought', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow(
    { servers: () => ({ demo: demoServer, linking: scriptedServer(linking) }) },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      await startAll(page, 2);
    },
  );
  afterEach(() => closeEditors(page));

  async function call(title: string): Promise<void> {
    await chooseTool(page, title);
    await pressDialog(page, 'Run');
  }
  const lens = (words: string) =>
    page.locator('.codelens-decoration a', { hasText: words }).first();
  /** In the frame of the image preview or the audio player. */
  const inPreview = (selector: string) =>
    eventually(
      async () => {
        const counts = page.frames().map((frame) => frame.locator(selector).count());
        return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
      },
      (count) => count > 0,
    );

  it('opens an image in the image preview', async () => {
    await call('Show a flower');
    await waitForTab(page, 'show_flower.png');
    await inPreview('.container.image img, img.scale-to-fit, body.image img');
  });

  it('opens sound in the audio player', async () => {
    await call('Play a chime');
    await waitForTab(page, 'play_chime.wav');
    await inPreview('audio[controls]');
    const players = () => page.frames().map((frame) => frame.locator('audio[controls]').all());
    await eventually(
      async () => {
        const [player] = (await Promise.all(players())).flat();
        return (
          (await player?.evaluate((audio) => ('duration' in audio ? Number(audio.duration) : 0))) ??
          0
        );
      },
      // The player has read all of it, and can play it.
      (seconds) => seconds > 0.5,
    );
  });

  it('says of a PDF that came embedded that nothing shows it, and saves it as the file that it is', async () => {
    await call('paper');
    await waitForTab(page, 'paper.mcpresult');
    assert.match(
      await editorText(page),
      /^1\. paper\.pdf \(resource, application\/pdf, 9 bytes\)\n.*\n {4}Neither text nor a picture, sound or video that VS Code shows\.$/m,
    );
    await lens('Save As…').waitFor();
    assert.equal(await page.locator('.codelens-decoration a', { hasText: /^Open/ }).count(), 0);
  });

  it('marks by its colour the tab of what may be from beyond its server', async () => {
    const name = '.editor .tabs-container .tab.active .label-name';
    const color = async () =>
      String(await page.evaluate(`getComputedStyle(document.querySelector('${name}')).color`));
    // As the theme of the window has it: an older VS Code may choose another than it is told.
    const external = String(
      await page.evaluate(`(() => {
        const sample = document.createElement('span');
        sample.style.color = 'var(--vscode-toolgate-result-external)';
        document.querySelector('.monaco-workbench').append(sample);
        const { color } = getComputedStyle(sample);
        sample.remove();
        return color;
      })()`),
    );
    // The dark and the light default of `toolgate.result.external`.
    assert.ok(['rgb(177, 140, 242)', 'rgb(122, 62, 200)'].includes(external), external);
    await call('point');
    await waitForTab(page, 'point.mcpresult');
    await eventually(color, (each) => each === external);
    await call('note');
    await waitForTab(page, 'note.mcpmd');
    await eventually(color, (each) => each !== external);
  });

  it('opens the text that structured content only repeats, the rest one press away', async () => {
    await call('note');
    await waitForTab(page, 'note.mcpmd');
    assert.equal(await editorText(page), '# Note\n\nWater the **roses**.\n');
    await page.locator('.editor-actions a[aria-label^="Show Result Overview"]').click();
    await waitForTab(page, 'note.mcpresult');
    assert.match(
      await editorText(page),
      /^2\. 2-structured\.json \(structured content, \d+ bytes\)$/m,
    );
  });

  it('reads a resource link only when the person opens it', async () => {
    await call('point');
    await waitForTab(page, 'point.mcpresult');
    assert.match(await editorText(page), /^1\. garden:\/\/bench \(link to a resource\)$/m);
    const overview = await tabs(page);
    await call('reads');
    await waitForTab(page, 'reads.mcptxt');
    assert.equal(await editorText(page), 'read: ');
    assert.equal(overview.length, 1);
    await call('point');
    await waitForTab(page, 'point.mcpresult');
    await lens('Read from server “linking”').click();
    await waitForTab(page, /^bench\./);
    assert.equal(await editorText(page), 'by the pond');
    await call('reads');
    await waitForTab(page, 'reads.mcptxt');
    assert.equal(await editorText(page), 'read: garden://bench');
  });

  it('says at the top and in Problems where structured content breaks its schema', async () => {
    await call('Measure the garden badly');
    await waitForTab(page, 'measure_badly.mcpresult');
    assert.deepEqual((await editorText(page)).split('\n').slice(0, 4), [
      '⚠ The structured content does not fit the output schema of the tool:',
      '  /mood: the property "mood" is not allowed here',
      '  /areaM2: must be number',
      '  /beds/0: must have the property "lengthM"',
    ]);
    await lens('Open').click();
    await waitForTab(page, 'measure_badly.mcpjson');
    await runCommand(page, 'Problems: Focus on Problems View');
    const rows = page.locator('.markers-panel .monaco-list-row');
    const said = await eventually(
      () => rows.allInnerTexts(),
      (all) => all.length === 4,
    );
    assert.match(said.join('\n'), /The output schema of the tool says: \/areaM2: must be number/);
    await runCommand(page, 'View: Hide Panel');
  });

  it('shows an error of the tool as an error that can be read', async () => {
    await chooseTool(page, 'Dig for treasure');
    await typeAndAccept(page, '7');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'error-dig_for_treasure.mcpresult');
    const text = await editorText(page);
    assert.match(text, /^✗ The tool reported an error\.\n/);
    assert.match(text, /│ Nothing but stones, 7 m down\./);
  });

  it('shows the progress of a slow call, and cancels it from there', async () => {
    await chooseTool(page, 'Wait for the sunset');
    await typeAndAccept(page, '40');
    await pressDialog(page, 'Run');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.endsWith('The sun has gone down 10 %')),
      20_000,
    );
    await pressNotification(page, 'Cancel');
    await waitForStatus(page, 'The call of “wait_for_sunset” was cancelled.');
    assert.deepEqual(await tabs(page), []);
    // The server is as it was.
    await call('List notes');
    await waitForTab(page, /^list_notes\./);
  });
});
