import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { toResourceParts } from '../../core/content/content';
import { documentLanguage, languageOfDocument } from '../../core/content/documentNames';
import type { ResourceContents } from '../../core/types';
import type { OpenResource, ReloadedResource } from '../../host/resources/liveResources';
import type { RememberedResources } from '../../host/resources/serverLists';
import type { ResultStore, StoredFile } from '../../host/results/resultStore';
import { notify } from '../editor/messages';
import { foldersOf } from '../editor/resultTabs';
import type { SkillNote } from '../format/formatSkill';
import { quoted } from '../format/sentences';
import { mayRead } from './linkOpening';
import type { StoredResult, ResultDocuments } from './resultDocuments';
import { ResourceReader, type ResourceReaderOptions } from './resultResources';

/** A resource as documents. */
export interface ResourceDocument extends OpenResource {
  /**
   * Milliseconds since the epoch. Absent if the tab was restored with the window and the resource
   * was not read since.
   */
  readonly readAt?: number;
  /** Set for a file of a skill. */
  readonly skill?: SkillNote;
  readonly files: readonly vscode.Uri[];
}

/** Compares files with the skills that their servers list. */
export interface SkillChecks {
  /** Returns why a file is not to be read. */
  readonly refusal: (serverId: string, uri: string) => string | undefined;
  /** Compares what was read with its entry; `undefined` for a file of no skill. */
  readonly note: (
    serverId: string,
    uri: string,
    contents: readonly ResourceContents[],
  ) => SkillNote | undefined;
}

interface ResourceDocumentsOptions extends ResourceReaderOptions {
  readonly scheme: string;
  readonly documents: ResultDocuments;
  readonly store: Pick<ResultStore, 'addResource' | 'reserveResource'>;
  /** Resources that were open in an earlier session. Defaults to none. */
  readonly remembered?: RememberedResources;
  /** Returns true if a tab shows a document of the entry at this path. */
  readonly isOpen: (entryPath: string) => boolean;
  /** Absent: nothing is compared with skills. */
  readonly skills?: SkillChecks;
  /** Shows the primary document of a result. */
  readonly show: (kept: StoredResult) => Promise<unknown>;
}

/** Documents of resources that were read. Each resource has one entry, however often it is read. */
export class ResourceDocuments implements vscode.Disposable {
  readonly #options: ResourceDocumentsOptions;
  readonly #reader: ResourceReader;
  readonly #tabs: vscode.Disposable;
  /** Restored documents that were not read since, by the path of their folder. */
  readonly #waiting = new Map<string, ResourceDocument>();

  readonly #onWillRead = new vscode.EventEmitter<OpenResource>();
  /** Fires before a resource is read because the user wants to see it. */
  readonly onWillRead = this.#onWillRead.event;
  readonly #onDidRead = new vscode.EventEmitter<OpenResource>();
  /** Fires after such a resource was read. */
  readonly onDidRead = this.#onDidRead.event;
  readonly #onDidRestore = new vscode.EventEmitter<void>();
  /** Fires when documents of an earlier session were restored. */
  readonly onDidRestore = this.#onDidRestore.event;

  constructor(options: ResourceDocumentsOptions) {
    this.#options = options;
    this.#reader = new ResourceReader(options);
    const { remembered, store } = options;
    // Reserved before anything else is read, because their tabs show these paths.
    for (const { path, serverId, uri } of remembered?.all ?? []) {
      store.reserveResource(path, serverId, uri);
    }
    this.#tabs = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.#remember(closed));
  }

  /**
   * Reads a resource and opens it, in place of what was read before. Never rejects: a failure is
   * shown, and gives `false`. `isRefresh` asks the server even if its earlier answer is still
   * valid.
   */
  async open(serverId: string, uri: string, isRefresh = false): Promise<boolean> {
    if (!mayRead(uri)) return false;
    const refusal = this.#options.skills?.refusal(serverId, uri);
    if (refusal !== undefined) {
      notify('warning', refusal);
      return false;
    }
    this.#onWillRead.fire({ serverId, uri });
    const startedAt = Date.now();
    const read = await this.#reader.read(serverId, uri, isRefresh);
    if (read === undefined) return false;
    const durationMs = Date.now() - startedAt;
    const kept = this.keep({ serverId, uri, read, startedAt, durationMs });
    this.#onDidRead.fire({ serverId, uri });
    await this.#options.show(kept);
    return true;
  }

