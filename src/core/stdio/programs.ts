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
  /** Of this process. */
  readonly environment: Environment;
  /** Where a shell may know more than our environment; absent: it is not asked. */
  readonly loginShell?: LoginShell;
  /** Default: the person's. */
  readonly home?: string;
}

/** What is to be found: the part of a command that decides it. */
export interface ProgramQuery {
  readonly command: string;
  readonly env: Readonly<Record<string, string | null>>;
  readonly cwd?: string;
}

/**
 * Finds the programs of servers: on PATH; then, where the editor was started without a shell, on
 * the PATH of the person's login shell; then where version managers put them. A program gets the
 * environment with which it was found.
 */
export class Programs {
  readonly #options: ProgramsOptions;

  constructor(options: ProgramsOptions) {
    this.#options = options;
  }

  /** @throws {McpError} programNotFound, with all folders that were searched | programNotExecutable */
  async find(query: ProgramQuery, log?: Pick<ConnectionLog, 'info'>): Promise<FoundProgram> {
    const { environment, loginShell, home = homedir() } = this.#options;
    // A shell counts its depth; without a count nothing of ours ever came from a shell.
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
      // Written as a path, it needs what stands beside it as much as by its name.
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
    // A launcher such as `npx` looks for its own runtime beside it by PATH.
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
