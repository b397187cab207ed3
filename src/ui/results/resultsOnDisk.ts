import * as vscode from 'vscode';
import type { Part } from '../../core/content/contentParts';
import type { ConnectionLog } from '../../core/log';
import { ResultSpool, WindowFolder } from '../../host/results/resultSpool';
import type { SettingsReader } from '../settings/settings';

/**
 * Keeps the large parts of results on disk. The folder is inside the storage that all windows
 * share, so that the next window removes files that another one has left.
 */
export class ResultsOnDisk implements vscode.Disposable {
  readonly folder: WindowFolder;
  readonly #spool: ResultSpool;

  constructor(
    { globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>,
    settings: Pick<SettingsReader, 'current'>,
    log: Pick<ConnectionLog, 'warn'>,
  ) {
    this.folder = new WindowFolder(vscode.Uri.joinPath(globalStorageUri, 'results').fsPath);
    this.#spool = new ResultSpool({
      folder: this.folder,
      aboveBytes: () => settings.current.spoolAboveBytes,
      onError: (error) => log.warn(`a large result stays in memory: ${String(error)}`),
    });
    void this.folder.sweep();
  }

  spool(parts: readonly Part[]): readonly Part[] {
    return this.#spool.spool(parts);
  }

  dispose(): void {
    this.folder.dispose();
  }
}
