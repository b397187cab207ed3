import { constants, type Stats } from 'node:fs';
import { access, lstat, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../bounds/systemError';
import { McpError } from '../errors';
import { type Environment, ownEnvironment } from './stdioEnvironment';

/** The file of a program, and the folder of PATH in which it was found. */
export interface ProgramFile {
  readonly file: string;
  /** Absent if the command is already a path. */
  readonly folder?: string;
}

/** A command with the program file found for it. */
export interface StdioProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** The complete environment: nothing is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const isWindows = process.platform === 'win32';

/**
 * Returns the file that the system would find for `command` with this environment, but never in the
 * current folder unless the command says so, because a workspace could put any program there.
 * `undefined` if PATH does not lead to it.
 * @throws {McpError} programNotFound | programNotExecutable for a command that is a path
 */
export async function findOnPath(
  command: string,
  environment: Environment,
  cwd: string | undefined,
): Promise<ProgramFile | undefined> {
  if (isPath(command)) {
    const given = path.resolve(cwd ?? process.cwd(), command);
    const file = await firstRunnable(given, environment);
    if (file !== undefined) return { file };
    const isThere = (await stat(given).catch(() => undefined)) !== undefined;
    throw isThere
      ? new McpError('programNotExecutable', { detail: given })
      : new McpError('programNotFound', { detail: command, searched: [path.dirname(given)] });
  }
  return findInFolders(command, pathFolders(environment), environment);
}

/** Returns the program from the first of `folders` that has it. */
export async function findInFolders(
  command: string,
  folders: readonly string[],
  environment: Environment,
): Promise<ProgramFile | undefined> {
  for (const folder of folders) {
    const file = await firstRunnable(path.join(folder, command), environment);
    if (file !== undefined) return { file, folder };
  }
  return undefined;
}

/** Returns the folders of PATH without relative ones, which would depend on the current folder. */
export function pathFolders(environment: Environment): readonly string[] {
  const [, value = ''] = pathVariable(environment) ?? [];
  return value
    .split(path.delimiter)
    .map((folder) => folder.replaceAll(isWindows ? '"' : '\0', ''))
    .filter((folder) => path.isAbsolute(folder));
}

/**
 * Returns the path of a program in the system folder of Windows. By its name alone, Windows would
 * find it in the current folder first, where a repository could put any program.
 */
export function windowsProgram(name: string, environment = ownEnvironment): string {
  const { SystemRoot: root = '' } = environment;
  return path.win32.join(path.win32.isAbsolute(root) ? root : 'C:\\Windows', 'System32', name);
}

export const powershell = windowsProgram('WindowsPowerShell\\v1.0\\powershell.exe');

/** Returns `environment` with `folder` first in PATH. */
export function withPathFolder<T extends Environment>(
  environment: T,
  folder: string,
): T & Record<string, string> {
  const [name = 'PATH', value = ''] = pathVariable(environment) ?? [];
  return { ...environment, [name]: value === '' ? folder : folder + path.delimiter + value };
}

/** Windows spells it `Path` and ignores case. */
function pathVariable(environment: Environment): [string, string | undefined] | undefined {
  return Object.entries(environment).find(([name]) =>
    isWindows ? name.toUpperCase() === 'PATH' : name === 'PATH',
  );
}

function isPath(command: string): boolean {
  return command.includes('/') || (isWindows && /[\\:]/.test(command));
}

async function firstRunnable(base: string, environment: Environment): Promise<string | undefined> {
  for (const file of isWindows ? windowsNames(base, environment) : [base]) {
    if (await isRunnable(file)) return file;
  }
  return undefined;
}

/** Adds the extensions of launchers (`npx.cmd`), unless there is one already. */
export function windowsNames(base: string, environment: Environment): readonly string[] {
  const own = endingsIn(environment['PATHEXT'] ?? '');
  const endings = own.length === 0 ? endingsIn('.COM;.EXE;.BAT;.CMD') : own;
  const hasEnding = endings.includes(path.extname(base).toLowerCase());
  return hasEnding ? [base] : endings.map((ending) => base + ending);
}

/** Omits empty items, with which the script for other systems beside a launcher would be found. */
function endingsIn(list: string): readonly string[] {
  const endings = list.toLowerCase().split(';');
  return endings.filter((ending) => ending.startsWith('.'));
}

async function isRunnable(file: string): Promise<boolean> {
  try {
    const [isFile] = await Promise.all([isProgramFile(file), access(file, constants.X_OK)]);
    return isFile;
  } catch {
    // It is missing, unreadable or a loop of links: in each case not the file to start.
    return false;
  }
}

type Look = (file: string) => Promise<Pick<Stats, 'isFile' | 'isDirectory'>>;

/**
 * Returns true for a file. Windows refuses the facts about the target of an alias that it makes for
 * an app from its store, such as python.exe: only starting it follows it. Rejects if there is none.
 */
export async function isProgramFile(
  file: string,
  files: { stat: Look; lstat: Look; isWindows: boolean } = { stat, lstat, isWindows },
): Promise<boolean> {
  try {
    return (await files.stat(file)).isFile();
  } catch (error) {
    if (!files.isWindows || systemErrorCode(error) !== 'EACCES') throw error;
    return !(await files.lstat(file)).isDirectory();
  }
}
