import * as vscode from 'vscode';
import type { JsonObject } from '../../core/json/jsonValue';
import { toSchemaGuide } from '../../core/schema/schemaGuide';
import { argumentSlots, schemaScheme } from '../../ids';

interface File {
  readonly createdAt: number;
  changedAt: number;
  content: Uint8Array;
}

/**
 * Files in memory. Each is created for one tool and deleted once VS Code has closed its document.
 * Saving one only keeps its text in memory, so VS Code does not ask whether to save.
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

  /**
   * Tells VS Code that the file is gone, so that its editor cannot be reopened. The file itself stays
   * until `forget`, because VS Code may still save it, and opens an editor again if that fails.
   */
  close(uri: vscode.Uri): void {
    this.#onDidChangeFile.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
  }

  forget(uri: vscode.Uri): void {
    this.#files.delete(uri.toString());
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

/**
 * Provides the schemas with which VS Code's JSON language service helps in argument documents. VS
 * Code connects schemas and documents only by patterns in the manifest, so there is a fixed number
 * of slots. A document takes a slot when it is opened and has it as the first part of its
 * authority.
 */
export class ArgumentSchemas implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** The schemas of the slots that are in use. */
  readonly #guides = new Map<number, JsonObject | undefined>();
  readonly #sources = new Map<number, JsonObject>();
  #last = 0;

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  // It is registered after the event exists, because VS Code reads the event only once, at
  // registration.
  readonly #subscription = vscode.workspace.registerTextDocumentContentProvider(schemaScheme, this);

  /**
   * Returns a free slot, counted from 1, or 0 if all are in use; slot 0 shows nothing. Slots are
   * used in turn, so that a new document does not start with what the language service has cached.
   */
  take(): number {
    for (let count = 0; count < argumentSlots; count += 1) {
      this.#last = (this.#last % argumentSlots) + 1;
      if (this.#guides.has(this.#last)) continue;
      this.#guides.set(this.#last, undefined);
      return this.#last;
    }
    return 0;
  }

  /** Uses `schema` from now on. A schema that is too large is ignored. */
  show(slot: number, schema: JsonObject): void {
    if (slot === 0 || this.#sources.get(slot) === schema) return;
    this.#sources.set(slot, schema);
    this.#guides.set(slot, toSchemaGuide(schema));
    this.#onDidChange.fire(schemaUri(slot));
  }

  free(slot: number): void {
    this.#sources.delete(slot);
    if (this.#guides.delete(slot)) this.#onDidChange.fire(schemaUri(slot));
  }

  provideTextDocumentContent({ path }: vscode.Uri): string {
    const slot = Number(path.slice(path.lastIndexOf('/') + 1));
    return JSON.stringify(this.#guides.get(slot) ?? { allowTrailingCommas: true });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }
}

function schemaUri(slot: number): vscode.Uri {
  return vscode.Uri.from({ scheme: schemaScheme, authority: 'arguments', path: `/${slot}` });
}
