/**
 * Facts about the window that texts depend on. Only VS Code knows them, and texts are created
 * without it.
 */
interface WindowFacts {
  /** The display language, as a language tag. */
  readonly language: string;
  readonly isTrusted: () => boolean;
  /** Returns the path relative to its workspace folder, if it is in one. */
  readonly relativePath: (path: string) => string;
}

let facts: WindowFacts = {
  language: 'en',
  isTrusted: () => true,
  relativePath: (path) => path,
};

/** `start.ts` calls it once, before any text is created. */
export function setWindowFacts(given: WindowFacts): void {
  facts = given;
}

export function windowFacts(): WindowFacts {
  return facts;
}

/** Joins the parts of a list that is inside a sentence; lists after a colon have commas only. */
export function formatList(parts: readonly string[], type: 'and' | 'or' = 'and'): string {
  const format = { type: type === 'and' ? 'conjunction' : 'disjunction' } as const;
  return new Intl.ListFormat(windowFacts().language, format).format(parts);
}

/** Returns a path relative to the workspace, or else to the home folder. */
export function shortPath(path: string, userHome: string): string {
  const relative = windowFacts().relativePath(path);
  return relative.startsWith(userHome) ? `~${relative.slice(userHome.length)}` : relative;
}
