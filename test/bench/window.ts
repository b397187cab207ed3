import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { makeWorkspace } from '../page/workspace';
import { projectFolder } from '../vscode/paths';
import { closeSharedChromium, drawEveryFrame } from '../vscode/profile';
import { openWindow } from '../vscode/window';
import { beginHelping, writeExtensions } from './windowExtensions';
import { watchPresses } from './windowPage';
import { answers, floods } from './windowFloods';
import * as scenes from './windowScenes';
import type { Figures } from './table';

// `npm run bench -- window`: the product as it ships in real windows of VS Code, one after the other.

/** Where `TOOLGATE_BENCH_CALLS` says nothing else. */
const soakCalls = 10_000;

/** All calls of the benchmark are allowed and stay in the journal; as many results are soon kept as ever. */
const settings = {
  'toolgate.rules': [{ effect: 'allow', server: '*' }],
  'toolgate.journal.maxBytes': 1_073_741_824,
  'toolgate.results.maxBytes': 16_777_216,
  'toolgate.connections.maxMessageValues': 50_000_000,
};

function buildAsShipped(): void {
  const { status, stderr } = spawnSync(process.execPath, ['esbuild.js', '--production'], {
    cwd: projectFolder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The build failed:\n${stderr}`);
}

/** `TOOLGATE_BENCH_SCENES=calls,tree`: these alone, in their order; the figures of others are then not there. */
const only = process.env.TOOLGATE_BENCH_SCENES?.split(',');

const { calls, servers, tree } = scenes;
const measures = { calls, servers, tree, answers, floods };

const isWanted = (name: string): boolean => only === undefined || only.includes(name);

async function measureWindow(
  linkedExtensions: readonly string[],
  { server, built }: Pick<scenes.Scene, 'server' | 'built'>,
  isLast: boolean,
): Promise<Figures> {
  const workspace = makeWorkspace({ 'some.json': '{}\n' });
  const addressFile = path.join(path.dirname(workspace.folder), 'address');
  const window = await openWindow({
    folder: workspace.folder,
    viewport: { width: 1280, height: 1400 },
    linkedExtensions,
    settings,
    environment: { TOOLGATE_BENCH_ADDRESS: addressFile, TOOLGATE_BENCH_SERVER: server },
  });
  const { page } = window;
  try {
    const figures = isWanted('activation') ? { ...(await scenes.activation(page)) } : {};
    const ask = await beginHelping(page, addressFile);
    await watchPresses(page);
    const scene: scenes.Scene = { window, page, workspace, server, built, ask };
    for (const [name, measure] of Object.entries(measures)) {
      if (isWanted(name)) Object.assign(figures, await measure(scene));
    }
    const count = Number(process.env.TOOLGATE_BENCH_CALLS ?? soakCalls);
    if (isLast && isWanted('soak')) Object.assign(figures, await scenes.soaked(scene, count));
    Object.assign(figures, await scenes.checkJournal(scene));
    return figures;
  } catch (error) {
    await window.saveEvidence('bench-window');
    throw error;
  } finally {
    await window.close();
    workspace.remove();
  }
}

/** What each of the windows measured. */
export async function measureWindows(built: string, server: string): Promise<readonly Figures[]> {
  buildAsShipped();
  drawEveryFrame();
  const windows = Number(process.env.TOOLGATE_BENCH_WINDOWS ?? 3);
  const extensions = writeExtensions(built);
  const seen: Figures[] = [];
  try {
    for (let at = 1; at <= windows; at += 1) {
      seen.push(await measureWindow(extensions, { server, built }, at === windows));
    }
  } finally {
    await closeSharedChromium();
  }
  return seen;
}
