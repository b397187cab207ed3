import type { PlatformPath } from 'node:path';
import { fileURLToPath } from 'node:url';

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
