import { windowFacts } from './windowFacts';

/** A path as a person would say it: from the workspace, or else from their home. */
export function shortPath(path: string, userHome: string): string {
  const relative = windowFacts().relativePath(path);
  return relative.startsWith(userHome) ? `~${relative.slice(userHome.length)}` : relative;
}
