import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CliOutput } from './cliOutput';
import { type ExitCode, UsageError, exitCodes } from './exitCodes';
import { readdir, stat } from 'node:fs/promises';
import { lockFileName } from '../ids';
import { workspaceFiles } from '../host/configuration/configurationFormats';
import type { ServerConfig } from '../host/configuration/serverConfig';
import { isWithin } from '../core/bounds/pathWithin';
import type { CliOptions } from './cliOptions';

/**
 * Minimum pause in milliseconds between two checks; the pause is at least ten times as long as a
 * check.
 */
const lookMs = 200;
const stillMs = 100;
/** After this many checks, files are read even if they still change. */
const maxLooks = 20;

interface WatchRunsOptions {
  readonly folder: string;
  readonly output: Pick<CliOutput, 'notify'>;
  /** Returns the files that the next run reads. @throws {UsageError} */
  readonly look: () => Promise<WatchedFiles>;
  /**
   * Runs everything once, passes a function that cancels the run, and tells which watched files the
   * run itself has written. @throws {UsageError}
   */
  readonly runOnce: (
    onCancel: (cancel: () => void) => void,
    onWritten: (file: string) => Promise<void>,
  ) => Promise<ExitCode>;
  readonly onCancel: (cancel: () => void) => void;
}

/**
 * Runs again whenever a file that the run reads has changed, until it is cancelled. @throws
 * {UsageError} of the first run
 */
export async function watchRuns(options: WatchRunsOptions): Promise<ExitCode> {
  const { folder, output, look, runOnce } = options;
  const ending = new AbortController();
  let cancelRun: (() => void) | undefined;
  options.onCancel(() => {
    ending.abort();
    cancelRun?.();
  });
  let watched = await look();
  for (let count = 1; ; count += 1) {
    const before = new Map(await ownStamps(watched));
    const onWritten = async (file: string): Promise<void> => {
      for (const [name, stamp] of await stampsOf([file])) before.set(name, stamp);
    };
    try {
      await runOnce((cancel) => {
        cancelRun = cancel;
        if (ending.signal.aborted) cancel();
      }, onWritten);
    } catch (error) {
      if (count === 1 || !(error instanceof UsageError)) throw error;
      output.notify(error.message);
    }
    if (ending.signal.aborted) return exitCodes.cancelled;
    const beside = await stampsBeside(watched);
    output.notify('Waiting for changes. Ctrl+C ends this.');
    const changed = await nextChange(watched, before, beside, ending.signal);
    if (changed === undefined) return exitCodes.cancelled;
    output.notify(`Changed: ${path.relative(folder, changed)}`);
    // While a file is only partly written, the files that it names are unknown.
    watched = await look().catch(() => watched);
    if (ending.signal.aborted) return exitCodes.cancelled;
  }
}

/** Waits for a changed file; `undefined` after a cancellation. */
async function nextChange(
  watched: WatchedFiles,
  own: FileStamps,
  beside: FileStamps,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    const startedAt = performance.now();
    const changed =
      firstChange(own, await ownStamps(watched)) ??
      firstChange(beside, await stampsBeside(watched));
    if (changed !== undefined) await untilStill(watched, signal);
    if (signal.aborted || changed !== undefined) return signal.aborted ? undefined : changed;
    const pause = Math.max(lookMs, 10 * (performance.now() - startedAt));
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Waits until two checks find no change, because a file is truncated before it is written again.
 */
async function untilStill(watched: WatchedFiles, signal: AbortSignal): Promise<void> {
  let last = await ownStamps(watched);
  for (let looks = 0; looks < maxLooks && !signal.aborted; looks += 1) {
    await delay(stillMs, undefined, { signal }).catch(() => undefined);
    const now = await ownStamps(watched);
    if (firstChange(last, now) === undefined) return;
    last = now;
  }
}

function firstChange(before: FileStamps, now: FileStamps): string | undefined {
  const files = new Set([...before.keys(), ...now.keys()]);
  return [...files].find((file) => before.get(file) !== now.get(file));
}

/** Files whose change begins another run. */
export interface WatchedFiles {
  /** Call files, configurations, rules and programs; changes during the run count too. */
  readonly own: readonly string[];
  /**
   * Folders with file extensions that count only if a file changes after the run, because servers
   * may write there.
   */
  readonly beside: ReadonlyMap<string, ReadonlySet<string>>;
  /** Files that the run writes. */
  readonly written: ReadonlySet<string>;
}

/** Time and size of files by their whole paths. */
type FileStamps = ReadonlyMap<string, string>;

/** Collects the files to watch; of the programs of servers only those in the folder. */
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
    return inFolder(args).filter(
      (file) => path.extname(file) !== '' && isWithin(folder, file) && !isInstalled(folder, file),
    );
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

async function ownStamps({ own }: WatchedFiles): Promise<FileStamps> {
  return stampsOf(own);
}

async function stampsBeside({ beside, written }: WatchedFiles): Promise<FileStamps> {
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

function isInstalled(folder: string, file: string): boolean {
  return path.relative(folder, file).split(path.sep).includes('node_modules');
}
