import type { FoundProgram } from '../connect';
import { homedir } from 'node:os';
import path from 'node:path';
import { McpError } from '../errors';
import type { ConnectionLog } from '../log';
import {
  findInFolders,
  findOnPath,
  pathFolders,
  type ProgramFile,
  withPathFolder,
} from './findProgram';
import type { LoginShell } from './loginShell';
import { type Environment, stdioEnvironment } from './stdioEnvironment';
import { readdir } from 'node:fs/promises';
import { readRegularFile } from '../bounds/regularFile';

export interface ProgramsOptions {
  /** Environment of this process. */
  readonly environment: Environment;
  /** Set if a shell may know more than our environment. If absent, no shell is asked. */
  readonly loginShell?: LoginShell;
  /** Defaults to the user's home folder. */
  readonly home?: string;
}

/** The parts of a command that decide which program is found. */
export interface ProgramQuery {
  readonly command: string;
  readonly env: Readonly<Record<string, string | null>>;
  readonly cwd?: string;
}

/**
 * Finds the programs of servers: on PATH; then, if the editor was started without a shell, on the
 * PATH of the user's login shell; then in the folders of version managers. A program gets the
 * environment with which it was found.
 */
export class Programs {
  readonly #options: ProgramsOptions;

  constructor(options: ProgramsOptions) {
    this.#options = options;
  }

  /** @throws {McpError} programNotFound, with all searched folders | programNotExecutable */
  async find(query: ProgramQuery, log?: Pick<ConnectionLog, 'info'>): Promise<FoundProgram> {
    const { environment, loginShell, home = homedir() } = this.#options;
    // Shells set SHLVL; without it, our environment does not come from a shell.
    const isBare = loginShell !== undefined && environment['SHLVL'] === undefined;
    const own = isBare ? ((await this.#shellEnvironment(log)) ?? environment) : environment;
    const env = stdioEnvironment(query.env, own);
    const found = await findOnPath(query.command, env, query.cwd);
    if (found !== undefined) {
      const folder = path.dirname(found.file);
      const isManaged =
        found.folder === undefined &&
        !pathFolders(env).includes(folder) &&
        (await programFolders(own, home)).includes(folder);
      // A program given as a path needs its neighbors on PATH as much as one found by name.
      const used = isManaged ? withPathFolder(env, folder) : env;
      return asFound(found, used, own === environment ? 'path' : 'loginShell');
    }

    const searched = [...pathFolders(env)];
    const shell = isBare ? undefined : await this.#shellEnvironment(log);
    if (shell !== undefined) {
      const shellEnv = stdioEnvironment(query.env, shell);
      const inShell = await findOnPath(query.command, shellEnv, query.cwd);
      if (inShell !== undefined) return asFound(inShell, shellEnv, 'loginShell');
      searched.push(...pathFolders(shellEnv));
    }
    const folders = await programFolders(shell ?? own, home);
    const inFolder = await findInFolders(query.command, folders, env);
    if (inFolder?.folder === undefined) {
      searched.push(...folders);
      throw new McpError('programNotFound', {
        detail: query.command,
        searched: [...new Set(searched)],
      });
    }
    // A launcher such as `npx` searches PATH for its own runtime, which is beside it.
    return asFound(inFolder, withPathFolder(env, inFolder.folder), 'folder');
  }

  async #shellEnvironment(
    log: Pick<ConnectionLog, 'info'> | undefined,
  ): Promise<Environment | undefined> {
    const { loginShell } = this.#options;
    if (loginShell === undefined) return undefined;
    const answer = await loginShell.read();
    log?.info(
      answer.kind === 'read'
        ? `environment of the login shell ${loginShell.shell}, read in ${answer.durationMs} ms: ` +
            'this window was started from the desktop, not from a terminal'
        : `login shell ${loginShell.shell} not read after ${answer.durationMs} ms: ${answer.reason}`,
    );
    return answer.kind === 'read' ? answer.environment : undefined;
  }
}

function asFound(
  { file, folder }: ProgramFile,
  env: Readonly<Record<string, string>>,
  by: Exclude<FoundProgram['foundBy'], 'given'>,
): FoundProgram {
  return folder === undefined
    ? { file, env, foundBy: 'given' }
    : { file, env, foundBy: by, folder };
}

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
