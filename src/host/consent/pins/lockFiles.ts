import path from 'node:path';
import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import type { Tool } from '../../../core/types';
import type { ServerConfig } from '../../configuration/serverConfig';
import type { ToolEntry } from '../../connections/snapshot';
import { Freshness, type Look } from '../../storage/sharedChanges';
import { readRecordFile, fileStamp, type FileStamp } from '../../storage/recordFile';
import type { Fingerprint } from '../facts/fingerprints';
import {
  maxLockBytes,
  parseLockFile,
  type LockedServer,
  type LockFile,
  type LockFilePlace,
} from './lockFile';
import { isDistinctFingerprint, type ToolFingerprints } from './pinDefinition';
import type { LockFilesView } from './pins';
import { isNotFound } from '../../../core/bounds/systemError';

export interface LockFilesOptions {
  readonly fileName: string;
  /** Returns the folders whose lock files apply. */
  readonly folders: () => readonly string[];
}

/** A lock file as last read. */
export interface FoundLockFile {
  readonly folder: string;
  readonly path: string;
  readonly lock: LockFile;
  /** The text that ranges refer to; `''` if it could not be read. */
  readonly text: string;
  /** Why it could not be read: the system's message, untrusted. */
  readonly failure?: string;
}

/** A difference between a running server and a lock file. */
export interface LockMismatch {
  readonly kind: 'changed' | 'missing' | 'gone';
  readonly toolName: string;
  /** Range of the entry, or of the server's name if the tool is missing. */
  readonly place: LockFilePlace;
}

/** Nobody announces changes of lock files, which users and other programs make. */
const unannounced: Look = 'unannounced';

interface Known {
  readonly stamp?: FileStamp;
  readonly found: FoundLockFile;
}

/** The lock files of the workspace folders. They can only add questions. */
export class LockFiles implements LockFilesView, Disposable {
  readonly #options: LockFilesOptions;
  /** Keyed by path. */
  #known: ReadonlyMap<string, Known> = new Map();
  readonly #freshness = new Freshness();
  /** The folders at the last refresh. */
  #folders: readonly string[] = [];
  #lastTurn: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  readonly #onDidChange = new Emitter<void>();
  /** Fires when a refresh changed {@link found}. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: LockFilesOptions) {
    this.#options = options;
  }

  /** The lock files found by the last refresh. */
  get found(): readonly FoundLockFile[] {
    return [...this.#known.values()].map(({ found }) => found);
  }

  /** Reads what changed on disk. Never rejects; unreadable files are marked as such. */
  refresh(): Promise<void> {
    this.#next ??= this.#lastTurn.then(async () => {
      this.#next = undefined;
      await this.#refresh();
    });
    this.#lastTurn = this.#next;
    return this.#next;
  }

  /** Like {@link refresh}, but reads nothing if the data is still current. Never rejects. */
  async keepUp(): Promise<void> {
    // The turn in progress may read what is needed.
    if (!this.isCurrent()) await this.#lastTurn;
    if (!this.isCurrent()) await this.refresh();
  }

  isCurrent(): boolean {
    const isSame = this.#options.folders().join('\0') === this.#folders.join('\0');
    return isSame && this.#freshness.holds(unannounced);
  }

  against(config: ServerConfig, tool: Tool, fingerprint: Fingerprint): string | undefined {
    return this.found.find((found) => {
      if (!this.speaksOf(found, config)) return false;
      if (found.lock.isUnreadable) return true;
      const server = found.lock.servers.get(config.id);
      return server !== undefined && !isLocked(server, tool, fingerprint);
    })?.path;
  }

  /**
   * Returns true if a file may contain the server: the file of its folder, or any readable file for
   * a server that is configured outside of all folders.
   */
  speaksOf({ folder, lock }: FoundLockFile, { source }: ServerConfig): boolean {
    return source.kind === 'workspaceFile' ? folder === source.folder : !lock.isUnreadable;
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  async #refresh(): Promise<void> {
    const folders = this.#options.folders();
    const before = this.#known;
    await this.#freshness.during(unannounced, async () => {
      this.#known = await this.#readAll(folders);
      this.#folders = [...folders];
    });
    const isSame =
      before.size === this.#known.size &&
      [...this.#known].every(([file, { found }]) => before.get(file)?.found === found);
    if (!isSame) this.#onDidChange.fire();
  }

  async #readAll(folders: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    const now = new Map<string, Known>();
    for (const folder of folders) {
      const file = path.join(folder, this.#options.fileName);
      const known = await read(folder, file, this.#known.get(file));
      if (known !== undefined) now.set(file, known);
    }
    return now;
  }
}

/** Returns true if the lock file contains exactly this definition. */
function isLocked({ tools }: LockedServer, tool: Tool, fingerprint: Fingerprint): boolean {
  return isDistinctFingerprint(fingerprint) && tools.get(tool.name)?.fingerprint === fingerprint;
}

/** Returns the differences between a lock file and the tools of a running server. */
export async function lockMismatches(
  locked: LockedServer,
  entries: readonly ToolEntry[],
  fingerprints: ToolFingerprints,
): Promise<readonly LockMismatch[]> {
  await fingerprints.prepare(entries);
  const callable = entries.map(({ tool }) => tool).filter((tool) => tool.callable);
  const listed = new Set(callable.map(({ name }) => name));
  const wrong = callable.flatMap((tool): LockMismatch[] => {
    if (isLocked(locked, tool, fingerprints.of(tool))) return [];
    const { name: toolName } = tool;
    const place = locked.tools.get(toolName)?.place;
    return [
      place === undefined
        ? { kind: 'missing', toolName, place: locked.place }
        : { kind: 'changed', toolName, place },
    ];
  });
  const gone = [...locked.tools].flatMap(([toolName, { place }]): LockMismatch[] =>
    listed.has(toolName) ? [] : [{ kind: 'gone', toolName, place }],
  );
  return [...wrong, ...gone];
}

/** Returns `undefined` if the file does not exist. */
async function read(
  folder: string,
  file: string,
  known: Known | undefined,
): Promise<Known | undefined> {
  try {
    const before = await fileStamp(file);
    if (known?.stamp === before) return known;
    const content = await readRecordFile(file, maxLockBytes);
    const { stamp } = content;
    if (content.kind === 'tooLarge') {
      return { stamp, found: failed(folder, file, `larger than ${maxLockBytes} bytes`) };
    }
    const text = new TextDecoder().decode(content.bytes);
    return { stamp, found: { folder, path: file, lock: parseLockFile(text), text } };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    const failure = error instanceof Error ? error.message : String(error);
    // Keeps the same object, so that a refresh sees no difference.
    return known?.found.failure === failure ? known : { found: failed(folder, file, failure) };
  }
}

function failed(folder: string, file: string, failure: string): FoundLockFile {
  const lock = { servers: new Map(), problems: [], isUnreadable: true };
  return { folder, path: file, lock, text: '', failure };
}
