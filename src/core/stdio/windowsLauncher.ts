import { stat } from 'node:fs/promises';
import path from 'node:path';
import { readRegularFile } from '../bounds/regularFile';
import { McpError } from '../errors';
import { findOnPath, type StdioProgram } from './findProgram';
import { programsOfScript, type ScriptStart } from './launcherScript';

/** Launchers have about 500 bytes; larger files do more than start a program. */
const maxLauncherBytes = 64 * 1024;
/** A launcher may start another: `uvx.cmd` starts one of `mise`, and that starts its program. */
const maxLaunchers = 4;

/** Characters in arguments that cmd.exe, which runs batch files, interprets. */
const commandSigns = /["%^&|<>\r\n]/;

/** File access for finding the program. */
export interface LauncherFiles {
  /** Resolves with `undefined` if the file cannot be read. */
  readonly read: (file: string) => Promise<string | undefined>;
  /** Resolves with the file of a program, which may be given by name. */
  readonly find: (program: string, by: StdioProgram) => Promise<string | undefined>;
  readonly isThere: (file: string) => Promise<boolean>;
}

const onDisk: LauncherFiles = {
  read: (file) => readRegularFile(file, maxLauncherBytes).then(String, () => undefined),
  find: (program, { env, cwd }) =>
    findOnPath(program, env, cwd).then(
      (found) => found?.file,
      () => undefined,
    ),
  isThere: (file) =>
    stat(file).then(
      () => true,
      () => false,
    ),
};

/**
 * Returns the program behind a Windows launcher (`npx.cmd`), so that cmd.exe, which would parse the
 * arguments twice, is not used. A batch file that is no launcher is kept, and gets no arguments
 * that cmd.exe would take for commands.
 * @throws {McpError} spawnFailed for such an argument
 */
export async function resolveLauncher(
  given: StdioProgram,
  look: LauncherFiles = onDisk,
): Promise<StdioProgram> {
  let program = given;
  for (let count = 0; isBatchFile(program.file) && count < maxLaunchers; count += 1) {
    const behind = await behindLauncher(program, look);
    if (behind === undefined) break;
    program = behind;
  }
  if (!isBatchFile(program.file)) return program;
  const at = given.args.findIndex((arg) => commandSigns.test(arg));
  if (at >= 0) {
    const name = path.win32.basename(given.file);
    const detail = `${name} is a batch file, and Windows could run part of argument ${at + 1} as a command; configure the program that ${name} starts`;
    throw new McpError('spawnFailed', { detail });
  }
  return { ...given, args: given.args.map(withDoubledEnd) };
}

function isBatchFile(file: string): boolean {
  return /\.(?:cmd|bat)$/i.test(file);
}

async function behindLauncher(
  program: StdioProgram,
  look: LauncherFiles,
): Promise<StdioProgram | undefined> {
  const text = await look.read(program.file);
  if (text === undefined) return undefined;
  for (const start of programsOfScript(text, program.file, program.env)) {
    const by = { ...program, env: withVariables(program.env, start.env) };
    const file = await look.find(start.program, by);
    if (file !== undefined && (await areThere(start, look))) {
      return { ...by, file, args: [...start.args, ...program.args] };
    }
  }
  return undefined;
}

async function areThere({ args }: ScriptStart, look: LauncherFiles): Promise<boolean> {
  const files = args.filter((arg) => path.win32.isAbsolute(arg));
  const there = await Promise.all(files.map((file) => look.isThere(file)));
  return there.every(Boolean);
}

/** Windows ignores case in the names of environment variables. */
function withVariables(
  env: Readonly<Record<string, string>>,
  set: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => set[name.toUpperCase()] === undefined);
  return Object.fromEntries([...kept, ...Object.entries(set).filter(([, value]) => value !== '')]);
}

/**
 * cross-spawn doubles only the last backslash, but the quote after it needs all of them doubled.
 */
function withDoubledEnd(arg: string): string {
  const [end = ''] = /\\*$/.exec(arg) ?? [];
  return arg + '\\'.repeat(Math.max(0, end.length - 1));
}
