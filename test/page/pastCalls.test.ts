import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { openWindows } from '../vscode/window';
import { dismissDialog, pressDialog, readDialog, sentArguments } from './dialog';
import { editorText, replaceText, tabs, waitForTab } from './editors';
import {
  clearNotifications,
  notifications,
  pressNotification,
  waitForNotification,
} from './notifications';
import {
  acceptQuickInput,
  checkOnly,
  dismissQuickInput,
  pick,
  pressQuickButton,
  pressRowButton,
  readQuickInput,
  rowButtons,
  runCommand,
  typeAndAccept,
  typeInto,
} from './quickInput';
import { callLines, callRows, pressMenuEntry } from './sideBar';
import {
  chooseTool,
  closeEditors,
  openToolgate,
  reloadWindow,
  startAll,
  waitForInput,
  waitForQuestion,
  waitForStatus,
} from './toolgate';
import { eventually, patienceMs } from '../waiting';
import { useWindow } from './window';
import { demoServer, scriptedServer, type Workspace } from './workspace';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const artist = scriptedServer(`(server) => {
  const text = { type: 'string' };
  const tool = (name, properties) => ({
    name,
    annotations: { readOnlyHint: true, openWorldHint: false },
    inputSchema: { type: 'object', properties, required: Object.keys(properties) },
  });
  server.tools = [
    tool('say', { word: text }),
    tool('paint', {}),
    tool('sign', { user: text, password: { ...text, format: 'password' } }),
    tool('begin', {}),
    tool('note', { sessionId: text, line: text }),
    tool('wipe', {}),
  ];
  let count = 0;
  server.on('tools/call', (message) => {
    const { name, arguments: given } = message.params;
    const text = (text) => ({ type: 'text', text });
    if (name === 'paint') {
      return server.reply(message, { content: [{ type: 'image', data: '${png}', mimeType: 'image/png' }] });
    }
    if (name === 'begin') {
      const structuredContent = { session: { id: 's-4711', token: 'hunter2-hunter2' } };
      return server.reply(message, { content: [], structuredContent });
    }
    if (name !== 'say') return server.text(message, 'done');
    const structuredContent = { said: given.word, timestamp: 't' + (count += 1) };
    const content = [text('one ' + given.word), text('two ' + given.word)];
    server.reply(message, { content, structuredContent });
  });
}`);

const callFile = `{
  "server": "artist",
  "tool": "say",
  "arguments": { "word": "leaf" }
}
`;

/** After a reload VS Code in a browser sets up anew what previews are drawn in. */
const previewPatienceMs = 45_000;

/** Answers with links, with a text that stands twice and with a document. */
const library = `(server) => {
  const reads = [];
  const tool = (name, openWorldHint) => ({
    name,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true, openWorldHint },
  });
  server.tools = [tool('point', true), ...['letter', 'report', 'leaflet'].map((name) => tool(name, false))];
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
    letter: () => ({ ...text(note), structuredContent: { content: note } }),
    report: () => text('# Report\\n\\n- [here](./pages/a.md)\\n- [gone](pages/none.md)\\n- [out](../secret.md)\\n- [run](command:x)\\n'),
    leaflet: () => ({ content: [{ type: 'resource', resource }] }),
  };
  server.on('tools/call', (message) => server.reply(message, answers[message.params.name]()));
}`;

