import nativePath, { type PlatformPath } from 'node:path';
import { lstat, realpath, readlink, statfs } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

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

const maxPathChars = 4_096;

/**
 * The absolute paths that `text` may mean, not normalised: itself, or below each of `bases` where
 * it is relative. `undefined` where a program may take it for something else: blanks and controls,
 * `~` and variables, URLs, what is encoded, signs that shells or lists are made of, letters that
 * some read as dots or separators, backslashes where they are no separators, and what Windows reads
 * in its own ways.
 */
export function candidatePaths(
  text: string,
  bases: readonly string[],
  path: PlatformPath,
): readonly string[] | undefined {
  if (text.length > maxPathChars) return undefined;
  const given = /^file:/i.test(text) ? pathOfUri(text, path) : text;
  if (given === undefined || given.trim() !== given || given === '') return undefined;
  if (/[\p{Cc}\p{Cf}\p{Cs}]/u.test(given) || /%[0-9a-f]{2}/i.test(given)) return undefined;
  if (given.startsWith('~') || /\$[\w{(]|%\w+%/.test(given)) return undefined;
  if (isMoreThanPath(given) || skeletonOf(given) !== skeletonOf(given.normalize('NFKC'))) {
    return undefined;
  }
  return path.sep === '\\' ? windowsPaths(given, bases) : posixPaths(given, bases);
}

/** An option, a quoted text, a pattern, a command, or several paths. */
function isMoreThanPath(given: string): boolean {
  return (
    /^[-@'"]|['"]$|[`|;<>*?{}"]/.test(given) ||
    /[\s:,=&](?:[/\\~]|\.\.(?:[/\\]|$))/.test(given.replace(/^[a-z]:/i, ''))
  );
}

/** The signs that decide where a path leads. */
function skeletonOf(text: string): string {
  return text.replaceAll(/[^/\\:.~]/g, '');
}

function posixPaths(given: string, bases: readonly string[]): readonly string[] | undefined {
  // Two slashes at the start may be a server's name; so may be what stands before a colon.
  if (given.includes('\\') || /^[^/]*:|^\/\//.test(given)) return undefined;
  if (given.startsWith('/')) return [given];
  return bases.length === 0 ? undefined : bases.map((base) => `${base}/${given}`);
}

function windowsPaths(text: string, bases: readonly string[]): readonly string[] | undefined {
  const given = text.replaceAll('/', '\\');
  const root = /^(?:[a-z]:\\|\\\\[^\\?.][^\\]*\\[^\\]+(?=\\|$))/i.exec(given)?.[0];
  const rest = given.slice(root?.length ?? 0);
  // Devices, streams, a drive's current folder, the root of whatever drive is current.
  if (/[:<>"|?*]/.test(rest) || (root === undefined && rest.startsWith('\\'))) return undefined;
  // Windows drops blanks and dots at the end of a name, and knows devices by some names.
  if (/[^\\.][ .]+(?:\\|$)|(?:^|\\)(?:\.{3,}|[ .]* [ .]*)(?:\\|$)/.test(rest)) return undefined;
  const plain = rest.normalize('NFKC');
  if (/(?:^|\\)(?:con(?:in\$|out\$)?|prn|aux|nul|(?:com|lpt)\d) *(?:\.|\\|$)/i.test(plain)) {
    return undefined;
  }
  // A short name (`SECRET~1`) is another name of something.
  if (/~\d/.test(rest)) return undefined;
  if (root !== undefined) return [given];
  return bases.length === 0 ? undefined : bases.map((base) => `${base}\\${given}`);
}

/** Only of URIs that every program reads alike. */
function pathOfUri(text: string, path: PlatformPath): string | undefined {
  if (!/^file:\/\/\/[^/]/i.test(text) || /[?#|\\\s]|(?:^|\/)\.\.?(?:\/|$)|%2e/i.test(text)) {
    return undefined;
  }
  try {
    return fileURLToPath(text, { windows: path.sep === '\\' });
  } catch {
    // Hosts, encoded separators, no drive: none that we would go by.
    return undefined;
  }
}

/** As many as Linux follows before it gives up. */
const maxLinks = 40;
const maxLinkSteps = 1_024;

/** The file system on which Linux shows processes, wherever it is mounted. */
const procType = 0x9fa0;

/** Places that are others for each process: its folder, its root, what it has open. */
const ofProcesses = /^\/(?:proc|\.vol|dev\/(?:fd|std\w+|tty))(?:\/|$)/i;

/**
 * Whether the way along `path`, an absolute one that is not normalised, leads through a place that
 * is another one for each process, such as `/proc/self/cwd` or `/dev/fd/3`: what is found there by us
 * says nothing about what a server finds. Links are followed one by one. `true` too where the way
 * cannot be told. Windows has no such places.
 */
async function leadsThroughProcess(path: string): Promise<boolean> {
  if (nativePath.sep === '\\') return false;
  const open = segmentsOf(path).toReversed();
  let at = '/';
  let links = 0;
  let steps = 0;
  for (let segment = open.pop(); segment !== undefined; segment = open.pop()) {
    if (++steps > maxLinkSteps) return true;
    const next = nativePath.posix.join(at, segment);
    if (ofProcesses.test(next)) return true;
    const target = segment === '..' ? undefined : await targetOf(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    if (++links > maxLinks || (await isProc(at))) return true;
    if (target.startsWith('/')) at = '/';
    open.push(...segmentsOf(target).toReversed());
  }
  return isProc(at);
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((each) => each !== '' && each !== '.');
}

/** `undefined` for what is no link; what is not there or cannot be looked at has no link behind it. */
async function targetOf(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch {
    return undefined;
  }
}

async function isProc(folder: string): Promise<boolean> {
  try {
    return (await statfs(folder)).type === procType;
  } catch {
    return false;
  }
}
