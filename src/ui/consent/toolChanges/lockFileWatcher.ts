import * as vscode from 'vscode';
import type { LockFiles } from '../../../host/consent/pins/lockFiles';
import { lockFileName } from '../../../ids';
import { Debouncer } from '../../editor/debouncer';
import { watchFiles } from '../../editor/watchFiles';

/** Editors save in several steps, and a branch switch changes many files. */
const quietMs = 100;

/** Reloads the lock files of the workspace folders when they change. */
export class LockFileWatcher implements vscode.Disposable {
  readonly #locks: Pick<LockFiles, 'refresh'>;
  readonly #subscriptions: vscode.Disposable;
  #fileWatcher: vscode.Disposable | undefined;
  readonly #quiet = new Debouncer(() => void this.#locks.refresh(), quietMs);

  constructor(locks: Pick<LockFiles, 'refresh'>) {
    this.#locks = locks;
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.#watch();
        this.#quiet.start();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#quiet.start()),
    );
    this.#watch();
    void locks.refresh();
  }

  dispose(): void {
    this.#quiet.dispose();
    this.#subscriptions.dispose();
    this.#fileWatcher?.dispose();
  }

  #watch(): void {
    this.#fileWatcher?.dispose();
    const files = lockFileFolders().map(({ uri }) => vscode.Uri.joinPath(uri, lockFileName).fsPath);
    this.#fileWatcher = watchFiles(files, () => this.#quiet.start());
  }
}

/** Servers are programs of this computer, so only local folders have lock files for them. */
export function lockFileFolders(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}
