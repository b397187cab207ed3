import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { FileRefusedError, readRegularFileSync } from '../../core/bounds/regularFile';

/** No system gives a process more in its environment. */
const maxFileBytes = 1024 * 1024;

/**
 * A file that an entry names may be anything, also a device that never ends or a share that wants
 * to know who asks: only regular files, and none for a workspace that nobody trusts.
 */
export function readNamedFile(path: string): string {
  if (!vscode.workspace.isTrusted) {
    throw new Error(l10n.t('not read while the workspace is not trusted'));
  }
  try {
    return readRegularFileSync(path, maxFileBytes).toString('utf8');
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw error;
    if (error.refusal !== 'tooLarge') {
      throw new Error(l10n.t('not a file'), { cause: error });
    }
    throw new Error(l10n.t('larger than {0} bytes', maxFileBytes), { cause: error });
  }
}
