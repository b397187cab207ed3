import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { toPathSegment } from '../../core/content/documentNames';
import { dropOldest } from '../../core/bounds/shortLivedMap';

/** A read-only file, in memory or on disk. */
export interface StoredFile {
  /** One path segment, unique within its entry. */
  readonly name: string;
  /** In bytes; 0 for generated content of unknown size. */
  readonly size: number;
  /**
   * True if the content is generated when it is read, and not kept. It does not count toward the
   * budget.
   */
  readonly isMade?: true;
  readonly read: () => Uint8Array | Promise<Uint8Array>;
  /** Yields the content in slices, each valid until the next one. Undefined for small files. */
  readonly slices?: () => AsyncIterable<Uint8Array>;
  /** Releases what it holds on disk. Called when the file is dropped. */
  readonly dispose?: () => void;
}

/** The result of one call or of reading a resource: a folder of files. */
export interface ResultEntry {
  /** `/<server>/calls/<time>-<tool>` or `/<server>/resources/<name>`. */
  readonly path: string;
  readonly serverId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly files: readonly StoredFile[];
}

export type NewResultEntry = Omit<ResultEntry, 'path'>;

export type ResultNode =
  | { readonly kind: 'file'; readonly file: StoredFile; readonly entry: ResultEntry }
  | {
      readonly kind: 'folder';
      readonly createdAt: number;
      readonly children: readonly (readonly [name: string, kind: 'file' | 'folder'])[];
    };

export type ResultChange =
  | { readonly kind: 'added' | 'removed'; readonly entry: ResultEntry }
  /** The same resource was read again. */
  | { readonly kind: 'replaced'; readonly entry: ResultEntry; readonly previous: ResultEntry };

export interface ResultStoreOptions {
  readonly budgetBytes: number;
  /** Returns true if a file of this entry is open in an editor. Such an entry is never dropped. */
  readonly isOpen: (entryPath: string) => boolean;
}

/** More tools than are called within one second. */
const maxCounts = 100;
/** Approximate memory of an entry besides its bytes, so that many tiny results count as well. */
const entryOverheadBytes = 4_096;

/**
 * Results as a tree of read-only files, limited by a budget. The oldest entries are dropped first,
 * but never an open one and never the newest, whatever its size.
 */
export class ResultStore implements Disposable {
  readonly #isOpen: (entryPath: string) => boolean;
  /** Keyed by path, oldest first. */
  readonly #entries = new Map<string, ResultEntry>();
  /** The first path segment of each server. Ids may look alike, but segments are unique. */
  readonly #segments = new Map<string, string>();
  /** Path of each resource by server and URI, so that reading it again replaces it. */
  readonly #resourcePaths = new Map<string, string>();
  /** Path of the newest entry. */
  #newest = '';
  /** The last count of each requested path, to find the next free one of many quickly. */
  readonly #lastCounts = new Map<string, number>();
  #budgetBytes: number;
  #usedBytes = 0;

  /** Viewed entries and folders. */
  readonly lookedAt = new ViewedPaths();

  readonly #onDidChange = new Emitter<ResultChange>();
  readonly onDidChange = this.#onDidChange.event;

  constructor({ budgetBytes, isOpen }: ResultStoreOptions) {
    this.#budgetBytes = budgetBytes;
    this.#isOpen = isOpen;
  }

  /** Adds the result of a call. Its folder is named after the local time and `tool`. */
  addCall(tool: string, entry: NewResultEntry): ResultEntry {
    const name = `${timeSegment(entry.createdAt)}-${toPathSegment(tool, 'tool')}`;
    return this.#add(entryAt(this.#freePath(entry.serverId, 'calls', name), entry));
  }

  /** Adds the result of a call of an earlier session, at its former path. */
  restoreCall(path: string, entry: NewResultEntry): ResultEntry {
    this.#setSegment(path, entry.serverId);
    return this.#add(entryAt(path, entry));
  }

