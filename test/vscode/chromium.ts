import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { LaunchOptions } from 'playwright-core';
import { onEnd } from './cleanup';

const variable = 'TOOLGATE_CHROMIUM_EXECUTABLE';

const knownPaths: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/microsoft-edge',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
};

const installLock = '/run/lock/toolgate-chromium';
const isRoot = process.getuid?.() === 0;

function installOnDebian(): void {
  console.log('Installing Chromium with apt-get (the tests need a browser) ...');
  const script = 'apt-get update -q && apt-get install -q -y --no-install-recommends chromium';
  // Stages that run side by side may all find it missing: one installs it, the others wait for that.
  const once = `command -v chromium || (${script})`;
  const { status, stdout, stderr } = spawnSync('flock', [installLock, 'sh', '-c', once], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`"${script}" failed:\n${stdout}\n${stderr}`);
}

function findKnown(): string | undefined {
  return knownPaths[process.platform]?.find((file) => existsSync(file));
}

/** Chromium, Chrome or Edge of this computer. Installed if it is missing and we are root on Debian. */
export function findChromium(): string {
  const named = process.env[variable];
  if (named !== undefined) {
    if (existsSync(named)) return named;
    throw new Error(`${variable} names ${named}, and there is no such file.`);
  }
  const present = findKnown();
  if (present !== undefined) return present;
  if (isRoot && existsSync('/etc/debian_version')) installOnDebian();
  const installed = findKnown();
  if (installed !== undefined) return installed;
  throw new Error(
    `These tests need a browser. Install Chromium, Google Chrome or Microsoft Edge ` +
      `(on Debian: apt-get install chromium), or name one in ${variable}.`,
  );
}

/**
 * What Playwright switches off, without what only Edge has, and the list below the address bar: nobody
 * types there, and each window has a process for it. Chromium counts the last list of its command line
 * alone.
 */
const switchedOff = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // With it a script as large as the workbench is compiled anew where its compiled form is at hand.
  'BackgroundResourceFetch',
];

/** What Playwright says itself, of a mouse; and to keep what was compiled from the first time on. */
const pageSettings = [
  'primaryHoverType=2',
  'availableHoverTypes=2',
  'primaryPointerType=4',
  'availablePointerTypes=4',
  'v8CacheOptions=4',
];

export function launchOptions(): LaunchOptions {
  // Playwright kills it when this process exits; the signals are ours, so that all else goes too.
  onEnd(() => undefined);
  return {
    executablePath: findChromium(),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      ...(isRoot ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      `--disable-features=${switchedOff.join(',')}`,
      `--blink-settings=${pageSettings.join(',')}`,
      // VS Code asks for stacks at its start, for which V8 would read functions once more.
      '--js-flags=--no-enable-lazy-source-positions',
    ],
  };
}
