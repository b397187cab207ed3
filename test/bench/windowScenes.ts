import path from 'node:path';
import type { Page } from 'playwright-core';
import { journalRows } from '../../src/host/journal/journalRows';
import { verifyJournal } from '../../src/host/journal/verify';
import { runCommand } from '../page/quickInput';
import { showRow } from '../page/sideBar';
import { approveServers, closeEditors, openToolgate } from '../page/toolgate';
import type { ConfiguredServer, Workspace } from '../page/workspace';
import type { VscodeWindow } from '../vscode/window';
import { prefixed, type Figures } from './table';
import { empty, type Ask } from './windowExtensions';
import { activationTimes, nextRows, pressedAt } from './windowPage';

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

const crew = 40;
const beside = 'JSON Language Features';
/** VS Code counts a window as started a few seconds after it can be used. */
const startedMs = 8_000;
const gateCalls = 4_000;
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

/** In a window whose folder has no servers yet. */
export async function activation(page: Page): Promise<Figures> {
  await runCommand(page, 'Preferences: Open User Settings (JSON)');
  await page.waitForTimeout(startedMs);
  const found = await activationTimes(page);
  await closeEditors(page);
  console.error([...found].map(([name, ms]) => `${name} ${ms}`).join(', '));
  const of = (name: string): number => found.get(name) ?? NaN;
  const shown = of('toolgate.toolgate');
  return prefixed('activation', { shown, own: shown - of(empty), json: of(beside) });
}

export async function startAll(scene: Scene, count: number): Promise<Figures> {
  await runCommand(scene.page, 'Toolgate: Start All Servers');
  await approveServers(scene.page);
  return scene.ask('running', count);
}

/** Calls of an extension. */
export async function calls(scene: Scene): Promise<Figures> {
  await configure(scene, { bare: bareServer(scene.server, 'echo') });
  await startAll(scene, 1);
  return scene.ask('gate', gateCalls);
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
  const { ask, page, server } = scene;
  await configure(scene, { large: bareServer(server, 'list20k') });
  await openToolgate(page);
  const row = await showRow(page, 'large');
  await row.locator('.monaco-tl-twistie').click();
  await ask('watch');
  const { drawn } = await nextRows(page, 'Tools 1 to 1000');
  await approveServers(page);
  const startedAt = await pressedAt(page);
  const startMs = (await drawn) - startedAt;
  return prefixed('tree', { ...(await ask('watched', 'tree')), startMs });
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