describe('In a window with documents,', function () {
  this.timeout(180_000);
  let page: Page;
  let workspace: Workspace;

  useWindow(
    {
      files: { 'say.mcpcall': callFile, 'pages/a.md': 'A page of this folder\n' },
      servers: () => ({
        artist,
        demo: demoServer,
        library: { ...scriptedServer(library), cwd: '${workspaceFolder}' },
      }),
      settings: {
        'toolgate.rules': [{ effect: 'deny', tool: 'wipe', reason: 'Not here' }],
        // The ways of documents; those of pages: answers.test.ts.
        'toolgate.results.openPage': false,
      },
    },
    async (opened) => {
      ({ page, workspace } = opened);
      await openToolgate(page);
      await startAll(page, 3);
    },
  );
  afterEach(() => closeEditors(page));

  describe('past calls', () => {
    const lens = (text: string) =>
      page.locator('.codelens-decoration a', { hasText: text }).first();
    const lineWith = (text: string) => page.locator('.view-line', { hasText: text }).first();
    const isAbout = async (given: object) =>
      assert.deepEqual(JSON.parse(sentArguments(await readDialog(page))), given);

    async function say(word: string): Promise<void> {
      await chooseTool(page, 'say');
      await waitForQuestion(page, 'say (artist)', 'word');
      await typeAndAccept(page, word);
      await pressDialog(page, 'Run');
      await waitForTab(page, 'say.mcpresult');
      await lineWith(`"${word}"`).waitFor();
    }

    it('are repeated, changed, saved and compared from the overview of their result', async () => {
      await say('leaf');
      await lens('Run Again').click();
      await isAbout({ word: 'leaf' });
      await dismissDialog(page);
      await lens('Edit Arguments').click();
      await eventually(
        () => readQuickInput(page),
        ({ value }) => value === 'leaf',
      );
      await typeAndAccept(page, 'blade');
      await pressDialog(page, 'Run');
      await lineWith('"blade"').waitFor();
      await lens('Save as Call File').click();
      await waitForTab(page, /\.mcpcall$/);
      assert.match(await editorText(page), /"word": "blade"/);
      await runCommand(page, 'View: Revert and Close Editor');

      await say('leaf');
      await lens('Compare with Past Call').click();
      const { items } = await eventually(
        () => readQuickInput(page),
        (input) => input.items.length > 1,
      );
      assert.deepEqual(
        items.map(({ label, detail }) => [label, detail]),
        [
          ['say', 'word: "blade"'],
          ['say', 'word: "leaf"'],
        ],
      );
      // The call before the last, which differs in its timestamp only.
      await page.keyboard.press('ArrowDown');
      await acceptQuickInput(page);
      const sides = page.locator('.monaco-diff-editor .view-lines');
      const untilShown = (said: RegExp) =>
        eventually(
          async () => (await sides.allInnerTexts()).join('\n').replaceAll('\u00a0', ' '),
          (text) => said.test(text),
        );
      await untilShown(/"timestamp": "t1"[^]*"timestamp": "t3"/);
      const ignore = '.editor-actions .action-label[aria-label^="Ignore Volatile Fields"]';
      await page.locator(ignore).click({ timeout: patienceMs });
      await untilShown(/"timestamp": "…"/);
    });

    /** Ctrl+Enter on the row of this tool. */
    async function runLast(tool: string): Promise<void> {
      await runCommand(page, 'Toolgate: Call Tool…');
      await waitForInput(page, 'Call Tool');
      await page.keyboard.type(tool);
      await eventually(
        () => readQuickInput(page, 'Call Tool'),
        ({ value, items }) => value === tool && items[0]?.label === tool,
      );
      await page.keyboard.press('ControlOrMeta+Enter');
    }

    it('fill in the arguments of the next calls, without secrets, and offer values of their answers', async () => {
      await runLast('say');
      await isAbout({ word: 'leaf' });
      await dismissDialog(page);
      await runCommand(page, 'Toolgate: Call Tool…');
      await waitForInput(page, 'Call Tool');
      assert.deepEqual(await rowButtons(page, 'note'), []);
      await pressRowButton(page, 'say', 'Run with Last Arguments');
      await isAbout({ word: 'leaf' });
      await dismissDialog(page);

      await chooseTool(page, 'sign');
      for (const text of ['ann', 'hunter2-hunter2']) await typeAndAccept(page, text);
      await pressDialog(page, 'Run');
      await waitForTab(page, 'sign.mcptxt');
      await runLast('sign');
      assert.equal((await waitForQuestion(page, 'sign (artist)', 'password')).value, '');
      await dismissQuickInput(page);

      await chooseTool(page, 'begin');
      await pressDialog(page, 'Run');
      await waitForTab(page, 'begin.mcpjson');
      await runLast('note');
      await waitForQuestion(page, 'note (artist) (1/2)', 'sessionId');
      await pressQuickButton(page, 'Use a Value from a Result');
      const { items } = await readQuickInput(page, 'Use a Value from a Result…');
      assert.equal(items.length, 1);
      assert.match(items[0]?.description ?? '', /^from “begin”, \d+ s ago$/);
      await pick(page, 's-4711');
      await eventually(
        () => readQuickInput(page),
        ({ value, title }) => value === 's-4711' && title === 'note (artist) (1/2)',
      );
      await dismissQuickInput(page);
    });

    it('open their results beside the call file and beside the document of arguments', async () => {
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
      await pressQuickButton(page, 'Enter as JSON');
      await waitForTab(page, /arguments/);
      await replaceText(page, '{ "word": "stem" }');
      await page.keyboard.press('ControlOrMeta+Enter');
      await pressDialog(page, 'Run');
      await waitForTab(page, 'say.mcpresult');
      assert.equal(await groups(), 2);
    });

    const untilRows = (...first: readonly string[]) =>
      eventually(
        () => callLines(page),
        (all) => first.every((row, index) => all[index] === row),
      );
    /** The row gets the focus from the keyboard, and is not selected. */
    async function focusRow(row: number): Promise<void> {
      await runCommand(page, 'Toolgate: Focus on Calls View');
      const focused = () =>
        callRows(page).evaluateAll((rows) => {
          const found = rows.find(({ classList }) => classList.contains('focused'));
          // The view may be scrolled, so the first row that is drawn need not be the first one.
          return Number(found?.getAttribute('data-index') ?? -1);
        });
      // A row that is drawn anew takes the focus along, so each key is followed by a look.
      await eventually(
        async () => {
          const at = await focused();
          if (at === row) return at;
          await page.keyboard.press(at < 0 ? 'Home' : at < row ? 'ArrowDown' : 'ArrowUp');
          return focused();
        },
        (at) => at === row,
      );
    }

    it('are restored after a reload with their results, repeated, removed by a key, and cleared', async () => {
      await say('root');
      await chooseTool(page, 'paint');
      await pressDialog(page, 'Cancel');
      await chooseTool(page, 'paint');
      await pressDialog(page, 'Run');
      await waitForTab(page, 'paint.png');
      const known = ['paint | _ · artist', 'paint | not called · artist'];
      const before = await untilRows(...known, 'say | word: "root" · _ · artist');
      await reloadWindow(page);
      assert.deepEqual(await untilRows(...before), before);
      await waitForTab(page, 'paint.png');
      await eventually(
        async () => {
          const counts = page.frames().map((frame) => frame.locator('img').count());
          return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
        },
        (count) => count > 0,
        previewPatienceMs,
      );
      await closeEditors(page);
      await callRows(page).nth(2).click();
      await lineWith('"root"').waitFor();
      // The focus stays on the row.
      await callRows(page).nth(2).and(page.locator('.focused')).waitFor();
      await page.keyboard.press('F2');
      await eventually(
        () => readQuickInput(page),
        ({ value, title }) => value === 'root' && title.startsWith('say'),
      );
      await dismissQuickInput(page);
      // What is still being loaded in an editor takes the focus, and the menu with it.
      await closeEditors(page);
      await callRows(page).nth(2).click({ button: 'right', timeout: patienceMs });
      await pressMenuEntry(page, 'Run Again');
      // Its server starts by itself: the person agreed to that before the reload.
      await isAbout({ word: 'root' });
      await pressDialog(page, 'Run');
      await untilRows('say | word: "root" · _ · artist', ...known);
      await closeEditors(page);
      await focusRow(0);
      await page.keyboard.press('F2');
      await eventually(
        () => readQuickInput(page),
        ({ value, title }) => value === 'root' && title.startsWith('say'),
      );
      await typeAndAccept(page, 'bark');
      await pressDialog(page, 'Run');
      const again = ['say | word: "bark" · _ · artist', 'say | word: "root" · _ · artist'];
      await untilRows(...again, ...known);
      await closeEditors(page);
      await focusRow(2);
      await page.keyboard.press('Delete');
      await focusRow(0);
      await untilRows(...again, 'paint | not called · artist');
      await runCommand(page, 'Toolgate: Clear History');
      await dismissDialog(page);
      await untilRows(...again);
      await runCommand(page, 'Toolgate: Clear History');
      await pressDialog(page, 'Clear History');
      await page.getByText('Running and past tool calls appear here').waitFor();
    });

    /** The files of the journal, as they lie on the disk. */
    function journalFiles(): string[] {
      const folder = [...openWindows].at(-1)?.server.userFolder ?? '';
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter(
          (name) => name.endsWith('.jsonl') && path.basename(path.dirname(name)) === 'journal',
        )
        .map((name) => path.join(folder, name));
    }

    /** What stands behind the time of each line about a tool that was not called. */
    async function notCalled(isEnough: (lines: readonly string[]) => boolean): Promise<string[]> {
      await waitForTab(page, 'Audit Journal.mcptable');
      return eventually(async () => {
        const lines = (await editorText(page)).match(/(?<=^\d{4}-.{14} {2})artist .*⊘.*/gm) ?? [];
        return lines.map((line) => line.replaceAll(/ {2,}/g, ' | '));
      }, isEnough);
    }

    it('are in the audit journal, which is filtered, and verifies until a byte changes', async () => {
      await chooseTool(page, 'wipe');
      await runCommand(page, 'Toolgate: Show Audit Journal');
      const denied = 'artist | wipe | none | denied | rule 1 | ⊘ not called';
      const all = await notCalled(([first]) => first === denied);
      assert.equal(all[1], 'artist | paint | none | asked: no | no rule | ⊘ not called');
      await page
        .locator('.editor-actions .action-label[aria-label^="Filter Audit Journal"]')
        .click();
      await checkOnly(page, 'denied by a rule');
      await acceptQuickInput(page);
      assert.deepEqual(await notCalled(({ length }) => length === 1), [denied]);
      await lens('Clear Filter').click();
      await notCalled(({ length }) => length === all.length);

      await clearNotifications(page);
      await runCommand(page, 'Toolgate: Verify Audit Journal');
      await waitForNotification(page, 'The audit journal is intact. ');
      await clearNotifications(page);
      const file = journalFiles().find((each) => readFileSync(each, 'utf8').includes('"wipe"'));
      assert.ok(file !== undefined);
      writeFileSync(file, readFileSync(file, 'utf8').replace('"deny"', '"dena"'));
      await runCommand(page, 'Toolgate: Show Audit Journal');
      await waitForTab(page, 'Audit Journal.mcptable');
      await lens('Verify').click();
      await waitForTab(page, 'Verification.txt');
      await lineWith('The audit journal has been changed in 1 place.').waitFor();
    });
  });

  describe('the answer of a call', () => {
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

    it('is shown by VS Code if it is an image or audio, and its tab is colored if it may come from outside systems', async () => {
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

    it('links to its overview, to resources, and to files of the folder after a question, and nowhere else', async () => {
      await call('letter', 'letter.mcpmd');
      await page.locator('.editor-actions a[aria-label^="Show Result Overview"]').click();
      await waitForTab(page, 'letter.mcpresult');
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

    it('has a progress notification while the call runs, which cancels it', async () => {
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

    it('is saved byte for byte, and overwrites a file only after a question', async () => {
      const file = path.join(workspace.folder, 'old.pdf');
      writeFileSync(file, 'old');
      await call('leaflet', 'leaflet.mcpresult');
      await lens('Save As…').click();
      await eventually(
        () => readQuickInput(page),
        ({ value }) => value.endsWith('.pdf'),
      );
      await typeAndAccept(page, file);
      await eventually(
        () => readQuickInput(page),
        ({ title }) => title.includes('already exists'),
      );
      assert.equal(readFileSync(file, 'utf8'), 'old');
      await acceptQuickInput(page);
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
});

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
