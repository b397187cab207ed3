import { workspace } from 'vscode';

/** A path as a person would say it: from the workspace, or else from their home. */
export function shortPath(path: string, userHome: string): string {
  const relative = workspace.asRelativePath(path);
  return relative.startsWith(userHome) ? `~${relative.slice(userHome.length)}` : relative;
}
