import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { editorText, tabs, waitForTab } from './editors';
import { notifications } from './notifications';
import {
  pick,
  pressQuickButton,
  readQuickInput,
  runCommand,
  typeAndAccept,
  typeAndAcceptAtOnce,
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
  reloadWindow,
  startAll,
  waitForInput,
  waitForServer,
} from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { everythingServer, scriptedServer } from './workspace';
import { type Handler, HttpServer, sendJson } from '../servers/httpServer';

/** Of 2026-07-28: a pond that changes, beds of several contents, a template. */
const garden = `(server) => {
  server.speakStateless();
  server.capabilities = {
    tools: {}, completions: {}, resources: { listChanged: true, subscribe: true },
  };
  let depth = 1;
  const src = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  server.tools = ['dig', 'point'].map((name) =>
    ({ name, icons: [{ src }], inputSchema: { type: 'object' } }));
  server.on('tools/call', (message) => {
    if (message.params.name === 'point') {
      const uris = ['COMMAND:workbench.action.closeWindow', 'file:///etc/hostname'];
      const content = uris.map((uri) => ({ type: 'resource_link', uri, name: 'n' }));
      return server.reply(message, { content });
    }
    depth += 1;
    for (const id of server.listening)
      server.tell(id, 'notifications/resources/updated', { uri: 'garden://pond' });
    server.text(message, 'dug');
  });
  server.on('resources/list', (message) =>
    server.reply(message, {
      resources: [
        { uri: 'garden://pond', name: 'pond', title: 'Pond', mimeType: 'text/plain', size: 2048 },
        { uri: 'garden://beds', name: 'beds', description: 'All of them' },
      ],
    }));
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
    const contents =
      uri === 'garden://pond'
        ? [{ uri, mimeType: 'text/plain', text: 'depth ' + depth }]
        : uri === 'garden://beds'
          ? ['roses', 'beans'].map((text) =>
              ({ uri: uri + '/' + text, mimeType: 'text/plain', text }))
          : [{ uri, mimeType: 'text/plain', text: 'read ' + uri }];
    server.reply(message, { contents });
  });
}`;

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Over HTTP: its tool has an icon that stands on it. */
const greenhouse: Handler = ({ path, message, headers }, response) => {
  const { id, method } = message;
  if (path === '/leaf.png') {
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(png, 'base64'));
  } else if (id === undefined) {
    response.writeHead(method === undefined ? 405 : 202).end();
  } else if (method === 'initialize') {
    const serverInfo = { name: 'greenhouse', version: '1' };
    const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
    sendJson(response, { jsonrpc: '2.0', id, result });
  } else if (method === 'tools/list') {
    const icons = [{ src: `http://${headers.host}/leaf.png` }];
    const water = { name: 'water', icons, inputSchema: { type: 'object' } };
    sendJson(response, { jsonrpc: '2.0', id, result: { tools: [water] } });
  } else {
    sendJson(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
  }
};

