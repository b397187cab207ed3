import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog, type Dialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { pressNotification } from './notifications';
import {
  pick,
  pressQuickButton,
  readQuickInput,
  typeAndAccept,
  type QuickInput,
} from './quickInput';
import {
  chooseTool,
  closeEditors,
  openToolgate,
  startAll,
  waitForPage,
  waitForQuestion,
} from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { everythingServer } from './workspace';

const title = 'Server “everything” asks you';

describe('A question of a server', function () {
  this.timeout(90_000);
  let page: Page;

  useWindow({ servers: () => ({ everything: everythingServer }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });
  afterEach(() => closeEditors(page));

  const inputWhere = (isIt: (input: QuickInput) => boolean) =>
    eventually(() => readQuickInput(page), isIt);
  const introduction = () => inputWhere((input) => input.title === title);
  /** The question for one field. */
  const step = (number: number, count = 13) =>
    inputWhere((input) => input.title === `${title} (${number}/${count})`);
  const next = () => page.keyboard.press('Enter');

  async function callTrigger(): Promise<QuickInput> {
    await chooseTool(page, 'Trigger Elicitation Request Tool');
    await pressDialog(page, 'Run');
    return introduction();
  }

  /** What the tool says it was told. */
  async function toldResult(): Promise<string> {
    await waitForTab(page, 'trigger-elicitation-request.mcpresult');
    return editorText(page);
  }

  it('says who asks, why and what for, and can be declined', async () => {
    const input = await callTrigger();
    assert.match(input.message, /It says: “Please provide inputs for the following fields:”/);
    assert.deepEqual(
      input.items.map(({ label }) => label),
      ['Answer…', 'Decline'],
    );
    assert.match(input.message, /” It asks for: String, Boolean \(optional\), .* and 1 more\.$/);
    await pick(page, 'Decline');
    assert.match(await toldResult(), /"action": "decline"/);
  });

  it('is cancelled, not declined, by Escape', async () => {
    await callTrigger();
    await page.keyboard.press('Escape');
    assert.match(await toldResult(), /"action": "cancel"/);
  });

  it('is answered by keyboard alone: fields, review, a change, send', async () => {
    await callTrigger();
    await next(); // Answer…
    const first = await step(1);
    assert.match(first.message, /^String: Your full, legal name/);
    await next();
    assert.ok((await inputWhere(({ isInvalid }) => isInvalid)).message.includes('requires this'));
    await page.keyboard.type('Ann');
    await next();
    await step(2);
    await pick(page, 'Yes');
    assert.equal((await step(3)).value, 'It was a dark and stormy night.');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete'); // A default that is cleared is not sent.
    await next();
    await step(4);
    await page.keyboard.type('ann@');
    await next();
    await inputWhere(({ isInvalid }) => isInvalid);
    await page.keyboard.type('example.org');
    await next();
    for (let number = 5; number <= 13; number += 1) {
      await step(number);
      await next();
    }
    const review = await introduction();
    assert.equal(review.message, 'Exactly this is sent.');
    const rows = new Map(review.items.map(({ label, description }) => [label, description]));
    assert.equal(rows.get('String with default'), '(left out)');
    await pick(page, 'String');
    await inputWhere(({ message }) => message.startsWith('String: '));
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Bob');
    await next();
    await introduction();
    await pick(page, 'Send to “everything”');
    const json = /Raw result: (\{[^]*?\n\s*│ \}|\{.*\})/.exec(await toldResult())?.[1];
    const told: unknown = JSON.parse((json ?? '').replaceAll(/^\s*│ /gm, ''));
    assert.deepEqual(told, {
      action: 'accept',
      content: {
        name: 'Bob',
        check: true,
        email: 'ann@example.org',
        integer: 42,
        number: 3.14,
        untitledSingleSelectEnum: 'Monica',
        untitledMultipleSelectEnum: ['Guitar'],
        titledSingleSelectEnum: 'hero-1',
        titledMultipleSelectEnum: ['fish-1'],
        legacyTitledEnum: 'pet-1',
      },
    });
  });

  it('can be left at every field: back to the question, or declined', async () => {
    await callTrigger();
    await next();
    await step(1);
    await pressQuickButton(page, 'Back');
    await introduction();
    await next();
    await step(1);
    await pressQuickButton(page, 'Decline');
    assert.match(await toldResult(), /"action": "decline"/);
  });

  /** From the last time, so that nobody is asked for it. */
  let isAddressKnown = false;

  /** Calls the tool that asks for this page; the dialog that it makes. */
  async function callForPage(url: string, errorPath = false): Promise<Dialog> {
    const tool = 'Trigger URL Elicitation Tool (everything)';
    await chooseTool(page, 'Trigger URL Elicitation Tool');
    if (isAddressKnown) {
      await waitForPage(page, tool);
      await pick(page, 'url');
    }
    await waitForQuestion(page, tool, 'url');
    isAddressKnown = true;
    await typeAndAccept(page, url);
    await waitForPage(page, tool);
    if (errorPath) {
      await pick(page, 'errorPath');
      await waitForQuestion(page, tool, 'errorPath');
      await pick(page, 'true');
      await waitForPage(page, tool);
    }
    await next(); // Run.
    await pressDialog(page, 'Run');
    return pageDialog();
  }

  const pageDialog = () =>
    eventually(
      () => readDialog(page),
      ({ message }) => message === 'Open the web page that server “everything” asks for?',
    );

  async function toldOfPage(): Promise<string> {
    await waitForTab(page, 'trigger-url-elicitation.mcpresult');
    return editorText(page);
  }

  it('for a page shows the whole address, and opens nothing when it is declined', async () => {
    const { detail, buttons } = await callForPage('https://example.org/a?next=%2Fb%26c');
    assert.match(
      detail,
      /^Host: example\.org\nAddress: https:\/\/example\.org\/a\?next=%2Fb%26c$/m,
    );
    assert.deepEqual(buttons.toSorted(), ['Cancel', 'Decline', 'Open in Browser']);
    await pressDialog(page, 'Decline');
    assert.match(await toldOfPage(), /"action": "decline"/);
    assert.equal(page.context().pages().length, 1);
  });

  it('for a page opens exactly the address that was shown, after the press', async () => {
    const url = 'https://example.org/a?next=%2Fb%26c&d=e+f';
    const fetched: string[] = [];
    await page.context().route('https://example.org/**', (route) => {
      fetched.push(route.request().url());
      return route.fulfill({ body: 'hello' });
    });
    await callForPage(url);
    assert.deepEqual(fetched, []);
    const opening = page.context().waitForEvent('page');
    await pressDialog(page, 'Open in Browser');
    await pressDialog(page, 'Open'); // VS Code's own question about hosts that nobody trusted yet.
    const opened = await opening;
    assert.match(await toldOfPage(), /"action": "accept"/);
    await opened.close();
    assert.deepEqual(fetched, [url]);
  });

  it('for a page that has to be visited first lets the call be made again', async () => {
    const { detail } = await callForPage('https://example.org/b', true);
    assert.match(detail, /^Host: modelcontextprotocol\.io$/m);
    await pressDialog(page, 'Decline');
    await pressNotification(page, 'Run Again');
    await pressDialog(page, 'Run');
    assert.match((await pageDialog()).detail, /^Address: https:\/\/example\.org\/b$/m);
    await pressDialog(page, 'Decline');
    assert.match(await toldOfPage(), /"action": "decline"/);
  });
});