  /** Keeps what was read, in place of what was read before. Open documents are updated. */
  keep({ serverId, uri, read, startedAt, durationMs }: ReloadedResource): StoredResult {
    const { registry, documents, skills } = this.#options;
    const skill = skills?.note(serverId, uri, read.contents);
    const facts = {
      origin: { kind: 'resource', uri },
      serverLabel: registry.find(serverId)?.config.label ?? serverId,
      createdAt: startedAt,
      durationMs,
      isError: false,
      isExternal: false,
      violations: [],
      missingStructuredContent: false,
      ...(skill === undefined ? {} : { skill }),
    } as const;
    const parts = toResourceParts(read, { title: 'resource' });
    const kept = documents.keep({ serverId, facts, parts });
    this.#waiting.delete(kept.entry.path);
    this.#remember([]);
    return kept;
  }

  /**
   * Restores the documents of an earlier session at their paths, with a hint on what to do instead
   * of their content. Returns `false` if none are remembered. The resource is not read.
   */
  restore(path: string): boolean {
    const { remembered, store, registry, scheme } = this.#options;
    const resource = remembered?.at(path);
    if (resource === undefined) return false;
    const { serverId, uri } = resource;
    const serverLabel = registry.find(serverId)?.config.label ?? serverId;
    const files = resource.files.map((name) => toWaitingFile(name, serverLabel, uri));
    // The entry may have been dropped, and its path with it.
    store.reserveResource(path, serverId, uri);
    const entry = store.addResource(uri, { serverId, createdAt: Date.now(), files });
    const uris = files.map(({ name }) =>
      vscode.Uri.from({ scheme, path: `${entry.path}/${name}` }),
    );
    this.#waiting.set(entry.path, { serverId, uri, files: uris });
    // Deferred so that the caller that asked for the file gets it first.
    setImmediate(() => this.#onDidRestore.fire());
    return true;
  }

  /** The resource that this document belongs to. */
  of(uri: vscode.Uri): ResourceDocument | undefined {
    const kept = this.#options.documents.find(uri);
    if (kept !== undefined) return toDocument(kept);
    if (uri.scheme !== this.#options.scheme) return undefined;
    return this.#waiting.get(uri.path.split('/').slice(0, 4).join('/'));
  }

  /** Resources with a document that a tab shows. */
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
    this.#onDidRead.dispose();
    this.#onDidRestore.dispose();
  }

  #remember(closed: readonly vscode.Tab[]): void {
    const { remembered, documents, isOpen, scheme } = this.#options;
    if (remembered === undefined) return;
    // Only closed tabs are evaluated, because a window restores its open tabs one after the other.
    for (const path of foldersOf(closed, scheme)) if (!isOpen(path)) remembered.forget(path);
    for (const { entry, facts } of documents.results) {
      if (facts.origin.kind !== 'resource' || !isOpen(entry.path)) continue;
      const { serverId, path } = entry;
      const files = entry.files.map(({ name }) => name);
      remembered.remember({ serverId, uri: facts.origin.uri, path, files });
    }
  }
}

function toDocument({ entry, facts, overviewUri }: StoredResult): ResourceDocument | undefined {
  const { origin, createdAt: readAt, skill } = facts;
  if (origin.kind !== 'resource') return undefined;
  const files = entry.files.map(({ name }) => overviewUri.with({ path: `${entry.path}/${name}` }));
  return { serverId: entry.serverId, uri: origin.uri, readAt, files, ...(skill && { skill }) };
}

/** The placeholder file for a resource that was not read since its tab was restored. */
function toWaitingFile(name: string, serverLabel: string, uri: string): StoredFile {
  const lines = [
    l10n.t('Not read again since the window was opened.'),
    '',
    l10n.t('Server: {0}', quoted(serverLabel)),
    l10n.t('Resource: {0}', quoted(uri)),
    '',
    l10n.t('It is read when the server runs.'),
    l10n.t(
      'To start the server, select “Start Server” above, or “Server Not Running” in the status bar.',
    ),
  ];
  // Valid JSON in a JSON document, so that the editor reports no errors.
  const text =
    languageOfDocument(name) === documentLanguage('json')
      ? JSON.stringify(lines, undefined, 2)
      : lines.join('\n');
  const bytes = Buffer.from(`${text}\n`);
  return { name, size: bytes.length, read: () => bytes };
}
