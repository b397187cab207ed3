import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/** One line of packages.json: a package of npm, and what its server needs to start without network. */
export interface CorpusPackage {
  /** As npm knows it. */
  readonly package: string;
  /** Which of its programs; absent: the only or the first one. */
  readonly bin?: string;
  /** `${folder}` is an empty folder of the run. */
  readonly args?: readonly string[];
  /** Keys are dummies: nothing is ever asked of the service behind them. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface InstalledPackage {
  /** The file to run with Node. */
  readonly file: string;
  readonly version: string;
  /** Takes away what was installed. */
  readonly remove: () => void;
}

const installMs = 5 * 60_000;
const run = promisify(execFile);

export function readPackages(): readonly CorpusPackage[] {
  const packages: readonly CorpusPackage[] = JSON.parse(
    readFileSync(path.join(__dirname, 'packages.json'), 'utf8'),
  );
  return packages;
}

/**
 * Installs it into a folder of its own, without running any script of it, in at most five minutes.
 * What is there already is used, and stays.
 */
export async function install(
  { package: name, bin }: CorpusPackage,
  parent: string,
): Promise<InstalledPackage> {
  const folder = path.join(parent, name.replaceAll(/[/@]/g, '_'));
  const installed = path.join(folder, 'node_modules', name);
  const known = readManifest(installed);
  if (known === undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{"private": true}\n');
    const options = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'];
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    await run(npm, ['install', ...options, '--loglevel=error', name], {
      cwd: folder,
      timeout: installMs,
      killSignal: 'SIGKILL',
      shell: process.platform === 'win32',
    });
  }
  const manifest = known ?? readManifest(installed);
  const program = manifest && programOf(manifest.bin, bin);
  if (manifest === undefined || program === undefined) throw new Error('has no program');
  const remove = () => {
    if (known === undefined) rmSync(folder, { recursive: true, force: true });
  };
  return { file: path.join(installed, program), version: manifest.version, remove };
}

interface Manifest {
  readonly version: string;
  readonly bin?: string | Readonly<Record<string, string>>;
}

function readManifest(folder: string): Manifest | undefined {
  try {
    const manifest: Manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    return manifest;
  } catch {
    return undefined;
  }
}

function programOf(bin: Manifest['bin'], name: string | undefined): string | undefined {
  if (typeof bin === 'string' || bin === undefined) return bin;
  return name === undefined ? Object.values(bin)[0] : bin[name];
}
