import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { answerFrame, pageButton, waitForAnswer } from './answerFrame';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { editorText, showTab, tabs, waitForTab } from './editors';
import {
  acceptQuickInput,
  dismissQuickInput,
  peekQuickInput,
  readQuickInput,
  runCommand,
  waitForQuickInputFocus,
} from './quickInput';
import { showRow } from './sideBar';
import { chooseTool, closeEditors, openToolgate, reloadWindow, startAll } from './toolgate';
import { eventually } from '../waiting';
import { useWindow } from './window';
import { demoServer, scriptedServer } from './workspace';

/** Answers of several kinds, honest ones and others. */
const painter = (canary: string) => `(server) => {
  const text = (value) => ({ type: 'text', text: value });
  const image = (data, mimeType = 'image/png') => ({ type: 'image', data, mimeType });
  const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==';
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>fetch("${canary}/svg")</script></svg>').toString('base64');
  const markdown = '# Beds\\n\\nWater the **roses**, see [the plan](https://example.org/plan).\\n\\n- one\\n- two\\n';
  const hostile = '# Bad\\n\\n<script>fetch("${canary}/script")</script>\\n\\n<img src="${canary}/img" onerror="fetch(1)">\\n\\n' +
    '![p](${canary}/p.png) [run](javascript:alert(1)) [quit](command:workbench.action.quit) [other](vscode://x/y)\\n\\nturned \\u202Eback\\n';
  const answers = {
    paint: { content: [text('Two pictures, taken at noon.'), image(dot), image(dot), text(markdown),
      { type: 'resource_link', uri: 'garden://bench', name: 'bench' }] },
    refuse: { isError: true, content: [text('Bed 7 was not found.\\nTake another one.')] },
    report: { content: [text(markdown)] },
    attack: { content: [text(hostile), image(svg), image(svg, 'image/svg+xml'), image(dot, 'text/html'),
      text('"><script>alert(1)</script> ${canary}/text'), { type: 'widget', html: '<b>x</b>' }], structuredContent: { html: '<img src=${canary}/json>' } },
    many: { content: Array.from({ length: 400 }, (_, index) => text('part ' + (index + 1) + '\\n')) },
    rows: { content: [], structuredContent: { total: 3, plants: [
      { id: 10, name: 'Rose', address: { city: 'Ulm' } }, { id: 9, name: 'Oak', tags: ['a', 'b'] }, { id: 1, name: 'Fern' }] } },
    endless: { content: [], structuredContent: Array.from({ length: 100_000 }, (_, id) => ({ id, name: 'plant ' + id, at: { x: id % 7 } })) },
    draw: { content: [text('drawn')] },
    loud: { content: [text('A sound'), image(dot.slice(0, 40))] },
  };
  const annotations = { readOnlyHint: true, openWorldHint: false };
  server.tools = Object.keys(answers).map((name) => ({ name, inputSchema: { type: 'object' }, annotations }));
  Object.assign(server.tools.find(({ name }) => name === 'draw'), { description: hostile, inputSchema: { type: 'object',
    properties: { to: { type: 'string', maxLength: 9, description: '<b>Where</b> of https://example.org/towns' } } } });
  server.on('resources/read', (message) =>
    server.reply(message, { contents: [{ uri: message.params.uri, mimeType: 'text/plain', text: 'oak' }] }));
  server.on('tools/call', (message) => server.reply(message, answers[message.params.name]));
}`;

