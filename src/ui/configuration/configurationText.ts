import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { FileRefusedError } from '../../core/bounds/regularFile';
import { maxNamedFileBytes, readNamedText } from '../../host/configuration/readConfiguration';

/**
 * A file that an entry names may be anything, also a device that never ends or a share that wants
 * to know who asks: only regular files, and none for a workspace that nobody trusts.
 */
export function readNamedFile(path: string): string {
  if (!vscode.workspace.isTrusted) {
    throw new Error(l10n.t('not read while the workspace is not trusted'));
  }
  try {
    return readNamedText(path);
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw error;
    if (error.refusal !== 'tooLarge') {
      throw new Error(l10n.t('not a file'), { cause: error });
    }
    throw new Error(l10n.t('larger than {0} bytes', maxNamedFileBytes), { cause: error });
  }
}
