import { readFileSync, statSync } from 'node:fs';
import * as vscode from 'vscode';

const maxFileBytes = 4 * 1024 * 1024;

/** What a file holds, if it is there. */
export type ReadText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly reason: string };

export async function readText(uri: vscode.Uri): Promise<ReadText> {
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > maxFileBytes) {
      return { kind: 'unreadable', reason: vscode.l10n.t('larger than {0} bytes', maxFileBytes) };
    }
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    return { kind: 'text', text };
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') {
      return { kind: 'absent' };
    }
    return { kind: 'unreadable', reason: error instanceof Error ? error.message : String(error) };
  }
}

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