describe('The page of an answer', function () {
  this.timeout(180_000);
  let page: Page;
  let visits = 0;
  let canary: Server;

  before(async () => {
    canary = createServer((_, answer) => answer.end('{}'));
    canary.on('connection', () => (visits += 1));
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  });
  after(() => canary.close());

  useWindow(
    {
      servers: () => {
        const { port } = canary.address() as AddressInfo;
        return { painter: scriptedServer(painter(`http://127.0.0.1:${port}`)), demo: demoServer };
      },
    },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      await startAll(page, 2);
    },
  );
  afterEach(async () => {
    await closeEditors(page);
    assert.equal(visits, 0);
  });

  async function call(tool: string): Promise<void> {
    await chooseTool(page, tool);
    await pressDialog(page, 'Run');
    await waitForTab(page, new RegExp(`^(?:error-)?${tool}\\.mcpresult$`));
  }
  const press = async (label: string | RegExp) => (await pageButton(page, label)).click();

  it('shows text, images, Markdown and links in place, and opens each as a document', async () => {
    await call('paint');
    const said = await waitForAnswer(page, /bench/);
    assert.match(
      said,
      /Two pictures, taken at noon\.[^]*Beds[^]*Water the roses[^]*garden:\/\/bench/,
    );
    const frame = await answerFrame(page);
    assert.equal(await frame.locator('h3', { hasText: 'Beds' }).count(), 1);
    // Players are dark like the theme.
    assert.equal(await frame.evaluate('getComputedStyle(document.body).colorScheme'), 'dark');
    // In a column of 200 pixels, the buttons scroll away with the result.
    const size = page.viewportSize() ?? assert.fail();
    const barPosition = () =>
      frame.evaluate("getComputedStyle(document.querySelector('header.bar')).position");
    await page.setViewportSize({ ...size, width: 560 });
    await eventually(barPosition, (position) => position === 'static');
    await page.setViewportSize(size);
    await eventually(barPosition, (position) => position === 'sticky');
    await eventually(
      () =>
        frame
          .locator('.picture img')
          .evaluateAll((all) => all.map((each) => Number(Reflect.get(each, 'naturalWidth')))),
      (widths) => widths.join() === '2,2',
    );
    assert.equal(await frame.locator('figcaption').first().innerText(), '2 × 2');

    await frame.getByRole('link', { name: 'the plan' }).click();
    const { detail } = await readDialog(page);
    assert.match(detail, /Host: example\.org/);
    await dismissDialog(page);
    await frame.locator('.picture').first().click();
    await waitForTab(page, '2-image.png');
    // From a part to the page of all, and from there to the same as text.
    await runCommand(page, 'Toolgate: Show Result Overview');
    await waitForAnswer(page, /bench/);
    await runCommand(page, 'Toolgate: Show Result Overview');
    await eventually(
      () => editorText(page),
      (text) => /^2\. 2-image\.png \(image, image\/png, /m.test(text),
    );
    await closeEditors(page);

    await call('paint');
    await waitForAnswer(page, /bench/);
    await press('Open: bench');
    await waitForTab(page, /^bench\./);
    assert.equal(await editorText(page), 'oak');
  });

  it('shows the server’s error message first, and the buttons of the call on top', async () => {
    await call('refuse');
    const said = await waitForAnswer(page, /Bed 7 was not found\./);
    assert.match(
      said,
      /^refuse\nRun Again\nEdit Arguments…\nSave…\nCompare…\nExpect This Result\nShow as Text\n/,
    );
    // Beside the mark, the lines begin at the same place.
    const lefts = await (
      await answerFrame(page)
    ).evaluate(`(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('.error > .text'));
      return [...range.getClientRects()].filter(({ width }) => width > 1).map(({ left }) => left);
    })()`);
    assert.ok(Array.isArray(lefts) && lefts.length > 1);
    assert.equal(new Set(lefts).size, 1, lefts.join());
    await press('Run Again');
    const { message } = await readDialog(page);
    assert.match(message, /^Run “refuse”/);
    await dismissDialog(page);
    await press('Show as Text');
    await eventually(
      () => editorText(page),
      (text) => text.startsWith('✗ The tool reported an error.'),
    );
  });

  it('draws many parts as they are scrolled into view, and only the visible rows of 100,000', async () => {
    await call('many');
    const frame = await answerFrame(page);
    // Only what is in sight has a text, and each scroll may draw more below it.
    await eventually(
      async () => {
        await frame.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
        return frame.locator('main').innerText();
      },
      (text) => /part 400/.test(text),
    );
    assert.equal(await frame.locator('section.block').count(), 400);
    await closeEditors(page);

    await call('endless');
    await waitForAnswer(page, /100,000 of 100,000 rows/);
    const grid = await answerFrame(page);
    const rows = grid.locator('.grid-body > .grid-row');
    assert.ok((await rows.count()) < 100);
    await grid.getByRole('grid').press('Control+End');
    await rows.filter({ hasText: 'plant 99999' }).waitFor();
    assert.ok((await rows.count()) < 100);
    await grid.getByRole('searchbox').fill('plant 54321');
    await waitForAnswer(page, /1 of 100,000 rows/);
  });

  it('shows a list of rows as a grid with sorting, filtering, keyboard navigation and copying, and filters its JSON, naming a mistake and its place', async () => {
    await call('rows');
    const said = await waitForAnswer(page, /3 of 3 rows/);
    assert.match(said, /total: 3/);
    const frame = await answerFrame(page);
    const column = (place: number) =>
      frame
        .locator(`.grid-body > .grid-row > .cell:nth-child(${place})`)
        .allInnerTexts()
        .then((all) => all.join());
    const heads = await frame.getByRole('columnheader').allInnerTexts();
    assert.deepEqual(heads, ['id', 'name', 'address.city', 'tags']);
    assert.equal(await column(4), ',a, b,');
    await frame.getByRole('columnheader', { name: 'id' }).getByRole('button').click();
    await eventually(
      () => column(1),
      (ids) => ids === '1,9,10',
    );
    await frame.getByRole('grid').press('ArrowDown');
    await frame.getByRole('grid').press('ArrowRight');
    assert.equal(await frame.locator('.grid-cell').innerText(), 'name: Oak');
    await frame.getByRole('searchbox').fill('nothing like it');
    await waitForAnswer(page, /0 of 3 rows/);
    assert.equal(await frame.locator('.grid-cell').innerText(), '');
    await frame.getByRole('searchbox').fill('rose ulm');
    await waitForAnswer(page, /1 of 3 rows/);
    await frame.getByRole('button', { name: 'Copy as CSV' }).click();
    await waitForAnswer(page, /Copied/);
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    assert.equal(copied, 'id,name,address.city,tags\r\n10,Rose,Ulm,\r\n');
    await press('Open: rows.json');
    await waitForTab(page, 'rows.mcpjson');
    await closeEditors(page);

    await call('rows');
    await waitForAnswer(page, /3 of 3 rows/);
    await press('Filter…: rows.json');
    await readQuickInput(page, 'Filter “rows.json”');
    await waitForQuickInputFocus(page);
    await page.keyboard.type('plants[?id > `9`]]');
    const mistake = await eventually(
      () => readQuickInput(page),
      ({ message }) => message.startsWith('Character'),
    );
    assert.match(mistake.message, /^Character 18: “\]” is not expected here: /);
    await page.keyboard.press('Backspace');
    await eventually(
      () => readQuickInput(page),
      ({ message }) => message.startsWith('Selects a list. Items: 1'),
    );
    await acceptQuickInput(page);
    await waitForTab(page, 'rows (filtered).mcpjson');
    await eventually(
      () => editorText(page),
      (text) => /"name": "Rose"/.test(text) && !/Oak/.test(text),
    );
    await runCommand(page, 'Toolgate: Filter JSON of Result…');
    assert.equal((await readQuickInput(page)).value, 'plants[?id > `9`]');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Backspace');
    await acceptQuickInput(page);
    await waitForTab(page, 'rows.mcpjson');
  });

  it('runs and loads nothing of a server, and sends nothing out, whatever the server returns', async () => {
    await call('attack');
    const said = await waitForAnswer(page, /<img src=/);
    assert.match(said, /<script>fetch\(/);
    assert.match(said, /turned \\u\{202E\}back/);
    assert.match(said, /\[run\]\(javascript:alert\(1\)\)/);
    const frame = await answerFrame(page);
    assert.equal(await frame.locator('main :is(script, iframe, object, embed, svg, a)').count(), 0);
    await eventually(
      () => frame.locator('.media .facts').allInnerTexts(),
      (all) => all.length === 1 && all[0] === '2 × 2',
    );
    // What a script in the page could try, if there were one.
    const { port } = canary.address() as AddressInfo;
    const tried = await frame.evaluate(`(async () => {
      const seen = [];
      document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
      await fetch('http://127.0.0.1:${port}/fetch').catch(() => seen.push('fetch failed'));
      const image = new Image();
      await new Promise((done) => { image.onerror = done; image.src = 'http://127.0.0.1:${port}/image'; });
      try { document.body.insertAdjacentHTML('beforeend', '<b>x</b>'); seen.push('HTML taken'); } catch { seen.push('HTML refused'); }
      try { eval('1'); seen.push('eval ran'); } catch { seen.push('eval refused'); }
      const script = document.createElement('script');
      try { script.text = 'window.ran = 1'; document.head.append(script); } catch { seen.push('script refused'); }
      await new Promise((done) => setTimeout(done));
      return { seen, ran: window.ran };
    })()`);
    const { seen, ran } = tried as { seen: string[]; ran: unknown };
    assert.equal(ran, undefined);
    for (const expected of [
      'connect-src',
      'fetch failed',
      'img-src',
      'HTML refused',
      'eval refused',
    ])
      assert.ok(seen.includes(expected), seen.join());
    assert.ok(!seen.includes('HTML taken') && !seen.includes('eval ran'));
    assert.equal((await tabs(page)).length, 1);
  });

  it('shows the definition of a tool the same way, with its call first, and as text', async () => {
    await (await showRow(page, 'draw')).click();
    await waitForTab(page, 'draw.definition.txt');
    const said = await waitForAnswer(page, /Input schema/);
    assert.match(
      said,
      /^draw\nCall Tool\nSet Risk…\nFor Agents…\nDisable Tool\nCopy Tool Name\nShow as Text\n/,
    );
    assert.match(
      said,
      /<script>fetch\([^]*turned \\u\{202E\}back[^]*<b>Where<\/b> of [^]*maxLength 9/,
    );
    const frame = await answerFrame(page);
    assert.equal(
      await frame.locator('main :is(script, iframe, object, embed, svg, a, img, b)').count(),
      0,
    );
    await frame.getByRole('link', { name: 'https://example.org/towns' }).click();
    assert.match((await readDialog(page)).detail, /Host: example\.org/);
    await dismissDialog(page);
    await press('Call Tool');
    await eventually(
      () => peekQuickInput(page),
      (input) => input?.title === 'draw (painter)',
    );
    await dismissQuickInput(page);
    // The page follows the tool.
    await press('Disable Tool');
    assert.match(await waitForAnswer(page, /You disabled this tool\./), /^draw\nEnable Tool\nCopy/);
    await eventually(
      () => frame.locator(':focus').allTextContents(),
      ([focused]) => focused === 'Enable Tool',
    );
    await press('Enable Tool');
    await waitForAnswer(page, /^draw\nCall Tool/);
    await press('Show as Text');
    await eventually(
      () => editorText(page),
      (text) => text.startsWith('draw\n====\nTool “draw” of server “painter”\n'),
    );
  });

  it('is restored at the same place after a reload, and so is that of a definition', async () => {
    await call('report');
    await waitForAnswer(page, /Water the roses/);
    const frame = await answerFrame(page);
    await frame.locator('details.summary > summary').click();
    await waitForAnswer(page, /Tool: report/);
    await runCommand(page, 'View: Keep Editor');
    await (await showRow(page, 'draw')).click();
    await waitForAnswer(page, /^draw\nCall Tool/);
    await runCommand(page, 'View: Keep Editor');
    await reloadWindow(page);
    await waitForAnswer(page, /^draw\nCall Tool[^]*Listed by its server on /);
    await showTab(page, 'report.mcpresult');
    assert.match(await waitForAnswer(page, /Water the roses/), /Tool: report/);
    await call('report');
  });
});
