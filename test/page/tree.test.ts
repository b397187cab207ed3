import assert from 'node:assert/strict';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { projectFolder } from '../vscode/paths';
import { openWindow, type VscodeWindow } from '../vscode/window';
import { dismissDialog, readDialog } from './dialog';
import { readQuickInput, runCommand } from './quickInput';
import { pressViewAction, readTree, showRow, treeLines, type TreeRow } from './sideBar';
import { openToolgate, startAll, waitForInput } from './toolgate';
import { eventually } from './waiting';

const demoTools = `
▾ demo  21 tools
    List notes  read-only · list_notes
    Read a note  read-only · read_note
    Look up the weather  read-only · look_up_weather
    Plant a note  adds only · plant_note
    Label a note  adds only · label_note
    Cut the last word off a note  destructive · cut_note
    Delete a note  destructive · delete_note
    Turn the garden around  destructive? · turn_garden_around
    Peek over the hedge  destructive? · peek
    Show a flower  read-only · show_flower
    Play a chime  read-only · play_chime
    Point to the guide  read-only · point_to_guide
    Hand over the prices  read-only · hand_over_prices
    Hand over seeds  read-only · hand_over_seeds
    Bring everything  read-only · bring_everything
    Measure the garden  read-only · measure_garden
    Measure the garden badly  read-only · measure_badly
    Wait for the sunset  read-only · wait_for_sunset
    Dig for treasure  read-only · dig_for_treasure
    Tell a long story  read-only · tell_long_story
    Plan a flower bed  read-only · plan_bed`;

/** The labels of the servers that are open. */
function servers(lines: readonly string[]): string[] {
  return lines.flatMap((line) => /^▾ (\w+)/.exec(line)?.[1] ?? []);
}

/** What server-everything lists depends on what its client can do. */
function withoutEverything(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.startsWith('▾ everything'));
  const next = lines.findIndex((line) => line.startsWith('▾ files'));
  return [...lines.slice(0, first), ...lines.slice(next)];
}

describe('The tree of the demo workspace', function () {
  this.timeout(60_000);
  let window: VscodeWindow;
  let page: Page;

  before(async () => {
    window = await openWindow({
      folder: path.join(projectFolder, 'test/demoWorkspace'),
      viewport: { width: 1280, height: 1400 }, // Every row fits, so the pointer reaches it.
    });
    page = window.page;
  });
  after(() => window.close());

  const lines = async () => treeLines(await readTree(page));
  /** Rows follow a filter one after the other. */
  const showsBesideEverything = (expected: readonly string[]) =>
    eventually(
      async () => withoutEverything(await lines()),
      (shown) => JSON.stringify(shown) === JSON.stringify(expected),
    );
  const rowNamed = async (label: string): Promise<TreeRow | undefined> =>
    (await readTree(page)).find((row) => row.label === label);

  it('starts no server by itself', async () => {
    assert.deepEqual(treeLines(await openToolgate(page)), [
      '▸ demo  stopped',
      '▸ everything  stopped',
      '▸ files  stopped',
    ]);
  });

  it('shows every tool of every server with its risk in words', async () => {
    await startAll(page, 3);
    const all = await eventually(
      lines,
      (shown) =>
        servers(shown).length === 3 &&
        shown.length > demoTools.trim().split('\n').length &&
        shown.some((line) => line.includes('echo')) &&
        shown.some((line) => line.includes('write_file')),
    );
    assert.deepEqual(all.slice(0, 22), demoTools.trim().split('\n'));
    assert.deepEqual(servers(all), ['demo', 'everything', 'files']);
    assert.ok(all.includes('▾ files  14 tools'));
    assert.ok(all.includes('    Echo Tool  read-only · echo'));
    assert.ok(all.includes('    Write File  destructive · write_file'));
  });

  it('draws each risk with a sign of its own and says it to a screen reader', async () => {
    const looks = [];
    for (const label of ['List notes', 'Plant a note', 'Delete a note', 'Peek over the hedge']) {
      const row = await rowNamed(label);
      looks.push(`${row?.icon}: ${row?.ariaLabel}`);
    }
    assert.deepEqual(looks, [
      'eye: List notes, read-only',
      'diff-added: Plant a note, adds only',
      'flame: Delete a note, destructive',
      'warning: Peek over the hedge, destructive, assumed',
    ]);
    assert.equal((await rowNamed('demo'))?.ariaLabel, 'Server demo: 21 tools');
  });

  it('tells the four hints and where each comes from under the pointer', async () => {
    const row = await showRow(page, 'Peek over the hedge');
    await row.locator('.label-name').hover();
    const hover = page.locator('.workbench-hover');
    const text = await eventually(
      async () => ((await hover.count()) > 0 ? hover.first().innerText() : ''),
      (said) => said.includes('peek'),
    );
    for (const hint of [
      'readOnlyHint: no (assumed)',
      'destructiveHint: yes (assumed)',
      'idempotentHint: no (assumed)',
      'openWorldHint: yes (assumed)',
    ]) {
      assert.ok(text.includes(hint), text);
    }
    assert.match(text, /Its annotations look harmless but are none/);
    await page.mouse.move(800, 400);
  });

  it('calls a tool from the keyboard, and asks first', async () => {
    await rowNamed('List notes'); // Leaves the focus in the tree.
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal((await readDialog(page)).message, 'Run “List notes” (list_notes) on “demo”?');
    await dismissDialog(page);
  });

  it('shows only what the filter finds, in every server', async () => {
    await runCommand(page, 'Toolgate: Filter Tools…');
    await waitForInput(page, 'Filter Tools');
    await page.keyboard.type('note read');
    await eventually(
      () => readQuickInput(page),
      ({ title }) => /^Filter Tools: 2 of \d+ tools$/.test(title),
    );
    await page.keyboard.press('Enter');
    await showsBesideEverything([
      '▾ demo  2 of 21 tools',
      '    List notes  read-only · list_notes',
      '    Read a note  read-only · read_note',
      '▾ files  0 of 14 tools',
      '    No tool matches the filter  Clear Filter',
    ]);
  });

  it('shows only tools of the risk that is checked', async () => {
    await pressViewAction(page, 'Clear Filter');
    await runCommand(page, 'Toolgate: Filter Tools…');
    await waitForInput(page, 'Filter Tools');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'adds only' }).click();
    await page.keyboard.press('Enter');
    await showsBesideEverything([
      '▾ demo  2 of 21 tools',
      '    Plant a note  adds only · plant_note',
      '    Label a note  adds only · label_note',
      '▾ files  1 of 14 tools',
      '    Create Directory  adds only · create_directory',
    ]);
  });

  it('shows everything again when the filter is cleared', async () => {
    await runCommand(page, 'Toolgate: Clear Filter');
    assert.deepEqual(
      (await eventually(lines, (all) => all.length > 48)).slice(0, 22),
      demoTools.trim().split('\n'),
    );
  });
});
