import { readFileSync, statSync } from 'node:fs';
import * as vscode from 'vscode';

/** No system gives a process more in its environment. */
const maxFileBytes = 1024 * 1024;

/**
 * A file that an entry names may be anything, also a device that never ends or a share that wants
 * to know who asks: only regular files, and none for a workspace that nobody trusts.
 */
export function readNamedFile(path: string): string {
  if (!vscode.workspace.isTrusted) {
    throw new Error(vscode.l10n.t('not read while the workspace is not trusted'));
  }
  const stat = statSync(path);
  if (!stat.isFile()) throw new Error(vscode.l10n.t('not a file'));
  if (stat.size > maxFileBytes) {
    throw new Error(vscode.l10n.t('larger than {0} bytes', maxFileBytes));
  }
  return readFileSync(path, 'utf8');
}
