import * as vscode from 'vscode';
import type { ResultChange, ResultEntry, ResultStore } from '../../host/resultStore';

/** The results that are kept, as read-only files for every editor and command of VS Code. */
export class ResultFileSystem implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #store: ResultStore;
  readonly #scheme: string;
  readonly #subscription: vscode.Disposable;

  readonly #onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#onDidChangeFile.event;

  constructor(store: ResultStore, scheme: string) {
    this.#store = store;
    this.#scheme = scheme;
    this.#subscription = store.onDidChange((change) => {
      this.#onDidChangeFile.fire(this.#eventsOf(change));
    });
  }

  register(): vscode.Disposable {
    const isReadonly = new vscode.MarkdownString(
      vscode.l10n.t('This is what a tool answered. To change it, save it as a file of your own.'),
    );
    const options = { isReadonly, isCaseSensitive: true };
    return vscode.workspace.registerFileSystemProvider(this.#scheme, this, options);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const node = this.#find(uri);
    const permissions = vscode.FilePermission.Readonly;
    if (node.kind === 'folder') {
      const { createdAt: time } = node;
      const type = vscode.FileType.Directory;
      return { type, ctime: time, mtime: time, size: 0, permissions };
    }
    const { createdAt: time } = node.entry;
    const type = vscode.FileType.File;
    return { type, ctime: time, mtime: time, size: node.file.size, permissions };
  }

  readDirectory(uri: vscode.Uri): [string, vscode.FileType][] {
    const node = this.#find(uri);
    if (node.kind === 'file') throw vscode.FileSystemError.FileNotADirectory(uri);
    return node.children.map(([name, kind]) => [
      name,
      kind === 'file' ? vscode.FileType.File : vscode.FileType.Directory,
    ]);
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const node = this.#find(uri);
    if (node.kind === 'folder') throw vscode.FileSystemError.FileIsADirectory(uri);
    return node.file.read();
  }

  /** Every change is told, watched or not. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChangeFile.dispose();
  }

  #find(uri: vscode.Uri) {
    const node = this.#store.find(uri.path);
    if (node !== undefined) return node;
    throw vscode.FileSystemError.FileNotFound(
      vscode.l10n.t('This result is not in memory any more. Run the tool again.'),
    );
  }

  #eventsOf(change: ResultChange): vscode.FileChangeEvent[] {
    const now = change.kind === 'removed' ? [] : pathsOf(change.entry);
    const before =
      change.kind === 'added'
        ? []
        : pathsOf(change.kind === 'replaced' ? change.previous : change.entry);
    return [...new Set([...before, ...now])].map((path) => ({
      uri: vscode.Uri.from({ scheme: this.#scheme, path }),
      type: !now.includes(path)
        ? vscode.FileChangeType.Deleted
        : before.includes(path)
          ? vscode.FileChangeType.Changed
          : vscode.FileChangeType.Created,
    }));
  }
}

function pathsOf({ path, files }: ResultEntry): string[] {
  return files.map(({ name }) => `${path}/${name}`);
}
