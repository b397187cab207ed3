import * as vscode from 'vscode';

interface File {
  readonly createdAt: number;
  changedAt: number;
  content: Uint8Array;
}

/**
 * Files in memory. Each is created for one tool and deleted with its editor. Saving one only keeps
 * its text in memory, so VS Code does not ask whether to save.
 */
export class ArgumentFileSystem implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #files = new Map<string, File>();

  readonly #onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#onDidChangeFile.event;

  has(uri: vscode.Uri): boolean {
    return this.#files.has(uri.toString());
  }

  create(uri: vscode.Uri, text: string): void {
    const now = Date.now();
    const content = new TextEncoder().encode(text);
    this.#files.set(uri.toString(), { createdAt: now, changedAt: now, content });
  }

  forget(uri: vscode.Uri): void {
    if (!this.#files.delete(uri.toString())) return;
    this.#onDidChangeFile.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const file = this.#find(uri);
    return {
      type: vscode.FileType.File,
      ctime: file.createdAt,
      mtime: file.changedAt,
      size: file.content.length,
    };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#find(uri).content;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const file = this.#find(uri);
    file.content = content;
    file.changedAt = Date.now();
    this.#onDidChangeFile.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    // All changes come from this class and are reported anyway.
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#files.clear();
    this.#onDidChangeFile.dispose();
  }

  #find(uri: vscode.Uri): File {
    const file = this.#files.get(uri.toString());
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}
