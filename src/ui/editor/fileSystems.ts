import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

/** Serves a scheme before its file system is loaded, and forwards to it afterwards. */
export interface FileSystemStub {
  readonly scheme: string;
  /** @returns a disposable that stops the forwarding */
  take(files: vscode.FileSystemProvider): vscode.Disposable;
}

/**
 * Stubs by scheme. VS Code has one provider for each scheme, and a request without a provider
 * fails.
 */
const standIns = new Map<string, FileSystemStub>();

/** After this call {@link registerFiles} passes file systems of its scheme to the stub. */
export function announceFileSystemStub(standIn: FileSystemStub): vscode.Disposable {
  standIns.set(standIn.scheme, standIn);
  return new vscode.Disposable(() => standIns.delete(standIn.scheme));
}

/** Like `registerFileSystemProvider`, but uses the stub of the scheme if there is one. */
export function registerFiles(
  scheme: string,
  files: vscode.FileSystemProvider,
  options: Parameters<typeof vscode.workspace.registerFileSystemProvider>[2],
): vscode.Disposable {
  const standIn = standIns.get(scheme);
  if (standIn !== undefined) return standIn.take(files);
  return vscode.workspace.registerFileSystemProvider(scheme, files, options);
}

/** Options for result documents. */
export function resultFileOptions() {
  const isReadonly = new vscode.MarkdownString(
    l10n.t('Results are read-only. Save a copy to change it.'),
  );
  return { isReadonly, isCaseSensitive: true };
}

/** Options for arguments documents. */
export const argumentFileOptions = { isCaseSensitive: true };
