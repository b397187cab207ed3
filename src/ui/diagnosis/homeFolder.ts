/** A separator of folders, also in JSON and in a file URI. */
const separator = String.raw`(?:[\\/]|%2[Ff]|%5[Cc])`;

/**
 * Replaces the home folder by `~`, because it often contains the user's name: as a path with either
 * separator, in JSON and in a file URI. Folders whose names only begin alike stay.
 */
export function hideHomeFolder(text: string, home: string, isWindows: boolean): string {
  const parts = home.split(isWindows ? /[\\/]+/ : /\/+/).filter((part) => part !== '');
  // A root folder as home would match everywhere.
  if (home.length < 3 || parts.length < (isWindows ? 2 : 1)) return text;
  const start = isWindows ? '' : separator;
  const folders = parts.map(patternOf).join(`${separator}+`);
  const pattern = new RegExp(
    String.raw`${start}${folders}(?![\p{L}\p{N}_-]|\.[\p{L}\p{N}_])`,
    isWindows ? 'giu' : 'gu',
  );
  return text.replaceAll(pattern, '~');
}

/** Returns a pattern for the name of a folder, also as it is written in a URI. */
function patternOf(name: string): string {
  const encoded = encodeURIComponent(name.replaceAll(/\p{Cs}/gu, '?'));
  return `(?:${[name, encoded].map(escaped).join('|')})`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
