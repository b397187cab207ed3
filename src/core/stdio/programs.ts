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
import { programFolders } from './programFolders';
import { type Environment, stdioEnvironment } from './stdioEnvironment';

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
