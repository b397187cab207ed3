import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import manifest from '../../package.json';
import { guardGroup, killTree, onEnd, processTree } from './cleanup';
import { startLoopbackRedirects } from './loopbackRedirects';
import { provisionServer, type ProvisionedServer } from './provision';

const startTimeoutMs = 60_000;

/** For quiet pictures and no work besides the test's. */
export const defaultSettings = {
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'json.schemaDownload.enable': false,
  'npm.fetchOnlinePackageInfo': false,
  'remote.autoForwardPorts': false,
  // Else the extension host lists all processes of the machine and their files every few seconds.
  'remote.autoForwardPortsSource': 'output',
  'telemetry.telemetryLevel': 'off',
  'typescript.disableAutomaticTypeAcquisition': true,
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'workbench.enableExperiments': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/** What no test looks at, and a window would draw anew whenever another document shows. */
export const unseenSettings = {
  'breadcrumbs.enabled': false,
  'editor.minimap.enabled': false,
  'editor.occurrencesHighlight': 'off',
  'explorer.autoReveal': false,
  'explorer.decorations.badges': false,
  'explorer.decorations.colors': false,
  'problems.decorations.enabled': false,
  'window.commandCenter': false,
  'workbench.layoutControl.enabled': false,
};

export interface ServerOptions {
  /** User settings on top of the quiet ones above. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Asks for trust like a person's VS Code. Default: every folder is trusted. */
  readonly workspaceTrust?: boolean;
  /** Extensions to install before the start: `.vsix` files. */
  readonly vsixFiles?: readonly string[];
  /** A folder of extensions that exists already. Default: an empty one of its own. */
  readonly extensionsFolder?: string;
  /** Folders of extensions that are there beside those. */
  readonly linkedExtensions?: readonly string[];
  /**
   * For a person: messages show as in any window, but no address can name an extension under
   * development. Default: for tests, which VS Code spares messages that come up by themselves.
   */
  readonly forPerson?: boolean;
  /**
   * Which of the extensions that VS Code comes with are there. `few`: those that Toolgate meets when it
   * shows something. Default: all.
   */
  readonly builtInExtensions?: 'all' | 'few';
  /** For the extension host, on top of our own environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Where it listens. Default: wherever it is free. */
  readonly port?: number;
}

export interface WindowAddress {
  readonly folder: string;
  readonly extensionDevelopmentPath?: string | undefined;
  readonly extensionTestsPath?: string | undefined;
}

export interface VscodeServer {
  readonly port: number;
  /** Where the user settings are: `<userFolder>/settings.json`. */
  readonly userFolder: string;
  /** What it has written so far. */
  readonly log: () => string;
  /** Itself and every process that it or its children started. */
  readonly processes: () => number[];
  /** The address of a window on the folder. */
  readonly url: (window: WindowAddress) => string;
  /** Ends it with every process below, and removes its files. */
  readonly stop: () => void;
}

/** A temporary folder that is gone when this process ends, or when `remove` is called. */
export function makeTemporaryFolder(
  name: string,
  place = tmpdir(),
): { folder: string; remove: () => void } {
  mkdirSync(place, { recursive: true });
  const folder = mkdtempSync(path.join(place, `toolgate-${name}-`));
  // A process that is just being killed can still write a last file.
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 };
  return { folder, remove: onEnd(() => rmSync(folder, options)) };
}

function urlOfWindow(port: number, window: WindowAddress): string {
  const remote = (file: string) => `vscode-remote://127.0.0.1:${port}${path.resolve(file)}`;
  const { folder, extensionDevelopmentPath, extensionTestsPath } = window;
  const payload = [['skipWelcome', 'true']];
  if (extensionDevelopmentPath !== undefined) {
    payload.push(['extensionDevelopmentPath', remote(extensionDevelopmentPath)]);
  }
  if (extensionTestsPath !== undefined) {
    payload.push(['extensionTestsPath', remote(extensionTestsPath)]);
  }
  const query = new URLSearchParams({
    [folder.endsWith('.code-workspace') ? 'workspace' : 'folder']: path.resolve(folder),
    payload: JSON.stringify(payload),
  });
  return `http://127.0.0.1:${port}/?${query.toString()}`;
}

interface ServerProcess {
  readonly pid: number;
  readonly ended: Promise<number | null>;
  /** What it has written so far; `onOutput` runs when that got longer. */
  readonly log: () => string;
  readonly onOutput: (listener: () => void) => void;
  readonly kill: () => void;
}

function launch(
  program: ProvisionedServer,
  parameters: readonly string[],
  environment: ServerOptions['environment'],
): ServerProcess {
  const child = spawn(program.nodePath, [program.serverMain, ...parameters], {
    // An empty gallery: nothing is asked over the network.
    env: { ...process.env, EXTENSIONS_GALLERY: '{}', ...environment },
    detached: process.platform !== 'win32', // A group of its own, so that all of it can be ended.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`Could not start ${program.nodePath}.`);
  let output = '';
  const listeners: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
      for (const listener of listeners) listener();
    });
  }
  return {
    pid,
    ended: new Promise((resolve) => child.on('close', resolve)),
    log: () => output,
    onOutput: (listener) => listeners.push(listener),
    kill: onEnd(() => killTree(pid)),
  };
}

