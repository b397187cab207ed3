import { stat } from 'node:fs/promises';
import path from 'node:path';
import { readRegularFile } from '../bounds/regularFile';
import { McpError } from '../errors';
import { findOnPath, type StdioProgram } from './findProgram';
import type { Environment } from './stdioEnvironment';

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

/** The program that a batch file starts, with the arguments that precede its own. */
interface ScriptStart {
  /** A path, or a name to search on PATH. */
  readonly program: string;
  readonly args: readonly string[];
  /** Variables that it sets before the start; an empty value unsets. */
  readonly env: Readonly<Record<string, string>>;
}

/** Lines that do not affect the started program, in lower case and without a leading `@`. */
const neutral =
  /^(?:|::.*|rem\b.*|echo off|setlocal|endlocal|goto start|:\w+|call :find_dp0|exit \/b.*|if (?:not )?(?:exist "[^"]*"|defined \w+) \(|if %errorlevel% neq 0 exit \/b.*|\) else \(|\)|chcp \d+ ?> ?nul)$/;
/** The line with which npm searches for a newer npm; its own is found without it. */
const npmPrefix = 'for /f "delims=" %%f in (\'call "%node_exe%" "%npm_prefix_js%"\') do (';
/** The prefix with which npm's launchers discard their variables before they start a program. */
const forgetting = /^endlocal & goto #_undefined_# 2>nul \|\| title %comspec% & /i;
const setting = /^set (?:"([^="]+)=([^"]*)"|([^="\s]+)=([^"&|<>^]*))$/i;
const word = /\s*(?:"([^"]*)"|([^\s"&|<>^()]+))/y;
/** Limit for alternatives: launchers name two or three places. */
const maxChoices = 8;
/** Limit for replaced variables in all texts of a launcher; some have twenty. */
const maxReplaced = 2_000;

/**
 * Returns the programs that the launcher of a package manager may start, the likeliest first; empty
 * for a batch file that does anything other than start one program with all of its arguments.
 * `file` is its path.
 */
export function programsOfScript(
  text: string,
  file: string,
  environment: Environment,
): readonly ScriptStart[] {
  const values = new Map<string, string[]>();
  const words: { readonly forgets: boolean; readonly texts: readonly string[] }[] = [];
  for (const written of text.split(/\r?\n/)) {
    const line = written.trim().replace(/^@/, '').trim();
    const [, name = '', value = '', bareName = name, bareValue = value] = setting.exec(line) ?? [];
    if (bareName !== '') {
      const key = bareName.toUpperCase();
      values.set(key, [...(values.get(key) ?? []), bareValue]);
    } else if (line.includes('%*')) {
      const texts = wordsOf(line.replace(forgetting, '').replace(/^call /i, ''));
      if (texts === undefined) return [];
      words.push({ forgets: forgetting.test(line), texts });
    } else if (!neutral.test(line.toLowerCase()) && line.toLowerCase() !== npmPrefix) return [];
  }
  const expand = expander(file, values, environment);
  return words.flatMap(({ forgets, texts }) => {
    const [programs = [], ...rest] = texts.map((each) => expand(each));
    const args = rest.map(([first]) => first);
    if (!args.every((arg) => arg !== undefined)) return [];
    const env = forgets ? {} : setVariables(values, expand, environment);
    return programs.map((program) => ({ program, args, env }));
  });
}

/** Returns the words before `%*`, which must be the last one. */
function wordsOf(line: string): readonly string[] | undefined {
  const texts: string[] = [];
  word.lastIndex = 0;
  let end = 0;
  for (let match = word.exec(line); match !== null; match = word.exec(line)) {
    end = word.lastIndex;
    texts.push(match[1] ?? match[2] ?? '');
  }
  const isWhole = line.slice(end).trim() === '' && texts.pop() === '%*';
  return isWhole && texts.length > 0 && !texts.includes('%*') ? texts : undefined;
}

type Expand = (text: string, seen?: readonly string[]) => readonly string[];

/**
 * Returns a function that expands a text of the script to its possible values, in the script's
 * order of preference.
 */
function expander(
  file: string,
  values: ReadonlyMap<string, readonly string[]>,
  environment: Environment,
): Expand {
  const folder = `${path.win32.dirname(file)}\\`;
  const ofSystem = (name: string): string =>
    Object.entries(environment).find(([each]) => each.toUpperCase() === name)?.[1] ?? '';
  let replaced = 0;
  const expand: Expand = (text, seen = []) => {
    const [variable, named = ''] = /%~dp0|%~n0|%(\w+)%|%/i.exec(text) ?? [];
    if (variable === undefined) return [text];
    replaced += 1;
    // Variables may refer to each other in a cycle.
    if (replaced > maxReplaced) return [];
    const name = named.toUpperCase();
    // Loop variables and substrings of variables cannot be expanded here.
    if (variable === '%') return [];
    const own = seen.includes(name) ? undefined : values.get(name);
    const stands =
      name === ''
        ? [variable.toLowerCase() === '%~dp0' ? folder : path.win32.parse(file).name]
        : (own?.flatMap((value) => expand(value, [...seen, name])) ?? [ofSystem(name)]);
    return stands
      .flatMap((value) => {
        const at = text.indexOf(variable);
        const after = expand(text.slice(at + variable.length), seen);
        return after.map((rest) => text.slice(0, at) + value + rest);
      })
      .slice(0, maxChoices);
  };
  return (text, seen) => expand(text, seen).map(normal);
}

function normal(text: string): string {
  return path.win32.isAbsolute(text) ? path.win32.normalize(text) : text;
}

/**
 * Returns the variables that the program sees; one that is already set is extended if the script
 * does so.
 */
function setVariables(
  values: ReadonlyMap<string, readonly string[]>,
  expand: Expand,
  environment: Environment,
): Record<string, string> {
  const isSet = (name: string): boolean =>
    Object.entries(environment).some(
      ([each, value]) => each.toUpperCase() === name && value !== '',
    );
  return Object.fromEntries(
    [...values].flatMap(([name, texts]) => {
      const adds = (text: string) => text.toUpperCase().includes(`%${name}%`);
      const text = texts.find((each) => adds(each) === isSet(name)) ?? texts[0] ?? '';
      // A reference to itself means the value in the environment.
      const [value] = expand(text, [name]);
      return value === undefined || name === 'PATHEXT' ? [] : [[name, value]];
    }),
  );
}