describe('Resources', function () {
  this.timeout(120_000);
  let page: Page;
  let http: HttpServer;

  before(async () => {
    http = await HttpServer.start(greenhouse);
  });
  after(() => http.stop());
  useWindow(
    {
      settings: { 'toolgate.icons.fetch': true },
      servers: () => ({
        garden: scriptedServer(garden),
        everything: everythingServer,
        greenhouse: { url: http.url, headers: { authorization: 'Bearer of-a-person' } },
      }),
    },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      await startAll(page, 3);
    },
  );
  afterEach(() => closeEditors(page));

  const text = (wanted: string) =>
    eventually(
      () => editorText(page),
      (now) => now === wanted,
    );
  const typeUri = (uri: string) =>
    page.locator('.quick-input-widget .quick-input-box input').fill(uri);
  const status = (words: string) =>
    page.locator('.statusbar .statusbar-item', { hasText: words }).first();

  it('are a closed branch below their server, and listed when it is opened', async () => {
    const branch = treeLines(await readTree(page, 4))[3];
    assert.equal(branch, '  ▸ Resources');
    await expandRow(page, 'Resources');
    const lines = [
      '  ▾ Resources  3',
      '      One bed…  garden://beds/{bed}{?month}',
      '      Pond  text/plain · 2.0 KiB',
      '      beds',
    ];
    // Rows that come while the tree is read move those below.
    await eventually(
      async () => treeLines(await readTree(page, 7)).slice(3, 7),
      (now) => isDeepStrictEqual(now, lines),
    );
  });

  it('open in the editor, follow the server, and say when it is gone', async () => {
    await (await showRow(page, 'Pond')).click();
    await waitForTab(page, /^pond/);
    await text('depth 1');
    await status('Live').waitFor();
    // What the tool brings would take the place of a tab that is only looked at.
    await runCommand(page, 'View: Keep Editor');
    await chooseTool(page, 'dig');
    await pressDialog(page, 'Run');
    await waitForTab(page, /^dig/);
    await page.locator('.tab[data-resource-name^="pond"]').click();
    await text('depth 2');
    await pressRowAction(page, 'garden', 'Stop Server');
    await status('Server Not Running').waitFor();
    assert.equal(await editorText(page), 'depth 2');
    await status('Server Not Running').click();
    await waitForServer(page, 'garden', /2 tools/);
    await status('Live').waitFor();
    // Another run, which begins anew.
    await text('depth 1');
  });

  it('open as a folder with an index where several contents come', async () => {
    await expandRow(page, 'Resources');
    await eventually(
      async () => {
        // Rows move while the branch of the new run is being listed.
        await (await showRow(page, 'beds')).click();
        return tabs(page);
      },
      (all) => all.length > 0,
    );
    await waitForTab(page, /mcpresult$/);
    const index = await editorText(page);
    assert.match(index, /^Resource: garden:\/\/beds$/m);
    assert.match(index, /roses[^]*beans/);
  });

  it('open from a template, variable by variable, with what the server proposes', async () => {
    await (await showRow(page, 'One bed…')).click();
    const bed = await waitForInput(page, 'One bed');
    assert.match(bed.placeholder, /^bed \(required\)/);
    assert.deepEqual(
      bed.items.map(({ label, description }) => [label, description]),
      [
        ['north', 'garden://beds/north'],
        ['south', 'garden://beds/south'],
      ],
    );
    await typeAndAccept(page, 'west & east');
    const month = await eventually(
      () => waitForInput(page, 'One bed'),
      ({ items }) => items.some(({ label }) => label === 'west & east May'),
    );
    assert.match(month.placeholder, /^month \(optional/);
    await page.keyboard.press('Enter');
    await waitForTab(page, /./);
    await text('read garden://beds/west%20%26%20east');
  });

  it('go back from the first variable to the templates, where one was picked from the palette', async () => {
    await runCommand(page, 'Toolgate: Open Resource from Template…');
    await waitForInput(page, 'Open Resource from Template');
    await pick(page, 'One bed');
    await waitForInput(page, 'One bed');
    await pressQuickButton(page, 'Back');
    await waitForInput(page, 'Open Resource from Template');
    await page.keyboard.press('Escape');
  });

  for (const [when, enter] of [
    ['', typeAndAccept],
    [', also where Enter comes before the row of it', typeAndAcceptAtOnce],
  ] as const) {
    it(`open by a URI that no server lists${when}`, async () => {
      await runCommand(page, 'Toolgate: Open Resource…');
      await waitForInput(page, 'Open Resource');
      await enter(page, 'garden://shed');
      await waitForTab(page, /^shed/);
      await text('read garden://shed');
    });
  }

  it('open with the value that was typed, also where Enter comes before the row of it', async () => {
    await (await showRow(page, 'One bed…')).click();
    await waitForInput(page, 'One bed');
    await typeAndAcceptAtOnce(page, 'sou');
    await eventually(
      () => readQuickInput(page),
      ({ placeholder }) => placeholder.startsWith('month'),
    );
    await typeAndAccept(page, '');
    await waitForTab(page, /./);
    await text('read garden://beds/sou');
  });

  it('of server-everything follow its updates, in the stateful era', async () => {
    await runCommand(page, 'Toolgate: Open Resource…');
    await waitForInput(page, 'Open Resource');
    await typeUri('demo://resource/dynamic/text/1');
    const label = 'Read this URI from server “everything”';
    await eventually(
      () => readQuickInput(page),
      ({ items }) => items.some((item) => item.label === label),
    );
    await pick(page, label);
    await waitForTab(page, /^1/);
    const first = await editorText(page);
    assert.match(first, /^Resource 1: This is a plaintext resource created at /);
    await status('Live').waitFor();
    await runCommand(page, 'View: Keep Editor');
    await chooseTool(page, 'Toggle Subscriber Updates');
    await pressDialog(page, 'Run');
    await waitForTab(page, /^toggle/);
    await page.locator('.tab[data-resource-name^="1"]').click();
    await eventually(
      () => editorText(page),
      (now) => now !== first && now.startsWith('Resource 1: '),
    );
  });

  it('are refused where a link would do something else, and files of the machine need a yes', async () => {
    await chooseTool(page, 'point');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'point.mcpresult');
    const lens = (number: number) =>
      page.locator('.codelens-decoration a', { hasText: 'Read from server “garden”' }).nth(number);
    await lens(0).click();
    const said = await eventually(
      () => notifications(page),
      (all) => all.length > 0,
    );
    assert.match(
      said.join('\n'),
      /“COMMAND:workbench.action.closeWindow” was not opened: such links/,
    );
    await page.locator('.codelens-decoration a', { hasText: 'Open Local File…' }).click();
    const { message, detail } = await readDialog(page);
    assert.equal(message, 'Open this local file, which the server named?');
    assert.match(detail, /^Path: \/etc\/hostname\n+Warning: it is outside of the folders/);
    await dismissDialog(page);
    await waitForTab(page, 'point.mcpresult');
  });

  for (const [tool, where] of [
    ['water', 'that had to be fetched from it'],
    ['dig', 'that came along with the list'],
  ] as const) {
    it(`and tools keep their sign of the risk; the icon ${where} is in the tooltip`, async () => {
      const row = await showRow(page, tool);
      await row.locator('.label-name').hover();
      const tooltip = page.locator('.workbench-hover', { hasText: `Name: ${tool}` });
      const picture = tooltip.locator('img');
      await picture.first().waitFor();
      const width = await eventually(
        () => picture.first().evaluate((image) => Reflect.get(image, 'naturalWidth')),
        (pixels) => pixels === 1,
      );
      assert.equal(width, 1);
      assert.match(await row.innerHTML(), /codicon-warning/);
    });
  }

  it('and the fetched icon was asked for once, without the headers for its server', () => {
    const asked = http.received.filter(({ path }) => path === '/leaf.png');
    assert.deepEqual(
      asked.map(({ httpMethod, headers }) => [httpMethod, headers.authorization]),
      [['GET', undefined]],
    );
    const [, ...calls] = http.received.map(({ headers }) => headers.authorization);
    assert.ok(calls.includes('Bearer of-a-person'));
  });

  it('copy their URI from the menu of the row', async () => {
    await chooseFromRowMenu(page, 'Pond', 'Copy Resource URI');
    await eventually(
      async () => String(await page.evaluate('navigator.clipboard.readText()')),
      (copied) => copied === 'garden://pond',
    );
  });

  it('come back with the window: their tabs say what to do, and are read when the server runs', async () => {
    for (const name of ['pond', 'shed']) {
      await runCommand(page, 'Toolgate: Open Resource…');
      await waitForInput(page, 'Open Resource');
      await typeAndAccept(page, `garden://${name}`);
      await waitForTab(page, new RegExp(`^${name}`));
      await runCommand(page, 'View: Keep Editor');
    }
    await reloadWindow(page);
    await status('Server Not Running').waitFor();
    const words = await editorText(page);
    assert.match(words, /^Not read again since the window was opened\./);
    assert.match(words, /^Server: garden\nResource: garden:\/\/shed$/m);
    await page.locator('.codelens-decoration a', { hasText: 'Start Server “garden”' }).click();

    await text('read garden://shed');
    await status('Live').waitFor();
    // Its tab is behind the other: VS Code asks for the file when it is looked at.
    await page.locator('.tab[data-resource-name^="pond"]').click();
    await text('depth 1');
    await status('Live').waitFor();
  });
});
