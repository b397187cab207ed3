import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isWithin } from '../../core/bounds/pathWithin';
import { readRegularFile } from '../../core/bounds/regularFile';
import { isAlive } from '../../core/stdio/aliveProcess';
import { maxWindowBytes, parseWindow, windowsFolderName, type AgentWindow } from './agentProtocol';
import { temporaryEnding, writeAtomically } from '../storage/atomicWrite';
import { latestFirst } from '../storage/recordFile';

/** Upper bound for the windows of one machine. */
const maxWindows = 1_000;
/** A younger file that cannot be read may still be in the course of being written. */
const unreadableMs = 60_000;

/** The published record of this window, until it is withdrawn. */
export interface WrittenWindow {
  withdraw(): Promise<void>;
}

/**
 * Publishes where this window serves agents, for bridges, and removes what windows that are gone
 * left behind. Only the user can access `folder` and the file.
 * @throws what the file system throws
 */
export async function writeWindow(folder: string, window: AgentWindow): Promise<WrittenWindow> {
  const windows = path.join(folder, windowsFolderName);
  await mkdir(windows, { recursive: true, mode: 0o700 });
  for (const each of [folder, windows]) await chmod(each, 0o700);
  for (const [file, known] of await readAll(windows, ['.json', temporaryEnding])) {
    if (known === undefined ? await isYoung(file) : isAlive(known.pid)) continue;
    await rm(file, { force: true });
    if (known !== undefined) await removeLeftSocket(known.socket);
  }
  const file = path.join(windows, `${randomUUID()}.json`);
  await writeAtomically(file, (handle) => handle.writeFile(JSON.stringify(window)));
  return { withdraw: () => rm(file, { force: true }) };
}

/** Returns the windows of this machine that serve agents now, according to their files. */
export async function readWindows(folder: string): Promise<readonly AgentWindow[]> {
  const all = await readAll(path.join(folder, windowsFolderName)).catch(() => []);
  return all.flatMap(([, window]) => (window !== undefined && isAlive(window.pid) ? [window] : []));
}

/**
 * Returns the windows whose socket only the user can have made, because it is in a private folder
 * of the user. Other users can recreate the folder of a window that was killed.
 */
export async function windowsOfUser(
  folder: string,
  windows: readonly AgentWindow[],
): Promise<readonly AgentWindow[]> {
  // On Windows, pipes are in no folder.
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
 * Removes the socket of a window that was killed, if its folder has a name of Toolgate. Another
 * user may own the folder now, so only the socket is removed.
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
 * Returns the window with the innermost workspace folder around `folder`; of several, the one that
 * was opened last. All paths are real paths.
 */
export function windowForFolder(
  folder: string,
  windows: readonly AgentWindow[],
): AgentWindow | undefined {
  const fitting = windows.flatMap((window) =>
    window.folders
      .filter((each) => isWithin(each, folder))
      .map((each) => ({ window, depth: each.length })),
  );
  const [best] = latestFirst(fitting, ({ window }) => window.startedAt).toSorted(
    (one, other) => other.depth - one.depth,
  );
  return best?.window;
}