  /** Reserves the path that the resource `uri` had in an earlier session. */
  reserveResource(path: string, serverId: string, uri: string): void {
    this.#setSegment(path, serverId);
    this.#resourcePaths.set(resourceKey(serverId, uri), path);
  }

  /** Adds the contents of the resource `uri`, and replaces earlier ones. */
  addResource(uri: string, entry: NewResultEntry): ResultEntry {
    const key = resourceKey(entry.serverId, uri);
    const name = toPathSegment(uri.slice(0, maxUriChars), 'resource');
    const path = this.#resourcePaths.get(key) ?? this.#freePath(entry.serverId, 'resources', name);
    this.#resourcePaths.set(key, path);
    return this.#add(entryAt(path, entry));
  }

  /**
   * Returns the file or folder at an absolute path; `undefined` if it does not exist or was
   * dropped.
   */
  find(path: string): ResultNode | undefined {
    const segments = path.split('/').filter((segment) => segment !== '');
    const entryPath = `/${segments.slice(0, 3).join('/')}`;
    const entry = this.#entries.get(entryPath);
    this.lookedAt.add(entryPath);
    if (entry === undefined) return segments.length < 3 ? this.#folder(segments) : undefined;
    if (segments.length === 3) {
      const children = entry.files.map((file) => [file.name, 'file'] as const);
      return { kind: 'folder', createdAt: entry.createdAt, children };
    }
    const file = entry.files.find(({ name }) => name === segments[3]);
    return file === undefined || segments.length > 4 ? undefined : { kind: 'file', file, entry };
  }

  setBudget(bytes: number): void {
    this.#budgetBytes = bytes;
    this.trim();
  }

  /** Drops entries above the budget. Call it after an editor was closed. */
  trim(): void {
    for (const [path, entry] of this.#entries) {
      if (this.#usedBytes <= this.#budgetBytes) return;
      if (path === this.#newest || this.#isOpen(path)) continue;
      this.#entries.delete(path);
      this.#usedBytes -= bytesOf(entry);
      for (const [key, known] of this.#resourcePaths) {
        if (known === path) this.#resourcePaths.delete(key);
      }
      this.#onDidChange.fire({ kind: 'removed', entry });
      disposeFiles(entry);
    }
  }

  dispose(): void {
    this.#onDidChange.dispose();
    for (const entry of this.#entries.values()) disposeFiles(entry);
    this.#entries.clear();
    this.#resourcePaths.clear();
    this.#usedBytes = 0;
  }

  #add(added: ResultEntry): ResultEntry {
    const previous = this.#entries.get(added.path);
    if (previous !== undefined) this.#usedBytes -= bytesOf(previous);
    // An editor reads a file again only if its time is later than before.
    const entry =
      previous !== undefined && previous.createdAt >= added.createdAt
        ? { ...added, createdAt: previous.createdAt + 1 }
        : added;
    // Deleted first, because a map keeps the position of an existing key.
    this.#entries.delete(entry.path);
    this.#entries.set(entry.path, entry);
    this.#newest = entry.path;
    this.#usedBytes += bytesOf(entry);
    this.#onDidChange.fire(
      previous === undefined ? { kind: 'added', entry } : { kind: 'replaced', entry, previous },
    );
    if (previous !== undefined) disposeFiles(previous);
    this.trim();
    return entry;
  }

  #folder(segments: readonly string[]): ResultNode | undefined {
    const prefix = segments.map((segment) => `/${segment}`).join('') + '/';
    const children = new Map<string, 'folder'>();
    let createdAt = 0;
    for (const [path, entry] of this.#entries) {
      if (!path.startsWith(prefix)) continue;
      children.set(path.slice(prefix.length).split('/', 1)[0] ?? '', 'folder');
      createdAt = Math.max(createdAt, entry.createdAt);
    }
    const isThere = children.size > 0 || segments.length === 0;
    return isThere ? { kind: 'folder', createdAt, children: [...children] } : undefined;
  }

