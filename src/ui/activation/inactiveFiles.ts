import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ApiCall, CallOutcome, ExactNumber, ServerSnapshot, ToolgateApi } from '../../api';
import { exactNumber } from '../../core/json/writtenNumber';
import { announceFileSystemStub, type FileSystemStub } from '../editor/fileSystems';
import { withSafePreviews } from '../results/markdownPreview';

/**
 * The file system of one of our schemes. It loads the real one on the first request, so that VS
 * Code always finds a provider, even while it restores documents.
 */
export class InactiveFileSystem
  implements vscode.FileSystemProvider, FileSystemStub, vscode.Disposable
{
  readonly scheme: string;
  readonly #wake: () => Promise<unknown>;
  readonly #registration: vscode.Disposable;
  #files: vscode.FileSystemProvider | undefined;
  #onDidTake = (): void => undefined;
  readonly #isTaken = new Promise<void>((resolve) => {
    this.#onDidTake = resolve;
  });

  readonly #onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#onDidChangeFile.event;

  constructor(
    scheme: string,
    options: Parameters<typeof vscode.workspace.registerFileSystemProvider>[2],
    wake: () => Promise<unknown>,
  ) {
    this.scheme = scheme;
    this.#wake = wake;
    this.#registration = vscode.Disposable.from(
      vscode.workspace.registerFileSystemProvider(scheme, this, options),
      announceFileSystemStub(this),
    );
  }

  take(files: vscode.FileSystemProvider): vscode.Disposable {
    this.#files = files;
    this.#onDidTake();
    const subscription = files.onDidChangeFile((changes) => this.#onDidChangeFile.fire(changes));
    return new vscode.Disposable(() => {
      subscription.dispose();
      if (this.#files === files) this.#files = undefined;
    });
  }

  /** Our file systems report every change by themselves. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return (await this.#there()).stat(uri);
  }

  async readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    return (await this.#there()).readDirectory(uri);
  }

  async createDirectory(uri: vscode.Uri): Promise<void> {
    await (await this.#there()).createDirectory(uri);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#there()).readFile(uri);
  }

  async writeFile(
    uri: vscode.Uri,
    content: Uint8Array,
    options: { readonly create: boolean; readonly overwrite: boolean },
  ): Promise<void> {
    await (await this.#there()).writeFile(uri, content, options);
  }

  async delete(uri: vscode.Uri, options: { readonly recursive: boolean }): Promise<void> {
    await (await this.#there()).delete(uri, options);
  }

  async rename(
    from: vscode.Uri,
    to: vscode.Uri,
    options: { readonly overwrite: boolean },
  ): Promise<void> {
    await (await this.#there()).rename(from, to, options);
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChangeFile.dispose();
  }

  /** Opening a document does not wait until the configuration has been read. */
  async #there(): Promise<vscode.FileSystemProvider> {
    if (this.#files === undefined) await Promise.race([this.#isTaken, this.#wake()]);
    if (this.#files === undefined) throw vscode.FileSystemError.Unavailable();
    return this.#files;
  }
}

/**
 * The API before the extension is loaded. It has no servers yet, and the first request loads the
 * rest.
 */
export class InactiveApi implements ToolgateApi, vscode.Disposable {
  readonly version = 1;
  /**
   * VS Code's Markdown preview calls it, because the manifest declares it. It is not for other
   * callers.
   */
  readonly extendMarkdownIt = withSafePreviews;
  readonly #wake: () => Promise<ToolgateApi>;
  /** Set by the first request for a server. */
  #waking: Promise<ToolgateApi> | undefined;
  #awake: ToolgateApi | undefined;
  #subscription: vscode.Disposable | undefined;

  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(wake: () => Promise<ToolgateApi>) {
    this.#wake = wake;
  }

  /** Forwards everything to the real API from now on. */
  follow(awake: ToolgateApi): void {
    this.#awake = awake;
    this.#subscription = awake.onDidChange(() => this.#onDidChange.fire());
    this.#onDidChange.fire();
  }

  get servers(): readonly ServerSnapshot[] {
    return this.#awake?.servers ?? [];
  }

  async start(serverId: string): Promise<ServerSnapshot> {
    this.#waking = this.#wake();
    return (await this.#waking).start(serverId);
  }

  async stop(serverId: string): Promise<void> {
    // A pending start is awaited first, so that it can be stopped.
    const waking = await this.#waking?.catch(() => undefined);
    await (waking ?? this.#awake)?.stop(serverId);
  }

  exactNumber(json: string): ExactNumber {
    return exactNumber(json);
  }

  async callTool(call: ApiCall, token?: vscode.CancellationToken): Promise<CallOutcome> {
    let awake: ToolgateApi;
    try {
      awake = await this.#wake();
    } catch (error) {
      const message = l10n.t('Toolgate could not be loaded. ({0})', String(error));
      return { kind: 'failed', durationMs: 0, error: { code: 'notLoaded', message } };
    }
    return awake.callTool(call, token);
  }

  dispose(): void {
    this.#subscription?.dispose();
    this.#onDidChange.dispose();
  }
}
