import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { launchOptions } from './chromium';
import { killTree, onEnd } from './cleanup';
import { makeTemporaryFolder } from './server';

// The Chromium that the windows of a process share, and its profile: there Chromium keeps the scripts of
// the workbench and what it has compiled them to, which spares the page of a window two fifths of its
// work until it is ready.

/** How pages are shown, unless a window says otherwise. */
export const plainContext = {
  viewport: { width: 1280, height: 800 },
  deviceScaleFactor: 1,
  permissions: ['clipboard-read', 'clipboard-write'],
  reducedMotion: 'reduce',
} as const satisfies BrowserContextOptions;

/**
 * Chromium saves energy with these, also where there is no battery: it draws 30 frames a second in place of
 * 60, which is a tenth of all that a window in a test has the processors do.
 */
const savingEnergy = { performance_tuning: { battery_saver_mode: { state: 3 } } };
let isSavingEnergy = true;

/** What a page can leave behind: all but the copies and compiled forms of what it has loaded. */
const leftBehind = 'cookies,file_systems,indexeddb,local_storage,service_workers,cache_storage';
/** Below those that systems give to whoever asks for any, so that it is free again the next time. */
const firstPort = 20_000;
const portCount = 10_000;
const maxPortsTried = 100;

export interface Profile {
  readonly context: BrowserContext;
  /** Where the server of the window must listen: what Chromium keeps goes by the address. */
  readonly port: number;
  /** Closes its pages; the next window may have it then. */
  readonly giveBack: () => Promise<void>;
}

interface Chromium {
  readonly browser: Browser;
  /** The context of the profile. */
  readonly context: BrowserContext;
  /** Kills it if it still runs, and removes its files. */
  readonly end: () => void;
  port: number;
  isTaken: boolean;
  /** The origins whose pages were open in the profile since it was last cleared. */
  readonly visited: Set<string>;
}

let shared: Promise<Chromium> | undefined;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

async function findFreePort(): Promise<number> {
  for (let tried = 0; tried < maxPortsTried; tried += 1) {
    const port = firstPort + Math.floor(Math.random() * portCount);
    if (await isFree(port)) return port;
  }
  throw new Error(`Found no free port in ${maxPortsTried} tries.`);
}

async function launch(): Promise<Chromium> {
  const { folder, remove } = makeTemporaryFolder('chromium');
  if (isSavingEnergy) {
    await writeFile(path.join(folder, 'Local State'), JSON.stringify(savingEnergy));
  }
  const context = await chromium.launchPersistentContext(folder, {
    ...launchOptions(),
    ...plainContext,
    permissions: [...plainContext.permissions],
  });
  const browser = context.browser();
  if (browser === null) throw new Error('Chromium with a profile has no browser.');
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const main = processInfo.find(({ type }) => type === 'browser');
  // Where this process is ended from outside, Chromium must be gone before its files are.
  const kill = main === undefined ? () => undefined : onEnd(() => killTree(main.id));
  // It would end with its last page.
  await (await browser.newContext()).newPage();
  for (const page of context.pages()) await page.close();
  const end = () => {
    kill();
    remove();
  };
  const port = await findFreePort();
  return { browser, context, end, port, isTaken: false, visited: new Set() };
}

function sharedWithProfile(): Promise<Chromium> {
  shared ??= launch();
  return shared;
}

/** For whoever measures what a person sees. To be said before the first window opens. */
export function drawEveryFrame(): void {
  isSavingEnergy = false;
}

/** The one Chromium of this process, started by the first who asks. */
export async function sharedChromium(): Promise<Browser> {
  return (await sharedWithProfile()).browser;
}

/** It would keep this process from ending. */
export async function closeSharedChromium(): Promise<void> {
  const own = await shared;
  shared = undefined;
  await own?.browser.close();
  own?.end();
}

async function clear({ context, visited, port }: Chromium): Promise<void> {
  await context.clearCookies();
  await context.clearPermissions();
  await context.grantPermissions([...plainContext.permissions]);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  for (const origin of new Set([`http://127.0.0.1:${port}`, ...visited])) {
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: leftBehind });
  }
  visited.clear();
  await page.close();
}

/**
 * The profile, as if nobody had used it before but for speed. For one window at a time: nothing while
 * another has it.
 */
export async function takeProfile(): Promise<Profile | undefined> {
  const own = await sharedWithProfile();
  if (own.isTaken) return undefined;
  own.isTaken = true;
  await clear(own);
  if (!(await isFree(own.port))) own.port = await findFreePort();
  const remember = (page: Page) =>
    page.on('framenavigated', (frame) => {
      const { origin, protocol } = new URL(frame.url());
      if (/^https?:$/.test(protocol)) own.visited.add(origin);
    });
  own.context.on('page', remember);
  return {
    context: own.context,
    port: own.port,
    async giveBack() {
      own.context.off('page', remember);
      await own.context.unrouteAll({ behavior: 'ignoreErrors' });
      for (const page of own.context.pages()) await page.close();
      own.isTaken = false;
    },
  };
}
