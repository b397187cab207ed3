import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { projectFolder, resultsFolder } from './paths';
import { plainContext, sharedChromium, takeProfile } from './profile';
import { startServer, type VscodeServer } from './server';
import { readSocketsAtOnce } from './sockets';
import { patienceMs } from '../waiting';

const readyTimeoutMs = 100_000;
/** Stands in the title of the page as soon as the window has read the user settings. */
const settingsMark = 'settings read';
const settingsTimeoutMs = 15_000;
const maxOpenings = 3;
const pollMs = 50;

export interface WindowOptions {
  readonly folder: string;
  /** User settings on top of the quiet ones of server.ts. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Default: dark. */
  readonly theme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
  /** 2 makes pictures for dense screens. */
  readonly deviceScaleFactor?: number;
  /** With workspace trust: the folder opens in restricted mode. Default: everything is trusted. */
  readonly workspaceTrust?: boolean;
  /** Where the extension comes from. Default: TOOLGATE_TEST_VSIX if set, else the project's folder. */
  readonly vsix?: string | undefined;
  /** Which of the extensions that VS Code comes with are there. Default: the few that we meet. */
  readonly builtInExtensions?: 'all' | 'few';
  /** Folders of extensions that are there beside it. */
  readonly linkedExtensions?: readonly string[];
  /** For the extension host, on top of our own environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface VscodeWindow {
  readonly page: Page;
  readonly server: VscodeServer;
  /** Leaves a picture and the page's console in test/results/. */
  readonly saveEvidence: (name: string) => Promise<void>;
  /**
   * Closes it, and ends everything behind it at once: VS Code would keep the extension host for more than ten
   * seconds, in case the page comes back. What happens then is tested in windowEnd.test.ts.
   */
  readonly close: () => Promise<void>;
}

/** The windows that are open now; the hooks of the page tests take a picture of each on a failure. */
export const openWindows = new Set<VscodeWindow>();

function startWindowServer(options: WindowOptions, vsix: string | undefined, port = 0) {
  return startServer({
    port,
    workspaceTrust: options.workspaceTrust === true,
    vsixFiles: vsix === undefined ? [] : [vsix],
    builtInExtensions: options.builtInExtensions ?? 'few',
    linkedExtensions: options.linkedExtensions ?? [],
    ...(options.environment === undefined ? {} : { environment: options.environment }),
    settings: {
      'workbench.colorTheme':
        options.theme === 'light' ? 'Default Light Modern' : 'Default Dark Modern',
      'security.workspace.trust.startupPrompt': 'never',
      'security.workspace.trust.banner': 'never',
      'window.title': `\${rootName} (${settingsMark})`,
      ...options.settings,
    },
  });
}

/**
 * Waits until a person could use the window. On a busy machine VS Code in a browser sometimes takes
 * user settings that it could not read yet for empty ones, and stays so until it is opened again.
 */
export async function untilReady(page: Page): Promise<void> {
  for (let opening = 1; ; opening += 1) {
    // The icon shows when the extension host knows the extension.
    const icon = page.locator('.activitybar a.action-label[aria-label^="Toolgate"]');
    await icon.waitFor({ timeout: readyTimeoutMs });
    const end = performance.now() + settingsTimeoutMs;
    while (performance.now() < end) {
      if ((await page.title()).includes(settingsMark)) return;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    if (opening === maxOpenings) throw new Error('The window did not read its user settings.');
    await page.reload();
  }
}

/** It shares nothing with those of other windows: it is the profile of another person. */
async function newContext({ viewport, deviceScaleFactor }: WindowOptions) {
  const browser = await sharedChromium();
  return browser.newContext({
    ...plainContext,
    permissions: [...plainContext.permissions],
    viewport: viewport ?? plainContext.viewport,
    deviceScaleFactor: deviceScaleFactor ?? 1,
  });
}

/**
 * Opens VS Code on the folder, in headless Chromium, with the extension in it, and waits until a
 * person could use it. Modal dialogs are real here; in the extension host's tests they never show.
 */
export async function openWindow(options: WindowOptions): Promise<VscodeWindow> {
  const vsix = options.vsix ?? process.env.TOOLGATE_TEST_VSIX;
  const profile = options.deviceScaleFactor === undefined ? await takeProfile() : undefined;
  const server = await startWindowServer(options, vsix, profile?.port).catch(
    async (error: unknown) => {
      await profile?.giveBack();
      throw error;
    },
  );
  const context = profile?.context ?? (await newContext(options));
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  if (profile !== undefined && options.viewport !== undefined) {
    await page.setViewportSize(options.viewport);
  }
  // tsx names every function through this helper, also those that Playwright runs in the page.
  await page.addInitScript('globalThis.__name = (value) => value');
  await readSocketsAtOnce(page);
  const pageConsole: string[] = [];
  page.on('console', (message) => pageConsole.push(`[${message.type()}] ${message.text()}`));
  page.on('pageerror', (error) => pageConsole.push(`[uncaught] ${error.stack ?? error.message}`));

  const window: VscodeWindow = {
    page,
    server,
    async saveEvidence(name) {
      const file = path.join(resultsFolder, name.replaceAll(/[^\w-]+/g, '-').slice(0, 120));
      await mkdir(resultsFolder, { recursive: true });
      await writeFile(
        `${file}.log`,
        `${pageConsole.join('\n')}\n\nVS Code Server:\n${server.log()}`,
      );
      if (!page.isClosed()) await page.screenshot({ path: `${file}.png` });
    },
    async close() {
      openWindows.delete(window);
      await page.close();
      if (profile === undefined) await context.close();
      server.stop();
      await profile?.giveBack();
    },
  };
  openWindows.add(window);
  try {
    const extensionDevelopmentPath = vsix === undefined ? projectFolder : undefined;
    const url = server.url({ folder: options.folder, extensionDevelopmentPath });
    await page.goto(url, { waitUntil: 'commit' });
    await untilReady(page);
    return window;
  } catch (error) {
    await window.saveEvidence('window-did-not-open');
    await window.close();
    throw error;
  }
}
