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
