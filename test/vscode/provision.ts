import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onEnd } from './cleanup';
import { cacheFolder } from './paths';

/** VS Code Server comes inside an npm package, where 4.N.x is VS Code 1.N.x; each asks for its own Node. */
const versions = {
  newest: { server: '4.139.1', node: '24.21.0' },
  /** As `engines` of package.json says. */
  oldest: { server: '4.110.0', node: '22.23.3' },
} as const;
/** The same program for every kind of computer, without a download. */
const searchPackage = '@vscode/ripgrep-universal@1.18.0';
export const versionVariable = 'TOOLGATE_TEST_VSCODE_VERSION';

/** Which of the two the tests run in: TOOLGATE_TEST_VSCODE_VERSION, `newest` if it is not set. */
export function chosenVersion(): keyof typeof versions {
  const wish = process.env[versionVariable] ?? 'newest';
  if (wish === 'newest' || wish === 'oldest') return wish;
  throw new Error(`${versionVariable} is "${wish}"; it can be "newest" or "oldest".`);
}

/** The number of that VS Code, such as 1.110.0. */
export function vscodeNumber(version = chosenVersion()): string {
  return versions[version].server.replace(/^4\./, '1.');
}

export interface ProvisionedServer {
  readonly nodePath: string;
  readonly serverMain: string;
}

function npm(folder: string, ...parameters: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', [...parameters, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) return resolve();
      reject(new Error(`"npm ${parameters.join(' ')}" failed with code ${code}:\n${output}`));
    });
  });
}

/**
 * `<cache>/<name>`, made by `install` if it is not there. Made in a temporary folder and moved, so
 * an interrupted run leaves nothing half done, and of two runs at once the later one is thrown away.
 */
async function ensureFolder(name: string, install: (folder: string) => Promise<void>) {
  const folder = path.join(cacheFolder, name);
  if (existsSync(folder)) return folder;
  await mkdir(cacheFolder, { recursive: true });
  const unfinished = await mkdtemp(path.join(cacheFolder, '.unfinished-'));
  const remove = onEnd(() => rmSync(unfinished, { recursive: true, force: true }));
  try {
    await writeFile(path.join(unfinished, 'package.json'), '{ "private": true }');
    await install(unfinished);
    await rename(unfinished, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } catch (error) {
    throw new Error(
      `Could not fetch ${name} from the npm registry; the tests need it. ${String(error)}`,
      { cause: error },
    );
  } finally {
    remove();
  }
  return folder;
}

/** The path of a Node of a known version, fetched from the npm registry by the first run only. */
export async function provisionNode(nodeVersion: string = versions.newest.node): Promise<string> {
  // The package's own script picks the build for this computer, whatever npm is configured to do.
  const folder = await ensureFolder(`node-${nodeVersion}`, (unfinished) =>
    npm(unfinished, 'install', '--ignore-scripts=false', `node@${nodeVersion}`),
  );
  return path.join(folder, 'node_modules/node/bin/node');
}

/**
 * Without scripts nothing is compiled or downloaded: terminals are missing then, log files, which
 * logFiles.js brings back, and in older ones the program that searches files.
 */
async function standIn(server: string): Promise<void> {
  const modules = path.join(server, 'node_modules/@vscode');
  await copyFile(path.join(__dirname, 'logFiles.js'), path.join(modules, 'spdlog/index.js'));
  if (!existsSync(path.join(modules, 'ripgrep'))) return;
  await npm(server, 'install', '--ignore-scripts', '--omit=dev', searchPackage);
  const platform = `${process.platform}-${process.arch}`;
  await cp(
    path.join(modules, 'ripgrep-universal/bin', platform),
    path.join(modules, 'ripgrep/bin'),
    { recursive: true },
  );
}

/** VS Code Server and the Node to run it, fetched from the npm registry by the first run only. */
export async function provisionServer(): Promise<ProvisionedServer> {
  const { server: serverVersion, node: nodeVersion } = versions[chosenVersion()];
  const [nodePath, serverFolder] = await Promise.all([
    provisionNode(nodeVersion),
    // Count up when what is made here changes.
    ensureFolder(`vscode-server-${serverVersion}-2`, async (folder) => {
      await npm(folder, 'install', '--ignore-scripts', `code-server@${serverVersion}`);
      const server = path.join(folder, 'node_modules/code-server/lib/vscode');
      await npm(server, 'install', '--ignore-scripts', '--omit=dev');
      await standIn(server);
    }),
  ]);
  const serverMain = 'node_modules/code-server/lib/vscode/out/server-main.js';
  return { nodePath, serverMain: path.join(serverFolder, serverMain) };
}
