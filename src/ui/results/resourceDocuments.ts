import * as vscode from 'vscode';
import { toResourceParts } from '../../core/content/content';
import type { OpenResource, ReadAgain } from '../../host/resources/liveResources';
import type { RememberedResources } from '../../host/resources/rememberedResources';
import type { ResultStore } from '../../host/results/resultStore';
import { mayRead } from './linkOpening';
import type { KeptResult, ResultDocuments } from './resultDocuments';
import { ResourceReader, type ResourceReaderOptions } from './resultResources';
import { foldersOf } from './resultTabs';
import { toWaitingFile } from './waitingFile';

/** A resource as documents. */
export interface ResourceDocument extends OpenResource {
  /** Epoch ms; absent: its tab came back with the window, and it was not read since. */
  readonly readAt?: number;
  readonly files: readonly vscode.Uri[];
}

export interface ResourceDocumentsOptions extends ResourceReaderOptions {
  readonly scheme: string;
  readonly documents: ResultDocuments;
  readonly store: Pick<ResultStore, 'addResource' | 'reserveResource'>;
  /** What was open in an earlier session; absent: nothing was. */
  readonly remembered?: RememberedResources;
  /** Whether a tab shows something of what is kept at this path. */
  readonly isOpen: (entryPath: string) => boolean;
  /** Shows what a person wants to see first of it. */
  readonly show: (kept: KeptResult) => Promise<unknown>;
}

/** What reading resources brought, as documents: one for each resource, however often it is read. */
export class ResourceDocuments implements vscode.Disposable {
  readonly #options: ResourceDocumentsOptions;
  readonly #reader: ResourceReader;
  readonly #tabs: vscode.Disposable;
  /** Documents that came back and were not read since, by the path of their folder. */
  readonly #waiting = new Map<string, ResourceDocument>();

  readonly #onWillRead = new vscode.EventEmitter<OpenResource>();
  /** Somebody wants to see this resource: it is read next. */
  readonly onWillRead = this.#onWillRead.event;
  readonly #onDidRestore = new vscode.EventEmitter<void>();
  /** Documents of an earlier session are there again. */
  readonly onDidRestore = this.#onDidRestore.event;

  constructor(options: ResourceDocumentsOptions) {
    this.#options = options;
    this.#reader = new ResourceReader(options);
    const { remembered, store } = options;
    // Before anything else is read: their tabs show these paths.
    for (const { path, serverId, uri } of remembered?.all ?? []) {
      store.reserveResource(path, serverId, uri);
    }
    this.#tabs = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.#remember(closed));
  }

  /**
   * Reads a resource and opens what came, in place of what reading it brought before. Never
   * rejects: a failure is told, and is `false`. `isRefresh` asks the server whatever it said before.
   */
  async open(serverId: string, uri: string, isRefresh = false): Promise<boolean> {
    if (!mayRead(uri)) return false;
    this.#onWillRead.fire({ serverId, uri });
    const startedAt = Date.now();
    const contents = await this.#reader.read(serverId, uri, isRefresh);
    if (contents === undefined) return false;
    const durationMs = Date.now() - startedAt;
    const kept = this.keep({ serverId, uri, contents, startedAt, durationMs });
    await this.#options.show(kept);
    return true;
  }

  /** Keeps what reading brought, in place of what it brought before; open documents follow. */
  keep({ serverId, uri, contents, startedAt, durationMs }: ReadAgain): KeptResult {
    const { registry, documents } = this.#options;
    const facts = {
      origin: { kind: 'resource', uri },
      serverLabel: registry.find(serverId)?.config.label ?? serverId,
      createdAt: startedAt,
      durationMs,
      isError: false,
      isExternal: false,
      violations: [],
      missingStructuredContent: false,
    } as const;
    const parts = toResourceParts(contents, { title: 'resource' });
    const kept = documents.keep({ serverId, facts, parts });
    this.#waiting.delete(kept.entry.path);
    this.#remember([]);
    return kept;
  }

  /**
   * Puts the documents of an earlier session back where they were, with a word on what to do in
   * place of what they hold; `false` when none are remembered. Nothing is read.
   */
  restore(path: string): boolean {
    const { remembered, store, registry, scheme } = this.#options;
    const resource = remembered?.at(path);
    if (resource === undefined) return false;
    const { serverId, uri } = resource;
    const serverLabel = registry.find(serverId)?.config.label ?? serverId;
    const files = resource.files.map((name) => toWaitingFile(name, serverLabel, uri));
    // It may have been dropped, and its path with it.
    store.reserveResource(path, serverId, uri);
    const entry = store.addResource(uri, { serverId, createdAt: Date.now(), files });
    const uris = files.map(({ name }) =>
      vscode.Uri.from({ scheme, path: `${entry.path}/${name}` }),
    );
    this.#waiting.set(entry.path, { serverId, uri, files: uris });
    // Whoever asked for the file gets it first.
    setImmediate(() => this.#onDidRestore.fire());
    return true;
  }

  /** The resource that this is a document of. */
  of(uri: vscode.Uri): ResourceDocument | undefined {
    const kept = this.#options.documents.find(uri);
    if (kept !== undefined) return toDocument(kept);
    if (uri.scheme !== this.#options.scheme) return undefined;
    return this.#waiting.get(uri.path.split('/').slice(0, 4).join('/'));
  }

  /** Those of which a tab shows something. */
  get opened(): readonly ResourceDocument[] {
    const { documents, isOpen } = this.#options;
    const waiting = [...this.#waiting].flatMap(([path, document]) =>
      isOpen(path) ? [document] : [],
    );
    const read = [...documents.results].flatMap((kept) => {
      const document = toDocument(kept);
      return document !== undefined && isOpen(kept.entry.path) ? [document] : [];
    });
    return [...waiting, ...read];
  }

  dispose(): void {
    this.#tabs.dispose();
    this.#onWillRead.dispose();
    this.#onDidRestore.dispose();
  }

  #remember(closed: readonly vscode.Tab[]): void {
    const { remembered, documents, isOpen, scheme } = this.#options;
    if (remembered === undefined) return;
    // By what was closed, not by what is open: the tabs of a window come back one after the other.
    for (const path of foldersOf(closed, scheme)) if (!isOpen(path)) remembered.forget(path);
    for (const { entry, facts } of documents.results) {
      if (facts.origin.kind !== 'resource' || !isOpen(entry.path)) continue;
      const { serverId, path } = entry;
      const files = entry.files.map(({ name }) => name);
      remembered.remember({ serverId, uri: facts.origin.uri, path, files });
    }
  }
}

function toDocument({ entry, facts, overviewUri }: KeptResult): ResourceDocument | undefined {
  const { origin, createdAt: readAt } = facts;
  if (origin.kind !== 'resource') return undefined;
  const files = entry.files.map(({ name }) => overviewUri.with({ path: `${entry.path}/${name}` }));
  return { serverId: entry.serverId, uri: origin.uri, readAt, files };
}
