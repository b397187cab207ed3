import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { journalRows } from '../../src/host/journal/journalRows';
import { verifyJournal } from '../../src/host/journal/verify';
import { waitForTab } from '../page/editors';
import { runCommand, typeAndAccept } from '../page/quickInput';
import { openView, showRow } from '../page/sideBar';
import {
  approveServers,
  chooseTool,
  closeEditors,
  openToolgate,
  waitForInput,
} from '../page/toolgate';
import type { ConfiguredServer, Workspace } from '../page/workspace';
import type { VscodeWindow } from '../vscode/window';
import type { Ask } from './windowExtensions';
import { bareView, empty } from './windowExtensions';
import { activationTimes, nextRows, pressedAt } from './windowPage';
import type { Figures } from './windowWork';

/** A window in which something is measured. */
export interface Scene {
  readonly window: VscodeWindow;
  readonly page: Page;
  readonly workspace: Workspace;
  readonly server: string;
  /** Of the programs that are made for the benchmark. */
  readonly built: string;
  readonly ask: Ask;
}

export const crew = 40;
const beside = 'JSON Language Features';
/** VS Code counts a window as started a few seconds after it can be used. */
const startedMs = 8_000;
const idleMs = 3_000;
/** Each makes the rows others than before. */
const letters = ['1', '9', '7', '3'];
/** So that what VS Code puts off after a change of rows is over. */
const betweenLettersMs = 1_000;
/** After which nothing is left to do of what came before. */
const settledMs = 2_000;

export const bareServer = (server: string, mode: string): ConfiguredServer => ({
  command: process.execPath,
  args: [server, mode],
});

/** These servers, and no others, as soon as Toolgate has them. */
export async function configure(
  { workspace, ask }: Scene,
  wanted: Readonly<Record<string, ConfiguredServer>>,
): Promise<void> {
  workspace.configure(wanted);
  await ask('configured', Object.keys(wanted).join());
}

