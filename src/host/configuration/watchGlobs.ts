import path from 'node:path';

const maxChars = 256;
/** `**` in all of it, and `*` in one name: each more multiplies the time that a file costs. */
const maxDeep = 2;
const maxInName = 2;
const maxInAll = 8;
const maxGroups = 4;
const maxChoices = 32;

/** Those of `globs` that may be watched; `refuse` is called for each other one. */
export function boundedGlobs(globs: readonly string[], refuse: () => void): string[] {
  return globs.filter((glob) => {
    const isBounded = isBoundedGlob(glob);
    if (!isBounded) refuse();
    return isBounded;
  });
}

/**
 * Whether VS Code can hold every file that changes against a glob soon. It makes regular expressions
 * of them, which nothing stops: `*a*a*a*a*b` and a file of a hundred letters hold up all extensions.
 * What people write has one `**`, one `*` and a choice of endings.
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

/** Files that are edited together, by the ending of the one that is run. */
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
 * The files that belong to a local server, from the script that it runs: those of its kind in the
 * folder of the script and below. A server that runs none within `folder` gets the usual place.
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
