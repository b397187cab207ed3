import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

/** What stands at a scheme of ours before its files do, and asks them from then on. */
export interface FileStandIn {
  readonly scheme: string;
  /** @returns what lets them go again */
  take(files: vscode.FileSystemProvider): vscode.Disposable;
}

/** By scheme. VS Code has one place for each, and whoever asks while nobody stands there is told no. */
const standIns = new Map<string, FileStandIn>();

/** From now on {@link registerFiles} hands files of its scheme to it. */
export function announceStandIn(standIn: FileStandIn): vscode.Disposable {
  standIns.set(standIn.scheme, standIn);
  return new vscode.Disposable(() => standIns.delete(standIn.scheme));
}

/** As `registerFileSystemProvider`, also where something stands in for these files already. */
export function registerFiles(
  scheme: string,
  files: vscode.FileSystemProvider,
  options: Parameters<typeof vscode.workspace.registerFileSystemProvider>[2],
): vscode.Disposable {
  const standIn = standIns.get(scheme);
  if (standIn !== undefined) return standIn.take(files);
  return vscode.workspace.registerFileSystemProvider(scheme, files, options);
}

/** Of results. */
export function resultFileOptions() {
  const isReadonly = new vscode.MarkdownString(
    l10n.t('Results are read-only. Save a copy to change it.'),
  );
  return { isReadonly, isCaseSensitive: true };
}

/** Of the documents in which arguments are entered. */
export const argumentFileOptions = { isCaseSensitive: true };
