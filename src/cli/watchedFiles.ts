import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { lockFileName } from '../ids';
import { workspaceFiles } from '../host/configuration/configurationFormats';
import type { ServerConfig } from '../host/configuration/serverConfig';
import type { CliOptions } from './cliOptions';

/** What a run reads: a change of it means another run. */
export interface WatchedFiles {
  /** Call files, configurations, rules, programs: a change while the run goes on counts, too. */
  readonly own: readonly string[];
  /** Folders with endings of files that count when they change after the run: servers may write there. */
  readonly beside: ReadonlyMap<string, ReadonlySet<string>>;
  /** Files that the run writes. */
  readonly written: ReadonlySet<string>;
}

/** By whole path: when a file was written and how long it is. */
export type FileStamps = ReadonlyMap<string, string>;

/** Of servers only programs in the folder are watched: others do not change while one works. */
export function watchedFiles(
  folder: string,
  { serverConfig, allow, environments, output }: CliOptions,
  callFiles: readonly string[],
  servers: readonly ServerConfig[],
): WatchedFiles {
  const inFolder = (names: readonly (string | undefined)[]) =>
    names.flatMap((name) => (name === undefined ? [] : [path.resolve(folder, name)]));
  const named = [serverConfig, allow, environments, lockFileName, '.vscode/settings.json'];
  const programs = servers.flatMap(({ transport }) => {
    const args = transport.kind === 'stdio' ? [transport.command, ...transport.args] : [];
    return inFolder(args).filter((file) => isBelow(folder, file) && path.extname(file) !== '');
  });
  const beside = new Map<string, Set<string>>();
  const look = (file: string, ending: string): void => {
    const endings = beside.get(path.dirname(file)) ?? new Set();
    beside.set(path.dirname(file), endings.add(ending));
  };
  for (const file of callFiles) ['.json', '.mcpcall'].forEach((ending) => look(file, ending));
  for (const file of programs) look(file, path.extname(file));
  return {
    own: [
      ...callFiles,
      ...workspaceFiles(folder).map((each) => each.path),
      ...inFolder(named),
      ...programs,
    ],
    beside,
    written: new Set(inFolder(output.map(({ file }) => file))),
  };
}

export async function ownStamps({ own }: WatchedFiles): Promise<FileStamps> {
  return stampsOf(own);
}

export async function stampsBeside({ beside, written }: WatchedFiles): Promise<FileStamps> {
  const lists = await Promise.all(
    [...beside].map(async ([folder, endings]) => {
      const names = await readdir(folder).catch(() => []);
      const fitting = names.filter((name) => endings.has(path.extname(name)));
      return fitting.map((name) => path.join(folder, name)).filter((file) => !written.has(file));
    }),
  );
  return stampsOf(lists.flat());
}

async function stampsOf(files: readonly string[]): Promise<FileStamps> {
  const all = await Promise.all(
    files.map(async (file): Promise<[string, string]> => {
      const facts = await stat(file).catch(() => undefined);
      return [file, facts === undefined ? '' : `${facts.mtimeMs} ${facts.size}`];
    }),
  );
  return new Map(all);
}

function isBelow(folder: string, file: string): boolean {
  const inside = path.relative(folder, file).split(path.sep);
  return (
    !path.isAbsolute(inside.join(path.sep)) &&
    inside[0] !== '..' &&
    !inside.includes('node_modules')
  );
}
