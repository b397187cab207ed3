import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { pressDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import {
  pick,
  pressQuickButton,
  readQuickInput,
  runCommand,
  typeAndAccept,
  typeAndAcceptAtOnce,
  typeInto,
} from './quickInput';
import {
  chooseFromRowMenu,
  expandRow,
  pressRowAction,
  readTree,
  showRow,
  treeLines,
} from './sideBar';
import {
  chooseTool,
  closeEditors,
  openToolgate,
  startAll,
  waitForInput,
  waitForServer,
} from './toolgate';
import { eventually, retryMs } from '../waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

/** Of 2026-07-28: a pond that changes, and a template. Its tool has a picture. */
const garden = `(server) => {
  server.speakStateless();
  server.capabilities = {
    tools: {}, completions: {}, resources: { listChanged: true, subscribe: true },
  };
  let depth = 1;
  const src = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  server.tools = [{ name: 'dig', icons: [{ src }], inputSchema: { type: 'object' } }];
  server.on('tools/call', (message) => {
    depth += 1;
    for (const id of server.listening)
      server.notify(id, 'notifications/resources/updated', { uri: 'garden://pond' });
    server.text(message, 'dug');
  });
  const pond = { uri: 'garden://pond', name: 'pond', title: 'Pond', mimeType: 'text/plain', size: 2048 };
  server.on('resources/list', (message) => server.reply(message, { resources: [pond] }));
  server.on('resources/templates/list', (message) =>
    server.reply(message, {
      resourceTemplates: [{ uriTemplate: 'garden://beds/{bed}{?month}', name: 'One bed' }],
    }));
  server.on('completion/complete', (message) => {
    const { argument, context } = message.params;
    const values = argument.name === 'bed' ? ['north', 'south'] : [context.arguments.bed + ' May'];
    server.reply(message, { completion: { values } });
  });
  server.on('resources/read', (message) => {
    const { uri } = message.params;
    const text = uri === 'garden://pond' ? 'depth ' + depth : 'read ' + uri;
    server.reply(message, { contents: [{ uri, mimeType: 'text/plain', text }] });
  });
}`;

describe('Resources', function () {
  this.timeout(120_000);
  let page: Page;

  useWindow({ servers: () => ({ garden: scriptedServer(garden) }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });
  afterEach(() => closeEditors(page));

  const text = (wanted: string) =>
    eventually(
      () => editorText(page),
      (now) => now === wanted,
    );
  const status = (words: string) =>
    page.locator('.statusbar .statusbar-item', { hasText: words }).first();
  /** VS Code asks for a file behind another tab when it is looked at. */
  const showPond = () => page.locator('.tab[data-resource-name^="pond"]').click();

  it('are listed when their branch is expanded, follow the server in the editor, and say when they are deleted', async () => {
    assert.equal(treeLines(await readTree(page)).at(-1), '  ▸ Resources');
    await expandRow(page, 'Resources');
    const lines = [
      '  ▾ Resources  2',
      '      One bed…  garden://beds/{bed}{?month}',
      '      Pond  text/plain · 2.0 KiB',
    ];
    // Rows that come while the tree is read move those below.
    await eventually(
      async () => treeLines(await readTree(page)).slice(-3),
      (now) => isDeepStrictEqual(now, lines),
    );
    await chooseFromRowMenu(page, 'Pond', 'Copy Resource URI');
    await eventually(
      async () => String(await page.evaluate('navigator.clipboard.readText()')),
      (copied) => copied === 'garden://pond',
    );
    const row = await showRow(page, 'dig');
    assert.match(await row.innerHTML(), /codicon-warning/);
    const picture = page
      .locator('.workbench-hover', { hasText: 'Name: dig' })
      .locator('img')
      .first();
    await eventually(
      async () => {
        // A row that is drawn anew takes its hover along.
        await page.mouse.move(800, 400);
        await row.locator('.label-name').hover();
        const width = picture.evaluate((image) => Reflect.get(image, 'naturalWidth'), undefined, {
          timeout: retryMs,
        });
        return width.catch(() => 0);
      },
      (pixels) => pixels === 1,
    );
    // Else it would be in front of the rows below.
    await page.mouse.move(800, 400);

    await (await showRow(page, 'Pond')).click();
    await waitForTab(page, /^pond/);
    await text('depth 1');
    await status('Live').waitFor();
    // What the tool brings would take the place of a tab that is only looked at.
    await runCommand(page, 'View: Keep Editor');
    await chooseTool(page, 'dig');
    await pressDialog(page, 'Run');
    await waitForTab(page, /^dig/);
    await showPond();
    await text('depth 2');
    await pressRowAction(page, 'garden', 'Stop Server');
    await status('Server Not Running').waitFor();
    assert.equal(await editorText(page), 'depth 2');
    await status('Server Not Running').click();
    await waitForServer(page, 'garden', /1 tool/);
    // Another run, which begins anew.
    await text('depth 1');
  });

  it('open from a template, variable by variable, with the completions of the server or a typed value', async () => {
    await runCommand(page, 'Toolgate: Open Resource from Template…');
    await waitForInput(page, 'Open Resource from Template');
    await pick(page, 'One bed');
    await waitForInput(page, 'One bed');
    await pressQuickButton(page, 'Back');
    await waitForInput(page, 'Open Resource from Template');
    await pick(page, 'One bed');
    const bed = await eventually(
      () => waitForInput(page, 'One bed'),
      ({ items }) => items.length === 2,
    );
    assert.equal(bed.placeholder, 'bed');
    assert.deepEqual(
      bed.items.map(({ label, description }) => [label, description]),
      [
        ['north', 'garden://beds/north'],
        ['south', 'garden://beds/south'],
      ],
    );
    // Enter comes before the row of what is typed.
    await typeAndAcceptAtOnce(page, 'west & e');
    const month = await eventually(
      () => waitForInput(page, 'One bed'),
      ({ items }) => items.some(({ label }) => label === 'west & e May'),
    );
    assert.match(month.placeholder, /^month \(optional/);
    await page.keyboard.press('Enter');
    await waitForTab(page, /./);
    await text('read garden://beds/west%20%26%20e');
  });

  it('open by a URI that no server lists', async () => {
    const found = async (typed: string) => {
      await typeInto(page, 'Open Resource', typed);
      return eventually(
        async () => (await readQuickInput(page, 'Open Resource')).items.map(({ label }) => label),
        ([label]) => label?.startsWith('Nothing') === true,
      );
    };
    await runCommand(page, 'Toolgate: Open Resource…');
    assert.deepEqual(await found('no such thing'), ['Nothing matches “no such thing”']);
    await page.keyboard.press('Escape');
    for (const [uri, enter] of [
      ['garden://pond', typeAndAccept],
      // Enter comes before the row of it.
      ['garden://shed', typeAndAcceptAtOnce],
    ] as const) {
      await runCommand(page, 'Toolgate: Open Resource…');
      await waitForInput(page, 'Open Resource');
      await enter(page, uri);
      await waitForTab(page, new RegExp(`^${uri.slice(9)}`));
      await runCommand(page, 'View: Keep Editor');
    }
    await text('read garden://shed');
    await status('Live').waitFor();
    await showPond();
    await text('depth 1');
    await status('Live').waitFor();
  });
});
