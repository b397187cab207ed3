import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { waitForAnswer } from './answerFrame';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { waitForNotification } from './notifications';
import {
  acceptQuickInput,
  dismissQuickInput,
  openPaletteWith,
  peekQuickInput,
  pick,
  pressQuickButton,
  readQuickInput,
  runCommand,
  typeAndAccept,
  typeAndAcceptAtOnce,
  typeInto,
} from './quickInput';
import {
  callLines,
  callRows,
  chooseFromRowMenu,
  expandRow,
  pressRowAction,
  readTree,
  showRow,
  treeLines,
  treeRow,
  waitForFocusedRow,
} from './sideBar';
import {
  chooseTool,
  closeEditors,
  openToolgate,
  startAll,
  startOthers,
  waitForInput,
  waitForServer,
} from './toolgate';
import { eventually, patienceMs, retryMs } from '../waiting';
import { useWindow, type SuiteWindow } from './window';
import { everythingServer, scriptedServer, type Workspace } from './workspace';

/** Lists one tool less where `closed.txt` is there, and nothing as long as `slow.txt` is. */
const shop = ({ folder }: Workspace) =>
  scriptedServer(`(server) => {
    const { existsSync } = process.getBuiltinModule('node:fs');
    const [closed, slow] = ['closed', 'slow'].map((name) => ${JSON.stringify(folder)} + '/' + name + '.txt');
    server.on('tools/list', async (message) => {
      while (existsSync(slow)) await new Promise((resolve) => setTimeout(resolve, 50));
      server.reply(message, { tools: server.tools });
    });
    const schema = { type: 'object' };
    server.tools = [
      { name: 'look', inputSchema: schema, annotations: { readOnlyHint: true } },
      { name: 'buy', description: 'Buys one.', inputSchema: { ...schema, required: ['item'], properties: {
        count: { type: 'integer', default: 1 }, item: { type: 'string', description: 'What to buy' } } } },
    ].filter(({ name }) => name !== 'buy' || !existsSync(closed));
  }`);

/** Reports progress once and never answers but to `quick`; writes down what reaches it. */
const digger = ({ folder }: Workspace) => ({
  ...scriptedServer(`(server) => {
    const { appendFileSync } = process.getBuiltinModule('node:fs');
    const annotations = { readOnlyHint: true };
    const inputSchema = { type: 'object' };
    server.tools = ['dig', 'quick'].map((name) => ({ name, inputSchema, annotations }));
    const note = (line) => appendFileSync(process.env.NOTES, line + '\\n');
    server.on('notifications/cancelled', ({ params }) => note('cancelled ' + params.reason));
    server.on('tools/call', (message) => {
      const { name, _meta } = message.params;
      note('called ' + name);
      if (name === 'quick') return server.text(message, 'done');
      const { progressToken } = _meta;
      const params = { progressToken, progress: 3, total: 10, message: 'third bed' };
      server.send({ method: 'notifications/progress', params });
    });
  }`),
  env: { NOTES: `${folder}/notes.txt` },
});

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

/** A skill of two files, the first of which has a hidden character and changes with each list. */
const shelf = `(server) => {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const file = (uri, text) =>
    ({ uri, size: Buffer.byteLength(text), digest: 'sha256:' + createHash('sha256').update(text).digest('hex') });
  const form = 'skill://forms/references/FORMS.md';
  let version = 0;
  let text = '';
  server.capabilities = {
    tools: {}, resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} },
  };
  server.on('skills/list', (message) => {
    version += 1;
    const frontmatter = { name: 'forms', description: 'Fill in forms', metadata: { version } };
    text = '---\\nname: forms\\ndescription: Fill in forms\\nmetadata: {version: ' + version +
      '}\\n---\\n\\n# Forms\\n\\nFill in every\\u200b field.\\n';
    const uri = 'skill://forms/SKILL.md';
    const resources = [file(uri, text), file(form, 'All forms')];
    server.reply(message, { skills: [{ uri, frontmatter, resources }] });
  });
  server.on('resources/read', (message) => {
    const { uri } = message.params;
    const read = uri === form ? 'Evil form' : text;
    server.reply(message, { contents: [{ uri, mimeType: 'text/markdown', text: read }] });
  });
}`;

