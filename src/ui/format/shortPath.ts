import { windowFacts } from './windowFacts';

/** Returns a path relative to the workspace, or else to the home folder. */
export function shortPath(path: string, userHome: string): string {
  const relative = windowFacts().relativePath(path);
  return relative.startsWith(userHome) ? `~${relative.slice(userHome.length)}` : relative;
}