  #freePath(serverId: string, folder: 'calls' | 'resources', name: string): string {
    const wanted = `/${this.#segmentOf(serverId)}/${folder}/${name}`;
    const isTaken = (path: string): boolean =>
      this.#entries.has(path) || [...this.#resourcePaths.values()].includes(path);
    const last = isTaken(wanted) ? this.#lastCounts.get(wanted) : undefined;
    const { path, count } = firstFree(wanted, isTaken, last);
    this.#lastCounts.delete(wanted);
    this.#lastCounts.set(wanted, count);
    dropOldest(this.#lastCounts, maxCounts);
    return path;
  }

  /** Uses the first path segment of an earlier session in this one. */
  #setSegment(path: string, serverId: string): void {
    const segment = path.split('/')[1];
    if (segment !== undefined && !this.#segments.has(serverId)) {
      this.#segments.set(serverId, segment);
    }
  }

  #segmentOf(serverId: string): string {
    const known = this.#segments.get(serverId);
    if (known !== undefined) return known;
    const taken = [...this.#segments.values()];
    const wanted = toPathSegment(serverId, 'server');
    const { path: segment } = firstFree(wanted, (name) => taken.includes(name));
    this.#segments.set(serverId, segment);
    return segment;
  }
}

const maxUriChars = 4_000;

function resourceKey(serverId: string, uri: string): string {
  return JSON.stringify([serverId, uri]);
}

/**
 * Built without spreading, which would create a hidden class for each entry, larger than a small
 * result.
 */
function entryAt(path: string, { serverId, createdAt, files }: NewResultEntry): ResultEntry {
  return { path, serverId, createdAt, files };
}

/** Returns the first free name with a number. All numbers below `from` are taken. */
function firstFree(
  wanted: string,
  isTaken: (name: string) => boolean,
  from = 1,
): { readonly path: string; readonly count: number } {
  for (let count = from; ; count += 1) {
    const path = count === 1 ? wanted : `${wanted}-${count}`;
    if (!isTaken(path)) return { path, count };
  }
}

/** Size in bytes, also of generated content. */
export async function sizeOf(file: StoredFile): Promise<number> {
  return file.isMade === true ? (await file.read()).length : file.size;
}

function disposeFiles({ files }: ResultEntry): void {
  for (const file of files) file.dispose?.();
}

function bytesOf({ files }: ResultEntry): number {
  return files.reduce(
    (sum, file) => (file.isMade === true ? sum : sum + file.size),
    entryOverheadBytes,
  );
}

/**
 * Returns the local time as `yyyy-MM-dd-HH-mm-ss`, which is valid on every file system. It contains
 * the day, because stored calls keep their paths.
 */
function timeSegment(at: number): string {
  const date = new Date(at);
  const day = [date.getMonth() + 1, date.getDate()];
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const parts = [...day, ...time].map((part) => String(part).padStart(2, '0'));
  return [date.getFullYear(), ...parts].join('-');
}

/** Returns a unique folder name for a call whose documents were not opened yet. */
export function callFolder(serverId: string, tool: string, at: number, callId: string): string {
  const name = `${timeSegment(at)}-${toPathSegment(tool, 'tool')}-${toPathSegment(callId, 'call')}`;
  return `/${toPathSegment(serverId, 'server')}/calls/${name}`;
}

/** More paths than are open or listed at a time. */
const maxPaths = 5_000;

/**
 * Paths that were requested, whether they existed or not. Change events are sent for these alone,
 * because most results are never opened.
 */
class ViewedPaths {
  /** Ordered by last request. */
  readonly #paths = new Set<string>();

  add(path: string): void {
    this.#paths.delete(path);
    this.#paths.add(path);
    dropOldest(this.#paths, maxPaths);
  }

  /** Returns true if the path or a parent folder was requested. */
  has(path: string): boolean {
    if (this.#paths.size === 0) return false;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (this.#paths.has(path.slice(0, end))) return true;
    }
    return this.#paths.has('/');
  }
}
