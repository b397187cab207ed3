import path from 'node:path';

const maxChars = 256;
/**
 * Limits for `**` in a glob and `*` in a segment. Each more multiplies the matching time of a file.
 */
const maxDeep = 2;
const maxInName = 2;
const maxInAll = 8;
const maxGroups = 4;
const maxChoices = 32;

/** Returns the globs that may be watched, and calls `refuse` for each other one. */
export function boundedGlobs(globs: readonly string[], refuse: () => void): string[] {
  return globs.filter((glob) => {
    const isBounded = isBoundedGlob(glob);
    if (!isBounded) refuse();
    return isBounded;
  });
}

/**
 * Returns true if VS Code can match a glob against every changed file in little time. VS Code uses
 * regular expressions without a time limit: `*a*a*a*a*b` and a file name of a hundred letters block
 * all extensions. Usual globs have one `**`, one `*` and a choice of endings.
 */
function isBoundedGlob(glob: string): boolean {
  if (glob.length > maxChars) return false;
  const names = glob.split('/');
  const deep = names.filter((name) => name === '**').length;
  const stars = names.filter((name) => name !== '**').map((name) => countOf(name, '*'));
  return (
    deep <= maxDeep &&
    stars.every((count) => count <= maxInName) &&
    stars.reduce((sum, count) => sum + count, 0) <= maxInAll &&
    countOf(glob, '{') <= maxGroups &&
    countOf(glob, ',') <= maxChoices &&
    !/\{[^}]*\{/.test(glob)
  );
}

function countOf(text: string, sign: string): number {
  return text.split(sign).length - 1;
}

/** Groups of endings for files that are edited together, by the ending of the script. */
const families: readonly (readonly string[])[] = [
  ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'],
  ['py'],
  ['rb'],
  ['go'],
  ['php'],
  ['lua'],
  ['pl'],
  ['sh'],
];

const usualGlob = 'src/**/*';

/**
 * Proposes the files to watch for a local server: those of the same kind as its script, in the
 * script's folder and below. A server without a script inside `folder` gets the usual glob.
 */
export function proposeWatchGlob(
  { command, args, cwd }: { command: string; args: readonly string[]; cwd?: string | undefined },
  folder: string,
): string {
  const inFolder = (text: string): string =>
    text.replace(/^\$\{workspaceFolder\}/, folder.replaceAll('$', '$$$$'));
  for (const part of [command, ...args]) {
    const ending = path.extname(part).slice(1).toLowerCase();
    const family = families.find((endings) => endings.includes(ending));
    if (family === undefined || part.startsWith('-')) continue;
    const script = path.resolve(folder, inFolder(cwd ?? ''), inFolder(part));
    const place = path.relative(folder, path.dirname(script)).split(path.sep).join('/');
    if (place.startsWith('..') || path.isAbsolute(place) || /[*?{}[\]]/.test(place)) continue;
    const endings = family.length === 1 ? family[0] : `{${family.join(',')}}`;
    return `${place === '' ? '' : `${place}/`}**/*.${endings}`;
  }
  return usualGlob;
}
