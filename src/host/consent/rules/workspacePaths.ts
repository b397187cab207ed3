import { lstat, realpath } from 'node:fs/promises';
import nativePath from 'node:path';
import { candidatePaths } from './pathText';
import { leadsThroughProcess } from './processLinks';

/** Where a path leads; `unclear` counts on the strict side. */
export type PathPlace = 'inside' | 'outside' | 'unclear';

const maxSegments = 256;

/**
 * Whether `text`, a path or a `file:` URI, leads into one of `folders` (absolute paths), or to one
 * of them. Symbolic links are followed as far as anything exists. A relative path is tried below
 * each of `folders` and below `cwd`, where the server runs, and is `unclear` if they differ; so is
 * whatever programs read differently (`..` behind a link, `~`, variables), whatever cannot be
 * looked at, what leads through places that each process has of its own (`/proc/self/cwd`), and what
 * differs from a folder only by case or in how letters are put together. Says how things are now: a link may be
 * turned afterwards, and hard links cannot be told. Never rejects.
 */
export async function placeInWorkspace(
  text: string,
  folders: readonly string[],
  cwd?: string,
): Promise<PathPlace> {
  const bases = cwd === undefined ? folders : [...folders, cwd];
  const candidates = candidatePaths(text, bases, nativePath);
  if (candidates === undefined || candidates.some((path) => isForeignShare(path, folders))) {
    return 'unclear';
  }
  try {
    const ways = [
      ...candidates,
      ...candidates.map((path) => nativePath.normalize(path)),
      ...folders,
    ];
    if ((await Promise.all(ways.map(leadsThroughProcess))).includes(true)) return 'unclear';
    const roots = await Promise.all(folders.map((folder) => follow(folder)));
    const ends = await Promise.all(candidates.flatMap(readings));
    const places = new Set(ends.map((end) => placeOf(end, roots)));
    const [place = 'unclear'] = places;
    return places.size === 1 ? place : 'unclear';
  } catch {
    // No right to look, a loop of links, a name too long.
    return 'unclear';
  }
}

/** Looking at a share tells another machine who asks, so only those that are open anyway. */
function isForeignShare(path: string, folders: readonly string[]): boolean {
  const share = shareOf(path);
  return share !== undefined && !folders.some((folder) => shareOf(folder) === share);
}

function shareOf(path: string): string | undefined {
  if (nativePath.sep !== '\\' || !/^[\\/]{2}/.test(path)) return undefined;
  return nativePath.parse(path).root.toLowerCase();
}

/** Some programs take `..` out of the text first, the system follows links first. */
function readings(path: string): Promise<string>[] {
  const asText = follow(nativePath.normalize(path));
  return /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path) ? [asText, followEach(path)] : [asText];
}

/** Where `path` really is; what does not exist stays as it is below what does. */
async function follow(path: string, depth = 0): Promise<string> {
  if (depth > maxSegments) throw new Error('too many folders that do not exist');
  try {
    return await realpath(path);
  } catch (error) {
    if (!isAbsent(error) || (await isThere(path))) throw error;
    const parent = nativePath.dirname(path);
    if (parent === path) throw error;
    return nativePath.join(await follow(parent, depth + 1), nativePath.basename(path));
  }
}

/** Step by step, as the system does it. */
async function followEach(path: string): Promise<string> {
  const { root } = nativePath.parse(path);
  const segments = path
    .slice(root.length)
    .split(/[\\/]/)
    .filter((each) => each !== '');
  if (segments.length > maxSegments) throw new Error('too many folders');
  let at = root;
  for (const segment of segments) at = await follow(nativePath.join(at, segment));
  return at;
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** A link to nothing is there; what is written through it goes elsewhere. */
async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

function placeOf(end: string, roots: readonly string[]): PathPlace {
  if (roots.some((root) => isBelow(end, root))) return 'inside';
  const isAlike = roots.some((root) => isBelow(folded(end), folded(root)));
  return isAlike ? 'unclear' : 'outside';
}

/** What some file systems take for the same name. */
function folded(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase();
}

function isBelow(path: string, root: string): boolean {
  const { sep } = nativePath;
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
