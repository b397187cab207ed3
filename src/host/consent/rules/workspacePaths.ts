import nativePath, { type PlatformPath } from 'node:path';
import { lstat, realpath, readlink, statfs } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ifNotFound, isNotFound } from '../../../core/bounds/systemError';

/** The target of a path; `unclear` counts on the strict side. */
export type PathPlace = 'inside' | 'outside' | 'unclear';

const maxSegments = 256;

/**
 * Determines whether `text`, a path or a `file:` URI, leads into one of `folders` (absolute paths),
 * or to one of them. Symbolic links are followed as far as files exist. A relative path is resolved
 * against each of `folders` and against the server's working directory `cwd`, and is `unclear` if
 * they differ. Also `unclear` are paths that programs read differently (`..` after a link, `~`,
 * variables), paths that cannot be accessed, paths through places that every process has of its own
 * (`/proc/self/cwd`), and paths that differ from a folder only by case or Unicode normalization.
 * The result describes the present state: a link may change later, and hard links cannot be
 * detected. Never rejects.
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
    // Access is denied, links form a loop, or a name is too long.
    return 'unclear';
  }
}

/**
 * Accessing a network share reveals the user to another machine, so only shares of open folders are
 * accessed.
 */
function isForeignShare(path: string, folders: readonly string[]): boolean {
  const share = shareOf(path);
  return share !== undefined && !folders.some((folder) => shareOf(folder) === share);
}

function shareOf(path: string): string | undefined {
  if (nativePath.sep !== '\\' || !/^[\\/]{2}/.test(path)) return undefined;
  return nativePath.parse(path).root.toLowerCase();
}

/** Some programs remove `..` from the text first, while the system follows links first. */
function readings(path: string): Promise<string>[] {
  const asText = follow(nativePath.normalize(path));
  return /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path) ? [asText, followEach(path)] : [asText];
}

/** Returns the real path of `path`. The part that does not exist is appended unchanged. */
async function follow(path: string, depth = 0): Promise<string> {
  if (depth > maxSegments) throw new Error('too many folders that do not exist');
  try {
    return await realpath(path);
  } catch (error) {
    if (!isNotFound(error) || (await isThere(path))) throw error;
    const parent = nativePath.dirname(path);
    if (parent === path) throw error;
    return nativePath.join(await follow(parent, depth + 1), nativePath.basename(path));
  }
}

/** Resolves step by step, as the system does. */
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

/** A dangling link exists, because writing through it creates its target. */
function isThere(path: string): Promise<boolean> {
  return lstat(path).then(() => true, ifNotFound(false));
}

function placeOf(end: string, roots: readonly string[]): PathPlace {
  if (roots.some((root) => isBelow(end, root))) return 'inside';
  const isAlike = roots.some((root) => isBelow(foldedPath(end), foldedPath(root)));
  return isAlike ? 'unclear' : 'outside';
}

/** Makes names equal that some file systems treat as equal. */
export function foldedPath(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase();
}

function isBelow(path: string, root: string): boolean {
  const { sep } = nativePath;
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

const maxPathChars = 4_096;

/**
 * Returns the absolute paths that `text` may mean, not normalized: itself, or below each of `bases`
 * if it is relative. Returns `undefined` if a program may read it differently: spaces and control
 * characters, `~` and variables, URLs, encoded characters, characters of shells or lists, letters
 * that some read as dots or separators, backslashes that are no separators, and special forms of
 * Windows.
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

/** Matches an option, a quoted text, a pattern, a command, or several paths. */
function isMoreThanPath(given: string): boolean {
  return (
    /^[-@'"]|['"]$|[`|;<>*?{}"]/.test(given) ||
    /[\s:,=&](?:[/\\~]|\.\.(?:[/\\]|$))/.test(given.replace(/^[a-z]:/i, ''))
  );
}

/** Returns the characters that decide where a path leads. */
function skeletonOf(text: string): string {
  return text.replaceAll(/[^/\\:.~]/g, '');
}

function posixPaths(given: string, bases: readonly string[]): readonly string[] | undefined {
  // Two slashes at the start, or text before a colon, may name a host.
  if (given.includes('\\') || /^[^/]*:|^\/\//.test(given)) return undefined;
  if (given.startsWith('/')) return [given];
  return bases.length === 0 ? undefined : bases.map((base) => `${base}/${given}`);
}

function windowsPaths(text: string, bases: readonly string[]): readonly string[] | undefined {
  const given = text.replaceAll('/', '\\');
  const root = /^(?:[a-z]:\\|\\\\[^\\?.][^\\]*\\[^\\]+(?=\\|$))/i.exec(given)?.[0];
  const rest = given.slice(root?.length ?? 0);
  // Devices, streams, a drive's current folder, or the root of the current drive.
  if (/[:<>"|?*]/.test(rest) || (root === undefined && rest.startsWith('\\'))) return undefined;
  // Windows drops spaces and dots at the end of a name, and has reserved device names.
  if (/[^\\.][ .]+(?:\\|$)|(?:^|\\)(?:\.{3,}|[ .]* [ .]*)(?:\\|$)/.test(rest)) return undefined;
  const plain = rest.normalize('NFKC');
  if (/(?:^|\\)(?:con(?:in\$|out\$)?|prn|aux|nul|(?:com|lpt)\d) *(?:\.|\\|$)/i.test(plain)) {
    return undefined;
  }
  // A short name (`SECRET~1`) is another name of a file.
  if (/~\d/.test(rest)) return undefined;
  if (root !== undefined) return [given];
  return bases.length === 0 ? undefined : bases.map((base) => `${base}\\${given}`);
}

/** Returns the path of URIs that every program reads alike. */
function pathOfUri(text: string, path: PlatformPath): string | undefined {
  if (!/^file:\/\/\/[^/]/i.test(text) || /[?#|\\\s]|(?:^|\/)\.\.?(?:\/|$)|%2e/i.test(text)) {
    return undefined;
  }
  try {
    return fileURLToPath(text, { windows: path.sep === '\\' });
  } catch {
    // Hosts, encoded separators or a missing drive make it ambiguous.
    return undefined;
  }
}

/** The limit of Linux. */
const maxLinks = 40;
const maxLinkSteps = 1_024;

/** Type of the file system in which Linux shows processes, wherever it is mounted. */
const procType = 0x9fa0;

/** Places that differ for each process: its folder, its root, its open files. */
const ofProcesses = /^\/(?:proc|\.vol|dev\/(?:fd|std\w+|tty))(?:\/|$)/i;

/**
 * Returns true if the absolute, not normalized `path` leads through a place that differs for each
 * process, such as `/proc/self/cwd` or `/dev/fd/3`, because a server may find something else there.
 * Links are followed one by one. Also returns true if this cannot be determined. Windows has no
 * such places.
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

/** Returns `undefined` for anything but a link, including missing and inaccessible files. */
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
