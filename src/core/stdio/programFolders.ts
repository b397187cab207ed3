import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readRegularFile } from '../bounds/regularFile';
import type { Environment } from './stdioEnvironment';

/** Maximum number of versions that are examined; more than users keep. */
const maxVersions = 200;
/** Limit for the name of one version of Node.js. */
const maxAliasBytes = 4096;

/**
 * Returns the folders in which version managers and installers put programs, for when PATH lacks
 * them: a desktop starts the editor without the changes of shell startup files. A folder named by
 * the manager's own environment variable replaces its usual one. The folders need not exist.
 */
export async function programFolders(
  environment: Environment,
  home: string,
  isWindows = process.platform === 'win32',
): Promise<readonly string[]> {
  return isWindows ? windowsFolders(environment, home) : posixFolders(environment, home);
}

/**
 * Folders of managers: the variable that overrides the folder, the usual folder, and the programs
 * in it.
 */
const managed: readonly (readonly [variable: string, usual: string, programs: string])[] = [
  ['FNM_DIR', '.local/share/fnm', 'aliases/default/bin'],
  ['VOLTA_HOME', '.volta', 'bin'],
  ['MISE_DATA_DIR', '.local/share/mise', 'shims'],
  ['ASDF_DATA_DIR', '.asdf', 'shims'],
  ['PYENV_ROOT', '.pyenv', 'shims'],
  ['PNPM_HOME', '.local/share/pnpm', ''],
  ['CARGO_HOME', '.cargo', 'bin'],
  ['BUN_INSTALL', '.bun', 'bin'],
  ['DENO_INSTALL', '.deno', 'bin'],
  ['GOPATH', 'go', 'bin'],
];

const inHome: readonly string[] = [
  'Library/Application Support/fnm/aliases/default/bin',
  '.nodenv/shims',
  '.local/bin',
  'bin',
  '.dotnet/tools',
  '.nix-profile/bin',
];

const ofTheMachine: readonly string[] = [
  '/opt/homebrew/bin',
  '/usr/local/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/opt/local/bin',
  '/snap/bin',
  '/nix/var/nix/profiles/default/bin',
];

async function posixFolders(environment: Environment, home: string): Promise<readonly string[]> {
  const at = (variable: string, usual: string): string => {
    const named = environment[variable] ?? '';
    // A relative folder would depend on the current one, where a workspace could put any program.
    return path.isAbsolute(named) ? named : path.join(home, usual);
  };
  return [
    ...(await nodeVersions(at('NVM_DIR', '.nvm'))),
    ...managed.map(([variable, usual, programs]) => path.join(at(variable, usual), programs)),
    ...inHome.map((each) => path.join(home, each)),
    ...ofTheMachine,
  ];
}

function windowsFolders(environment: Environment, home: string): readonly string[] {
  const { APPDATA, LOCALAPPDATA, NVM_SYMLINK, ProgramFiles } = environment;
  return [
    ...(NVM_SYMLINK === undefined ? [] : [NVM_SYMLINK]),
    ...below(APPDATA, ['npm', 'fnm/aliases/default']),
    ...below(LOCALAPPDATA, ['Volta/bin', 'mise/shims', 'pnpm', 'Microsoft/WindowsApps']),
    ...below(ProgramFiles, ['nodejs', 'Docker/Docker/resources/bin']),
    ...below(home, ['.local/bin', '.cargo/bin', '.bun/bin', '.pyenv/pyenv-win/shims']),
    ...below(home, ['scoop/shims', '.dotnet/tools']),
  ].filter((each) => path.win32.isAbsolute(each));
}

function below(folder: string | undefined, inside: readonly string[]): readonly string[] {
  return folder === undefined ? [] : inside.map((each) => path.win32.join(folder, each));
}

/** Returns nvm's default version first, then the others, newest first. */
async function nodeVersions(nvm: string): Promise<readonly string[]> {
  const folder = path.join(nvm, 'versions', 'node');
  const names = await readdir(folder).catch((): string[] => []);
  const alias = path.join(nvm, 'alias', 'default');
  const wanted = await readRegularFile(alias, maxAliasBytes).then(String, () => '');
  const prefix = `v${wanted.trim().replace(/^v/, '')}`;
  const isWanted = (name: string): boolean => name === prefix || name.startsWith(`${prefix}.`);
  return names
    .filter((name) => /^v\d+\.\d+\.\d+$/.test(name))
    .slice(0, maxVersions)
    .toSorted(
      (one, other) =>
        Number(isWanted(other)) - Number(isWanted(one)) ||
        other.localeCompare(one, 'en', { numeric: true }),
    )
    .map((name) => path.join(folder, name, 'bin'));
}