function portOf(server: ServerProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new Error(`VS Code Server ${reason}:\n${server.log()}`));
    const timer = setTimeout(() => fail(`is not up after ${startTimeoutMs} ms`), startTimeoutMs);
    void server.ended.then((code) => {
      clearTimeout(timer);
      fail(`ended with code ${code}`);
    });
    server.onOutput(() => {
      const port = /agent listening on (\d+)/.exec(server.log())?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
  });
}

/**
 * Those of our own that only a machine may set: a window on a server reads them from the file for
 * that machine. From the user's it may take them for as long as it does not know the extension yet.
 */
function machineSettings(settings: ServerOptions['settings'] = {}): string {
  const known: Readonly<Record<string, { readonly scope?: string }>> = Object.assign(
    {},
    ...manifest.contributes.configuration.map(({ properties }) => properties),
  );
  const own = Object.entries(settings).filter(([key]) => known[key]?.scope === 'machine');
  return JSON.stringify(Object.fromEntries(own), undefined, 2);
}

/**
 * Themes, the languages of our documents, and the editors and previews that they open in. There are a
 * hundred others, for which every window pays about a quarter of what it takes to open it. Those at the
 * end are there because the page would look for them and complain: it has them by name.
 */
const fewBuiltIns = [
  'configuration-editing',
  'css',
  'diff',
  'html',
  'javascript',
  'json',
  'json-language-features',
  'log',
  'markdown-basics',
  'markdown-language-features',
  'media-preview',
  'theme-defaults',
  'theme-seti',
  'typescript-basics',
  'xml',
  'yaml',
  'emmet',
  'extension-editing',
  'git-base',
  'github-authentication',
  'merge-conflict',
  'npm',
  'typescript-language-features',
];

async function linkBuiltIns(folder: string, { serverMain }: ProvisionedServer): Promise<void> {
  await mkdir(folder);
  const all = path.resolve(serverMain, '../../extensions');
  for (const name of fewBuiltIns) {
    await symlink(path.join(all, name), path.join(folder, name), 'junction');
  }
}

async function linkExtensions(folder: string, extensions: readonly string[]): Promise<void> {
  if (extensions.length > 0) await mkdir(folder, { recursive: true });
  for (const extension of extensions) {
    const text = await readFile(path.join(extension, 'package.json'), 'utf8');
    const { publisher, name, version }: Record<string, string> = JSON.parse(text);
    // A junction needs no rights on Windows; elsewhere it is a link like any other.
    const link = path.join(folder, `${publisher}.${name}-${version}`);
    await symlink(extension, link, 'junction');
  }
}

/** Starts VS Code Server on a port of this computer, with files of its own; waits until it answers. */
export async function startServer(options: ServerOptions = {}): Promise<VscodeServer> {
  const { settings, vsixFiles = [], workspaceTrust = false } = options;
  const program = await provisionServer();
  const redirects = await startLoopbackRedirects();
  const environment = { VSCODE_PROXY_URI: redirects.template, ...options.environment };
  const { folder, remove } = makeTemporaryFolder('vscode');
  const userFolder = path.join(folder, 'data/User');
  const extensionsFolder = options.extensionsFolder ?? path.join(folder, 'extensions');
  const common = ['--accept-server-license-terms', '--disable-telemetry'];
  common.push('--server-data-dir', folder, '--extensions-dir', extensionsFolder);
  try {
    await mkdir(userFolder, { recursive: true });
    if (options.builtInExtensions === 'few') {
      const builtInFolder = path.join(folder, 'built-in');
      await linkBuiltIns(builtInFolder, program);
      common.push('--builtin-extensions-dir', builtInFolder);
    }
    const userSettings = JSON.stringify({ ...defaultSettings, ...settings }, undefined, 2);
    await writeFile(path.join(userFolder, 'settings.json'), userSettings);
    const machineFolder = path.join(folder, 'data/Machine');
    await mkdir(machineFolder, { recursive: true });
    await writeFile(path.join(machineFolder, 'settings.json'), machineSettings(settings));
    await linkExtensions(extensionsFolder, options.linkedExtensions ?? []);
    for (const file of vsixFiles) {
      const install = launch(program, [...common, '--install-extension', file], environment);
      const code = await install.ended;
      install.kill();
      if (code !== 0) throw new Error(`Could not install ${file}:\n${install.log()}`);
    }
    const parameters = [...common, '--without-connection-token', '--host', '127.0.0.1'];
    parameters.push('--disable-websocket-compression'); // Nothing leaves this machine.
    parameters.push('--port', String(options.port ?? 0));
    // Without the driver an extension in the payload of the address is ignored.
    if (options.forPerson !== true) parameters.push('--enable-smoke-test-driver');
    if (!workspaceTrust) parameters.push('--disable-workspace-trust');
    const server = launch(program, parameters, environment);
    const callOffGuard = onEnd(guardGroup(server.pid, folder));
    const stop = () => {
      callOffGuard();
      server.kill();
      redirects.stop();
      remove();
    };
    const port = await portOf(server).catch((error: unknown) => {
      stop();
      throw error;
    });
    return {
      port,
      userFolder,
      log: server.log,
      processes: () => processTree(server.pid),
      url: (window) => urlOfWindow(port, window),
      stop,
    };
  } catch (error) {
    redirects.stop();
    remove();
    throw error;
  }
}