export const prefixed = (prefix: string, figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}.${name}`, value]));

/** In a window whose folder has no servers yet. */
export async function activation(page: Page): Promise<Figures> {
  await runCommand(page, 'Preferences: Open User Settings (JSON)');
  await page.waitForTimeout(startedMs);
  const found = await activationTimes(page);
  await closeEditors(page);
  console.error([...found].map(([name, ms]) => `${name} ${ms}`).join(', '));
  const of = (name: string): number => found.get(name) ?? NaN;
  const shown = of('toolgate.toolgate');
  const figures = { shown, waited: of(empty), own: shown - of(empty) };
  return prefixed('activation', { ...figures, ratio: shown / of(beside) });
}

export async function startAll(scene: Scene, count: number): Promise<Figures> {
  await runCommand(scene.page, 'Toolgate: Start All Servers');
  await approveServers(scene.page);
  return scene.ask('running', count);
}

/** Calls of an extension, with the views of Toolgate shut; then the same thing with them open. */
export async function calls(scene: Scene, count: number): Promise<Figures> {
  const { ask, page, server } = scene;
  await configure(scene, { bare: bareServer(server, 'echo') });
  await startAll(scene, 1);
  const idle = prefixed('idle', await ask('idle', idleMs));
  const shut = await ask('gate', count);
  await openToolgate(page);
  return { ...idle, ...shut, ...prefixed('open', await ask('gate', count / 2)) };
}

/** A person calls the tool, and reads what it brought. */
export async function rows(scene: Scene): Promise<Figures> {
  const { ask, page, server } = scene;
  await configure(scene, { rows: bareServer(server, 'rows64') });
  await startAll(scene, 1);
  await chooseTool(page, 'echo');
  await ask('watch');
  await typeAndAccept(page, 'hello');
  const startedAt = Date.now();
  await waitForTab(page, /^echo/);
  await page.locator('.editor-group-container.active .monaco-editor .view-line').first().waitFor();
  const ms = Date.now() - startedAt;
  const seen = await ask('watched', 'rows');
  await closeEditors(page);
  return prefixed('rows', { ...seen, ms });
}

/** Forty servers that have never run here, from the yes to how they start on; then bare pipes. */
export async function servers(scene: Scene): Promise<Figures> {
  const { ask, page, server } = scene;
  const label = (at: number): string => `crew${String(at).padStart(2, '0')}`;
  const one = bareServer(server, 'list20');
  await openToolgate(page);
  await configure(
    scene,
    Object.fromEntries(Array.from({ length: crew }, (_, at) => [label(at), one])),
  );
  await page.waitForTimeout(settledMs);
  await ask('watch');
  const { at = NaN } = await startAll(scene, crew);
  const ms = at - (await pressedAt(page));
  const ours = await ask('watched', 'servers');
  await configure(scene, {});
  await page.waitForTimeout(settledMs);
  return {
    ...prefixed('servers', { ...ours, ms }),
    ...prefixed('bareServers', await ask('bare', crew)),
  };
}

/** A person opens the row of a server that has not run yet, and says yes to how it starts. */
export async function tree(scene: Scene): Promise<Figures> {
  const { ask, page, workspace, server } = scene;
  const listedFile = path.join(path.dirname(workspace.folder), 'listed');
  rmSync(listedFile, { force: true });
  const env = { LISTED: listedFile };
  await configure(scene, { large: { ...bareServer(server, 'list20k'), env } });
  await openToolgate(page);
  const row = await showRow(page, 'large');
  await row.locator('.monaco-tl-twistie').click();
  await ask('watch');
  const { drawn } = await nextRows(page, 'Tools 1 to 1000');
  await approveServers(page);
  const startedAt = await pressedAt(page);
  const drawnAt = await drawn;
  const seen = await ask('watched', 'tree');
  const listedAt = existsSync(listedFile) ? Number(readFileSync(listedFile, 'utf8')) : NaN;
  return prefixed('tree', { ...seen, startMs: drawnAt - startedAt, listedMs: drawnAt - listedAt });
}

/** How long each letter takes from its press to other rows in the view. */
async function typeLetters(page: Page, pane: string): Promise<number> {
  const spent: number[] = [];
  for (const letter of letters) {
    await page.waitForTimeout(betweenLettersMs);
    const { drawn } = await nextRows(page, '', pane);
    await page.keyboard.press(letter);
    spent.push((await drawn) - (await pressedAt(page)));
  }
  await page.waitForTimeout(betweenLettersMs);
  console.error(`letters, ${pane}: ${spent.join(', ')} ms`);
  return Math.max(...spent);
}

/** In the window of `tree`: letters into Filter Tools…, and when the rows are others; then the same of a bare view. */
export async function filter({ ask, page }: Scene): Promise<Figures> {
  await runCommand(page, 'Toolgate: Filter Tools…');
  await waitForInput(page, 'Filter Tools');
  await ask('watch');
  const ms = await typeLetters(page, 'Servers and Tools');
  const seen = await ask('watched', 'filter');
  await page.keyboard.press('Escape');
  await openView(page, 'Explorer');
  await page.locator('.sidebar .pane-header', { hasText: bareView.name }).click();
  await ask('bareTree', bareView.id);
  await waitForInput(page, 'Bare');
  const bareMs = await typeLetters(page, bareView.name);
  await page.keyboard.press('Escape');
  return prefixed('filter', { ...seen, ms, bareMs });
}

/** Many calls, and then whether the journal of the window has all of them. */
export async function soaked(scene: Scene, count: number): Promise<Figures> {
  const { ask, server } = scene;
  await configure(scene, { bare: bareServer(server, 'echo') });
  // It was agreed to.
  await runCommand(scene.page, 'Toolgate: Start All Servers');
  await ask('running', 1);
  return prefixed('soak', await ask('soak', count));
}

/** Fails where the journal is not whole, or has not a decision and an outcome for each call. */
export async function checkJournal({ ask, window }: Scene): Promise<Figures> {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const folder = path.join(window.server.userFolder, 'globalStorage/toolgate.toolgate/journal');
  const report = await verifyJournal(folder);
  if (!report.isWhole) throw new Error(JSON.stringify(report));
  const { made = NaN } = await ask('made');
  let ended = 0;
  for await (const row of journalRows(folder)) {
    if (row.kind === 'call' && row.decision.origin === 'api' && row.outcome?.outcome === 'result')
      ended += 1;
  }
  if (ended !== made) throw new Error(`${made} calls, and ${ended} in the journal`);
  return { 'journal.calls': ended, 'journal.lines': report.lines };
}
