import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readRegularFile } from '../../core/bounds/regularFile';
import { isAlive } from '../storage/exclusiveLocks';
import { maxWindowBytes, parseWindow, windowsFolderName, type AgentWindow } from './agentProtocol';
import { latestFirst } from '../storage/latestFirst';

/** More windows than a machine has. */
const maxWindows = 1_000;
/** What is younger and cannot be read may be about to be written. */
const unreadableMs = 60_000;
const halfWritten = '.tmp';

/** What is written down of this window, until it is withdrawn. */
export interface WrittenWindow {
  withdraw(): Promise<void>;
}

/**
 * Writes down where this window serves agents, for their bridges, and clears away what windows left
 * that are gone. `folder` and the file are for nobody but the user.
 * @throws what the file system throws
 */
export async function writeWindow(folder: string, window: AgentWindow): Promise<WrittenWindow> {
  const windows = path.join(folder, windowsFolderName);
  await mkdir(windows, { recursive: true, mode: 0o700 });
  for (const each of [folder, windows]) await chmod(each, 0o700);
  for (const [file, known] of await readAll(windows, ['.json', halfWritten])) {
    if (known === undefined ? await isYoung(file) : isAlive(known.pid)) continue;
    await rm(file, { force: true });
    if (known !== undefined) await removeLeftSocket(known.socket);
  }
  const file = path.join(windows, `${randomUUID()}.json`);
  const before = `${file}${halfWritten}`;
  await writeFile(before, JSON.stringify(window), { mode: 0o600, flag: 'wx' });
  // Whoever reads finds it whole or not at all.
  await rename(before, file);
  return { withdraw: () => rm(file, { force: true }) };
}

/** The windows of this machine that serve agents now, as far as their files say. */
export async function readWindows(folder: string): Promise<readonly AgentWindow[]> {
  const all = await readAll(path.join(folder, windowsFolderName)).catch(() => []);
  return all.flatMap(([, window]) => (window !== undefined && isAlive(window.pid) ? [window] : []));
}

/**
 * Those whose socket nobody but the user can have made: it lies in a folder of theirs that only they
 * may enter. Once the folder of a window that was killed is gone, anybody can make one of its name.
 */
export async function ownWindows(
  folder: string,
  windows: readonly AgentWindow[],
): Promise<readonly AgentWindow[]> {
  // Pipes of Windows lie in no folder.
  if (process.platform === 'win32') return windows;
  const users = [(await stat(folder)).uid, process.getuid?.()];
  const are = await Promise.all(
    windows.map(async ({ socket }) => {
      const found = await lstat(path.dirname(socket)).catch(() => undefined);
      const isOpen = found === undefined || (found.mode & 0o077) !== 0;
      return !isOpen && found.isDirectory() && users.includes(found.uid);
    }),
  );
  return windows.filter((_, index) => are[index]);
}

/**
 * What a window that was killed could not take away: a folder of ours, by its name. By now it may be
 * somebody else's, so nothing in it but the socket is touched.
 */
async function removeLeftSocket(socket: string): Promise<void> {
  const own = path.dirname(socket);
  if (!path.isAbsolute(socket) || !/^toolgate\w{6}$/.test(path.basename(own))) return;
  await rm(socket, { force: true }).catch(() => undefined);
  await rmdir(own).catch(() => undefined);
}

async function isYoung(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < unreadableMs;
}

async function readAll(
  windows: string,
  endings: readonly string[] = ['.json'],
): Promise<readonly (readonly [file: string, window: AgentWindow | undefined])[]> {
  const names = (await readdir(windows)).filter((name) =>
    endings.some((ending) => name.endsWith(ending)),
  );
  return Promise.all(
    names.slice(0, maxWindows).map(async (name) => {
      const file = path.join(windows, name);
      return [file, await readOne(file)] as const;
    }),
  );
}

async function readOne(file: string): Promise<AgentWindow | undefined> {
  try {
    return parseWindow((await readRegularFile(file, maxWindowBytes)).toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * The window that `folder` belongs to: the one with the innermost of its folders around it, and of
 * several the one that was opened last. All are real paths.
 */
export function windowOf(folder: string, windows: readonly AgentWindow[]): AgentWindow | undefined {
  const fitting = windows.flatMap((window) =>
    window.folders
      .filter((each) => isInside(folder, each))
      .map((each) => ({ window, depth: each.length })),
  );
  const [best] = latestFirst(fitting, ({ window }) => window.startedAt).toSorted(
    (one, other) => other.depth - one.depth,
  );
  return best?.window;
}

function isInside(folder: string, outer: string): boolean {
  const way = path.relative(outer, folder);
  return way === '' || (!path.isAbsolute(way) && way.split(path.sep)[0] !== '..');
}
