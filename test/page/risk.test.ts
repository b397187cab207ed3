import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { untilReady } from '../vscode/window';
import { dismissDialog, readDialog, questionNotes } from './dialog';
import { focusedRow, pick, pressQuickButton, runCommand } from './quickInput';
import { chooseFromRowMenu, pressRowAction, readTree, treeRow, type TreeRow } from './sideBar';
import {
  approveServers,
  openToolgate,
  startAll,
  waitForInput,
  waitForServer,
  waitForStatus,
} from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import type { Workspace } from './workspace';

describe('The risk that a person sets', function () {
  this.timeout(120_000);
  let page: Page;
  let workspace: Workspace;

  useWindow(
    {
      servers: (own) => ({ steered: own.steered('steered') }),
      viewport: { width: 1280, height: 1000 }, // Every row fits.
    },
    async (opened) => {
      ({ page, workspace } = opened);
      await openToolgate(page);
      await startAll(page, 1);
    },
  );

  /** As soon as there is one that says this; there is none while the server starts. */
  const waitForRow = async (label: string, description: string): Promise<TreeRow> => {
    const row = await eventually(
      async () => (await readTree(page)).find((each) => each.label === label),
      (now) => now?.description === description,
    );
    return row ?? assert.fail(label);
  };
  const step = (tool: string, number: number) =>
    waitForInput(page, `Set Risk of “${tool}” on “steered” (${number}/3)`);
  const setRisk = async (tool: string, ...answers: readonly string[]): Promise<void> => {
    for (const [index, answer] of answers.entries()) {
      await step(tool, index + 1);
      await pick(page, answer);
    }
  };
  const restart = async (...args: readonly string[]): Promise<void> => {
    const server = workspace.steered('steered');
    workspace.configure({ steered: { ...server, args: [...(server.args ?? []), ...args] } });
    await waitForServer(page, 'steered', /stopped$/);
    await pressRowAction(page, 'steered', 'Start Server');
  };
  const running = /^Server steered: 9 tools/;
  const unset = 'never, destructive, assumed';
  const set = 'Only reads (set by you); reaches no outside systems (set by you).';

  it('changes icon and words of the row', async () => {
    const before = await waitForRow('never', 'destructive?');
    assert.deepEqual([before.icon, before.ariaLabel], ['warning', unset]);
    await chooseFromRowMenu(page, 'never', 'Set Risk…');
    const { items } = await step('never', 1);
    assert.deepEqual(
      items.map(({ label, detail }) => `${label} | ${detail}`),
      [
        'I have checked: read-only | It changes nothing.',
        'I have checked: adds only | It adds only; it never deletes or overwrites.',
        'I have checked: destructive | It may delete or overwrite.',
      ],
    );
    await setRisk('never', 'I have checked: adds only', 'As the server says');
    await step('never', 3);
    await pressQuickButton(page, 'Back');
    await step('never', 2);
    assert.equal(await focusedRow(page), 'As the server says');
    await pressQuickButton(page, 'Back');
    await step('never', 1);
    assert.equal(await focusedRow(page), 'I have checked: adds only');
    await setRisk(
      'never',
      'I have checked: read-only',
      'I have checked: reaches no outside systems',
      'This workspace',
    );
    await waitForStatus(page, 'Risk of “never” now: read-only (set by you)');
    const { icon, ariaLabel } = await waitForRow('never', 'read-only (set by you)');
    assert.deepEqual([icon, ariaLabel], ['eye', 'never, read-only, set by you']);
  });

  it('stands in the tooltip, hint by hint', async () => {
    await treeRow(page, 'never').locator('.label-name').hover();
    const hover = page.locator('.workbench-hover');
    const text = await eventually(
      async () => ((await hover.count()) > 0 ? hover.first().innerText() : ''),
      (said) => said.includes('never'),
    );
    assert.ok(text.includes(set), text);
    assert.match(text, /You have set this risk\. “Set Risk…” takes it back\./);
    assert.match(text, /readOnlyHint: yes \(set by you\)/);
    assert.match(text, /openWorldHint: no \(set by you\)/);
    await page.mouse.move(900, 500);
  });

  it('stands in the question, which is still asked', async () => {
    await pressRowAction(page, 'never', 'Call Tool…');
    const [risk] = questionNotes(await readDialog(page));
    assert.equal(risk, 'Risk: read-only (set by you); reaches no outside systems');
    await dismissDialog(page);
    await waitForStatus(page, '“never” was not called.');
  });

  it('can be set from the palette, and make a tool riskier than its server says', async () => {
    await runCommand(page, 'Toolgate: Set Risk…');
    const { items } = await waitForInput(page, 'Set Risk');
    // The most harmless tools of a server come first.
    assert.deepEqual(
      items.slice(0, 2).map(({ label }) => label),
      ['echo', 'never'],
    );
    await pick(page, 'echo');
    await setRisk('echo', 'I have checked: destructive', 'As the server says', 'All my workspaces');
    const { icon, ariaLabel } = await waitForRow('echo', 'destructive (set by you)');
    assert.deepEqual([icon, ariaLabel], ['flame', 'echo, destructive, set by you']);
  });

  it('is there again after the window was reloaded', async () => {
    await page.reload();
    await untilReady(page);
    await openToolgate(page);
    await pressRowAction(page, 'steered', 'Start Server');
    await waitForServer(page, 'steered', running);
    await waitForRow('never', 'read-only (set by you)');
    await waitForRow('echo', 'destructive (set by you)');
  });

  it('does not count for a server that is started in another way', async () => {
    await restart('--changed');
    await approveServers(page);
    await waitForServer(page, 'steered', running);
    const { icon, ariaLabel } = await waitForRow('never', 'destructive?');
    assert.deepEqual([icon, ariaLabel], ['warning', unset]);
    await chooseFromRowMenu(page, 'never', 'Set Risk…');
    assert.equal(
      (await step('never', 1)).placeholder,
      'What you had set does not count any more: the tool or its server changed',
    );
    await page.keyboard.press('Escape');
  });

  it('can be taken back', async () => {
    await restart();
    await approveServers(page);
    await waitForRow('never', 'read-only (set by you)');
    await chooseFromRowMenu(page, 'never', 'Set Risk…');
    const { items } = await step('never', 1);
    assert.deepEqual(
      items.map(({ label, description }) => `${label} | ${description}`),
      [
        'I have checked: read-only | set now',
        'I have checked: adds only | ',
        'I have checked: destructive | ',
        'Use what the server says | destructive (assumed)',
      ],
    );
    await pick(page, 'Use what the server says');
    const { icon, ariaLabel } = await waitForRow('never', 'destructive?');
    assert.deepEqual([icon, ariaLabel], ['warning', unset]);
    await waitForRow('echo', 'destructive (set by you)');
  });
});
