import * as l10n from '@vscode/l10n';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { isDocumentName } from '../../core/content/documentNames';
import {
  sizeOf,
  type ResultChange,
  type ResultEntry,
  type ResultNode,
  type ResultStore,
} from '../../host/results/resultStore';
import { registerFiles, resultFileOptions } from '../editor/fileSystems';
import { openUris } from '../editor/resultTabs';
import { BatchedEmitter } from './batchedEmitter';
import { isFilter, type FilteredResults } from './filteredResults';

/**
 * Kept results as read-only files for every editor and command of VS Code. A path that is not in
 * memory is looked up in the results of earlier sessions.
 */
export class ResultFileSystem implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #store: ResultStore;
  readonly #scheme: string;
  readonly #restore: (entryPath: string) => Promise<unknown>;
  readonly #filtered: Pick<FilteredResults, 'nodeAt'>;
  readonly #subscription: vscode.Disposable;

  readonly #changes = new BatchedEmitter<vscode.FileChangeEvent>();
  readonly #onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#onDidChangeFile.event;

  /** @param restore puts a result of an earlier session back into the store, if there is one */
  constructor(
    store: ResultStore,
    scheme: string,
    filtered: Pick<FilteredResults, 'nodeAt'>,
    restore: (entryPath: string) => Promise<unknown>,
  ) {
    this.#filtered = filtered;
    this.#store = store;
    this.#scheme = scheme;
    this.#restore = restore;
    this.#subscription = vscode.Disposable.from(
      store.onDidChange((change) => this.#changes.add(this.#eventsOf(change))),
      this.#changes.event((events) => this.#onDidChangeFile.fire([...events])),
      this.#changes,
    );
  }

  register(): vscode.Disposable {
    return registerFiles(this.#scheme, this, resultFileOptions());
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const node = await this.#find(uri);
    const permissions = vscode.FilePermission.Readonly;
    if (node.kind === 'folder') {
      const { createdAt: time } = node;
      const type = vscode.FileType.Directory;
      return { type, ctime: time, mtime: time, size: 0, permissions };
    }
    const { createdAt: time } = node.entry;
    const type = vscode.FileType.File;
    const size = await sizeOf(node.file);
    return { type, ctime: time, mtime: time, size, permissions };
  }

  async readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    const node = await this.#find(uri);
    if (node.kind === 'file') throw vscode.FileSystemError.FileNotADirectory(uri);
    return node.children.map(([name, kind]) => [
      name,
      kind === 'file' ? vscode.FileType.File : vscode.FileType.Directory,
    ]);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const node = await this.#find(uri);
    if (node.kind === 'folder') throw vscode.FileSystemError.FileIsADirectory(uri);
    return node.file.read();
  }

  /** Does nothing, because every change of a viewed entry is reported anyway. */
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

  async #find(uri: vscode.Uri): Promise<ResultNode> {
    const kept = this.#store.find(uri.path) ?? (await this.#findKept(uri.path));
    const node = isFilter(uri) ? this.#filtered.nodeAt(uri) : kept;
    // VS Code chooses the editor by the file name, so only names of documents are served.
    const isServed = node?.kind === 'folder' || isDocumentName(posix.basename(uri.path));
    if (node !== undefined && isServed) return node;
    throw vscode.FileSystemError.FileNotFound(
      l10n.t('This result is no longer available. Run the tool again.'),
    );
  }

  async #findKept(path: string): Promise<ResultNode | undefined> {
    const entryPath = /^\/[^/]+\/(?:calls|resources)\/[^/]+/.exec(path)?.[0];
    // An entry that is in the store and lacks this file does not get it by being restored.
    if (entryPath === undefined || this.#store.find(entryPath) !== undefined) return undefined;
    await this.#restore(entryPath);
    return this.#store.find(path);
  }

  #eventsOf(change: ResultChange): vscode.FileChangeEvent[] {
    if (!this.#store.lookedAt.has(change.entry.path)) return [];
    const now = change.kind === 'removed' ? [] : pathsOf(change.entry);
    const before =
      change.kind === 'added'
        ? []
        : pathsOf(change.kind === 'replaced' ? change.previous : change.entry);
    const filtered = openUris()
      .filter((uri) => isFilter(uri) && uri.path.startsWith(`${change.entry.path}/`))
      .map((uri) => ({ uri, type: vscode.FileChangeType.Changed }));
    const files = [...new Set([...before, ...now])].map((path) => ({
      uri: vscode.Uri.from({ scheme: this.#scheme, path }),
      type: !now.includes(path)
        ? vscode.FileChangeType.Deleted
        : before.includes(path)
          ? vscode.FileChangeType.Changed
          : vscode.FileChangeType.Created,
    }));
    return [...files, ...filtered];
  }
}

function pathsOf({ path, files }: ResultEntry): string[] {
  return files.map(({ name }) => `${path}/${name}`);
}