/** One server after the other, in the tree and in what opens from it. */
describe('Servers', function () {
  this.timeout(180_000);
  let opened: SuiteWindow;
  let page: Page;

  useWindow(
    {
      settings: { 'toolgate.calls.maxPerServer': 2 },
      servers: (own) => ({ digger: digger(own), shop: shop(own) }),
    },
    async (window) => {
      opened = window;
      ({ page } = window);
      await openToolgate(page);
      await startAll(page, 2);
    },
  );
  afterEach(() => closeEditors(page));

  describe('that do not respond', () => {
    const fileOf = (name: string) => path.join(opened.workspace.folder, `${name}.txt`);
    async function call(tool: string): Promise<void> {
      await chooseTool(page, tool);
      await pressDialog(page, 'Run');
    }
    /** Waits until the rows of the view, without times, are these. */
    const untilRows = (...expected: readonly string[]) =>
      eventually(
        () => callLines(page),
        (rows) => JSON.stringify(rows) === JSON.stringify(expected),
      );

    it('show their calls with progress, and their calls wait in the queue and are cancelled in the view', async () => {
      const digging = 'dig | _ · 3/10 · third bed · digger';
      await call('dig');
      await untilRows(digging);
      await call('dig');
      await call('quick');
      await untilRows(digging, digging, 'quick | queued · digger');
      const status = page.locator('.statusbar .statusbar-item[id*="toolgate.activity"]');
      await status.getByText('3 calls').waitFor();
      await waitForNotification(page, 'Calling “dig” on “digger”: third bed');
      const row = callRows(page).first();
      const cancel = row.locator('.action-label[aria-label^="Cancel Running Call…"]');
      await row.hover({ timeout: patienceMs });
      await cancel.click({ timeout: patienceMs });
      // The third has its place now, and its answer.
      const cancelled = 'dig | cancelled · server did not confirm · _ · digger';
      await waitForTab(page, /quick/);
      await untilRows(digging, 'quick | _ · digger', cancelled);
      await eventually(
        () =>
          existsSync(fileOf('notes')) ? readFileSync(fileOf('notes'), 'utf8').split('\n') : [],
        (all) => all.join() === 'called dig,called dig,cancelled Cancelled,called quick,',
      );
      await closeEditors(page);
      await callRows(page).nth(1).click();
      await waitForTab(page, /quick/);
      // A row that is drawn anew under the press does not take it.
      await eventually(
        async () => {
          await row.hover({ timeout: patienceMs });
          await cancel.click({ timeout: retryMs }).catch(() => undefined);
          await status.waitFor({ state: 'hidden', timeout: retryMs }).catch(() => undefined);
          return status.isVisible();
        },
        (isShown) => !isShown,
      );
    });

    async function stopShop(): Promise<void> {
      await pressRowAction(page, 'shop', 'Stop Server');
      await waitForServer(page, 'shop', /stopped/);
    }

    /** Leaves the focus in the tree. */
    async function pressEnterOnBuy(): Promise<void> {
      await (await showRow(page, 'buy')).click();
      await waitForFocusedRow(page, 'buy');
      await page.keyboard.press('Enter');
    }

    it('show the tools that they listed last, start when one of them is called, and hold the focus until Escape cancels the start', async () => {
      const untilListed = () =>
        eventually(
          async () => treeLines(await readTree(page)).slice(-3),
          (lines) =>
            lines.join('\n') ===
            [
              '▾ shop  stopped',
              '    look  read-only · last known',
              '    buy  destructive? · last known',
            ].join('\n'),
        );
      await treeRow(page, 'buy').waitFor();
      await stopShop();
      await untilListed();
      await chooseFromRowMenu(page, 'buy', 'Show Tool Definition');
      await waitForTab(page, 'buy.definition.txt');
      await waitForAnswer(
        page,
        /Listed by its server on .*\. Calling it starts the server first\./,
      );
      await waitForServer(page, 'shop', /stopped/);
      await closeEditors(page);
      await runCommand(page, 'Toolgate: Call Tool…');
      const { items } = await waitForInput(page, 'Call Tool');
      assert.ok(
        items.some(({ description }) => description === 'shop · not running · read-only'),
        JSON.stringify(items),
      );
      await pick(page, 'look');
      assert.equal((await readDialog(page)).message, 'Run “look” on “shop”?');
      await dismissDialog(page);
      await waitForServer(page, 'shop', /2 tools/);
      await closeEditors(page);

      await stopShop();
      await pressEnterOnBuy();
      await readQuickInput(page, 'buy (shop)');
      await waitForServer(page, 'shop', /2 tools/);
      // The row that had the focus is drawn anew. To read the whole tree would take the focus there.
      await eventually(
        async () => (await treeRow(page, 'buy').getAttribute('aria-label')) ?? '',
        (said) => said !== '' && !said.includes('last known'),
      );
      await page.keyboard.type('rope');
      await eventually(
        () => readQuickInput(page),
        ({ value }) => value === 'rope',
      );
      await dismissQuickInput(page);

      const starting = 'Starting server “shop”…';
      await stopShop();
      writeFileSync(fileOf('slow'), '');
      await pressEnterOnBuy();
      await readQuickInput(page, starting);
      await waitForServer(page, 'shop', /starting/);
      await dismissQuickInput(page);
      await waitForServer(page, 'shop', /stopped/);
      // Whatever takes its place does not call it off.
      await pressEnterOnBuy();
      await readQuickInput(page, starting);
      await openPaletteWith(page, 'Toolgate');
      await dismissQuickInput(page);
      assert.equal(await peekQuickInput(page), undefined);
      rmSync(fileOf('slow'));
      await readQuickInput(page, 'buy (shop)');
      await dismissQuickInput(page);

      await stopShop();
      writeFileSync(fileOf('closed'), '');
      await pressRowAction(page, 'buy', 'Call Tool…');
      await waitForNotification(page, '“buy” no longer exists: server “shop” does not list it');
    });
  });

  describe('with resources', () => {
    before(() => startOthers(opened, { garden: scriptedServer(garden) }));

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
      await eventually(
        async () => treeLines(await readTree(page)).at(-1),
        (last) => last === '  ▸ Resources',
      );
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

    it('open from a template, variable by variable with the completions of the server or a typed value, and by a URI that no server lists', async () => {
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
      await acceptQuickInput(page);
      await waitForTab(page, /./);
      await text('read garden://beds/west%20%26%20e');
      await closeEditors(page);

      const found = async (typed: string) => {
        await typeInto(page, 'Open Resource', typed);
        return eventually(
          async () => (await readQuickInput(page, 'Open Resource')).items.map(({ label }) => label),
          ([label]) => label?.startsWith('Nothing') === true,
        );
      };
      await runCommand(page, 'Toolgate: Open Resource…');
      assert.deepEqual(await found('no such thing'), ['Nothing matches “no such thing”']);
      await dismissQuickInput(page);
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

  describe('with prompts and skills', () => {
    before(() =>
      startOthers(opened, { everybody: everythingServer, shelf: scriptedServer(shelf) }),
    );

    const proposals = (placeholder: RegExp, count: number) =>
      eventually(
        () => waitForInput(page, 'Team Management (everybody)'),
        (input) => placeholder.test(input.placeholder) && input.items.length === count,
      );

    it('are listed, filled in with completions, opened and repeated by keyboard', async () => {
      await expandRow(page, 'Prompts');
      const row =
        '      Team Management…  First argument choice narrows values for second argument.';
      await eventually(
        async () => treeLines(await readTree(page)),
        (lines) => lines.includes(row) && lines.includes('  ▾ Prompts  4'),
      );
      await runCommand(page, 'Toolgate: Open Prompt…');
      await waitForInput(page, 'Open Prompt');
      await typeAndAccept(page, 'team');
      await proposals(/^department: Choose the department/, 4);
      await page.keyboard.type('Sa');
      await proposals(/^department/, 2);
      await page.keyboard.press('ArrowDown');
      await acceptQuickInput(page);
      const names = await proposals(/^name/, 3);
      assert.deepEqual(
        names.items.map(({ label }) => label),
        ['David', 'Eve', 'Frank'],
      );
      await acceptQuickInput(page);
      await waitForTab(page, /completable-prompt/);
      await runCommand(page, 'Toolgate: Repeat Last Call');
      await eventually(
        () => callLines(page),
        ([one, two]) => [one, two].every((line) => line?.includes('department: "Sales"')),
      );
    });

    it('show skills with what was verified, and mark one that changed', async () => {
      const has = (...wanted: string[]) =>
        eventually(
          async () => treeLines(await readTree(page)),
          (lines) => wanted.every((line) => lines.includes(line)),
        );
      await expandRow(page, 'Skills');
      await has('  ▾ Skills  1', '    ▸ forms  Fill in forms');
      await expandRow(page, 'forms');
      await (await showRow(page, 'references/FORMS.md')).click();
      await waitForTab(page, /mcpresult/);
      await (await showRow(page, 'forms')).click();
      await waitForTab(page, /SKILL/);
      await page.locator('.codelens-decoration', { hasText: 'frontmatter are as' }).waitFor();
      await runCommand(page, 'Toolgate: Refresh Skills');
      // A click opened it, and left its files in sight.
      await has('  ▾ Skills  1 · 1 changed', '    ▾ forms  changed · Fill in forms');
      await pressRowAction(page, 'forms', 'Show What Changed');
      await waitForTab(page, /SKILL\.md\.definition/);
      await chooseFromRowMenu(page, 'forms', 'Accept Tool Changes…');
      await has('  ▾ Skills  1', '    ▾ forms  Fill in forms');
    });
  });
});
