import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { toPathSegment } from '../../core/content/pathSegment';
import { dropOldest } from '../../core/bounds/dropOldest';

/** A read-only file, in memory or on disk. */
export interface StoredFile {
  /** One path segment, unique within its entry. */
  readonly name: string;
  /** In bytes; of what is made 0 where it is not known before. */
  readonly size: number;
  /** What is made when somebody reads it, and not kept: it has no place in the budget. */
  readonly isMade?: true;
  readonly read: () => Uint8Array | Promise<Uint8Array>;
  /** The same in pieces, each good until the next; absent where it is small. */
  readonly slices?: () => AsyncIterable<Uint8Array>;
  /** Lets go of what it holds on disk; called when the file is dropped. */
  readonly dispose?: () => void;
}

/** What one call or one read of a resource brought: a folder of files. */
export interface ResultEntry {
  /** `/<server>/calls/<time>-<tool>` or `/<server>/resources/<name>`. */
  readonly path: string;
  readonly serverId: string;
  /** Epoch ms. */
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
  /** Whether a person has a file of this entry open; such an entry is never dropped. */
  readonly isOpen: (entryPath: string) => boolean;
}

/** So that many tiny results count, too: roughly what one costs besides its bytes. */
const entryOverheadBytes = 4_096;

/**
 * Results in memory, as a tree of read-only files. Holds what fits the budget: the oldest entries
 * go first, but never one that is open, and never the newest, however large it is.
 */
export class ResultStore implements Disposable {
  readonly #isOpen: (entryPath: string) => boolean;
  /** By path, oldest first. */
  readonly #entries = new Map<string, ResultEntry>();
  /** The first path segment of each server; two ids may read alike, their segments never. */
  readonly #segments = new Map<string, string>();
  /** Path of each resource by server and URI, so that reading it again replaces it. */
  readonly #resourcePaths = new Map<string, string>();
  /** Path of the entry that came last. */
  #newest = '';
  /** What was asked for last, and how often: of many at once the next free one is found at once. */
  #lastWanted = { wanted: '', count: 1 };
  #budgetBytes: number;
  #usedBytes = 0;

  /** Entries and folders. */
  readonly lookedAt = new ViewedPaths();

  readonly #onDidChange = new Emitter<ResultChange>();
  readonly onDidChange = this.#onDidChange.event;

  constructor({ budgetBytes, isOpen }: ResultStoreOptions) {
    this.#budgetBytes = budgetBytes;
    this.#isOpen = isOpen;
  }

  /** Keeps what a call brought; `tool` names its folder, after the local time. */
  addCall(tool: string, entry: NewResultEntry): ResultEntry {
    const name = `${timeSegment(entry.createdAt)}-${toPathSegment(tool, 'tool')}`;
    return this.#add(entryAt(this.#freePath(entry.serverId, 'calls', name), entry));
  }

  /** Keeps what a call brought in an earlier session, at the path that it had then. */
  restoreCall(path: string, entry: NewResultEntry): ResultEntry {
    this.#setSegment(path, entry.serverId);
    return this.#add(entryAt(path, entry));
  }

  /** Keeps a path free for what reading `uri` will bring: the one that it had in an earlier session. */
  reserveResource(path: string, serverId: string, uri: string): void {
    this.#setSegment(path, serverId);
    this.#resourcePaths.set(resourceKey(serverId, uri), path);
  }

  /** Keeps what reading `uri` brought, in place of what reading it brought before. */
  addResource(uri: string, entry: NewResultEntry): ResultEntry {
    const key = resourceKey(entry.serverId, uri);
    const name = toPathSegment(uri.slice(0, maxUriChars), 'resource');
    const path = this.#resourcePaths.get(key) ?? this.#freePath(entry.serverId, 'resources', name);
    this.#resourcePaths.set(key, path);
    return this.#add(entryAt(path, entry));
  }

  /** The file or folder at an absolute path; `undefined` if it never was, or was dropped. */
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

  /** Drops what is over the budget; to be called when something was closed. */
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
    // An editor reads a file anew only if it is younger than what it shows.
    const entry =
      previous !== undefined && previous.createdAt >= added.createdAt
        ? { ...added, createdAt: previous.createdAt + 1 }
        : added;
    // Taken out first, because a map keeps the place of a key that is set again.
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
    const last = this.#lastWanted;
    if (last.wanted !== wanted || !isTaken(wanted)) this.#lastWanted = { wanted, count: 1 };
    const { path, count } = firstFree(wanted, isTaken, this.#lastWanted.count);
    this.#lastWanted = { wanted, count };
    return path;
  }

  /** The first segment of paths of an earlier session is that of this one, too. */
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

/** Not by spreading, which makes a shape for each: larger than a small result. */
function entryAt(path: string, { serverId, createdAt, files }: NewResultEntry): ResultEntry {
  return { path, serverId, createdAt, files };
}

/** With its number; below `from` all are taken. */
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

/** In bytes, also of what is made for it. */
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
 * Local time as `yyyy-MM-dd-HH-mm-ss`, which every file system takes and a person can read. With
 * the day, because kept calls come back at the paths that they had.
 */
function timeSegment(at: number): string {
  const date = new Date(at);
  const day = [date.getMonth() + 1, date.getDate()];
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const parts = [...day, ...time].map((part) => String(part).padStart(2, '0'));
  return [date.getFullYear(), ...parts].join('-');
}

/** The folder of a call whose documents nobody looked at yet; no other call has the same. */
export function callFolder(serverId: string, tool: string, at: number, callId: string): string {
  const name = `${timeSegment(at)}-${toPathSegment(tool, 'tool')}-${toPathSegment(callId, 'call')}`;
  return `/${toPathSegment(serverId, 'server')}/calls/${name}`;
}

/** More than anybody has open or listed at a time. */
const maxPaths = 5_000;

/**
 * What somebody has asked for, whether it was there or not. Of anything else nobody needs to hear that it
 * came or went, and most results come and go without ever being looked at.
 */
class ViewedPaths {
  /** Those that were asked for last at the end. */
  readonly #paths = new Set<string>();

  add(path: string): void {
    this.#paths.delete(path);
    this.#paths.add(path);
    dropOldest(this.#paths, maxPaths);
  }

  /** Whether it was asked for, or a folder that it is in. */
  has(path: string): boolean {
    if (this.#paths.size === 0) return false;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (this.#paths.has(path.slice(0, end))) return true;
    }
    return this.#paths.has('/');
  }
}
