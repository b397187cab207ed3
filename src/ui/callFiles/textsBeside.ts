import * as vscode from 'vscode';
import type { ExpectationContext } from '../../core/callFiles/expectations';
import { filesBeside } from '../../host/callFiles/filesBeside';

/**
 * Returns a reader for files that the call file names. Only files in an open workspace folder can
 * be read; unsaved changes are included.
 */
export function readerFor(uri: vscode.Uri): ExpectationContext['readText'] {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (uri.scheme !== 'file' || folder === undefined) {
    return () => Promise.resolve({ code: 'fileOutside' });
  }
  const read = filesBeside(uri.fsPath, folder.uri.fsPath);
  return async (named) => {
    const found = await read(named);
    if ('code' in found && found.code !== 'fileMissing') return found;
    const { path } = vscode.Uri.joinPath(uri, '..', named);
    const typed = vscode.workspace.textDocuments.find(
      (document) =>
        document.isDirty &&
        ['file', 'untitled'].includes(document.uri.scheme) &&
        document.uri.path === path,
    );
    return typed === undefined ? found : { text: typed.getText() };
  };
}
