import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { isNotFound } from '../../storage/setAside';
import { Turns } from './pinTurns';

/** Adds a line to what is written; resolves when there is room for more. */
export type WriteLine = (line: string) => Promise<void>;

const blockChars = 256 * 1024;

/** Adds lines at the end of a file that there is. @throws what the file system throws */
export async function appendLines(
  file: string,
  fill: (write: WriteLine) => Promise<void>,
): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_APPEND);
  try {
    await writeLines(handle, fill);
  } finally {
    await handle.close();
  }
}

/**
 * Writes a file as a whole and then gives it its name, so that nobody sees half of it. With
 * `replaces` it takes the place of one that is there, otherwise that one stays.
 * @throws what the file system throws
 */
export async function writeWhole(
  file: string,
  fill: (write: WriteLine) => Promise<void>,
  replaces: boolean,
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await writeLines(handle, fill);
      // Before it gets its name, or a power cut leaves a name without content.
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (replaces) await rename(temporary, file);
    else await linkOrRename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Gathers lines to writes of a good size, in slices. */
async function writeLines(
  handle: FileHandle,
  fill: (write: WriteLine) => Promise<void>,
): Promise<void> {
  const turns = new Turns();
  let lines: string[] = [];
  let chars = 0;
  const flush = async (): Promise<void> => {
    const text = lines.join('');
    lines = [];
    chars = 0;
    if (text !== '') await handle.writeFile(text);
  };
  await fill(async (line) => {
    lines.push(line);
    chars += line.length;
    if (chars >= blockChars) await flush();
    if (turns.isOver) await turns.next();
  });
  await flush();
}

/** Some file systems know no links. */
async function linkOrRename(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    if (!(await exists(to))) await rename(from, to);
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
