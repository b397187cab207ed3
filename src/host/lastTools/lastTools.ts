import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import type { Risk } from '../../core/risk';
import type { Tool } from '../../core/types';
import { configHash } from '../configuration/configurationHash';
import { type ServerConfig, serverKey } from '../configuration/serverConfig';
import type { ServerRegistry } from '../connections/registry';
import type { Server, ToolEntry } from '../connections/snapshot';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  isTemporary,
  readRecordFile,
  recordEnding,
  recordFileName,
  removeLeftover,
  writeRecordFile,
  parseRecordBytes,
  recordText,
  latestFirst,
} from '../storage/recordFile';
import { parseTool } from '../../core/parse/parseTool';
import { list, number, shape, string, type Parsed } from '../../core/parse/parsers';
import { acceptedDefinitionText, parseAcceptedDefinition } from '../consent/pins/pinDefinition';
import { WorkTurns } from '../../core/bounds/workTurns';

export interface LastToolsOptions {
  readonly folder: LastToolsFolder;
  readonly registry: Pick<ServerRegistry, 'servers' | 'problems' | 'find' | 'onDidChange'>;
  readonly riskOf: (config: ServerConfig, tool: Tool) => Risk;
  readonly isToolDisabled: (config: ServerConfig, toolName: string) => boolean;
  readonly onProblem: (detail: string) => void;
}

/** The known tools of one server, regardless of its current configuration. */
interface Known {
  readonly hash: string;
  readonly tools: readonly Tool[];
  readonly listedAt: number;
  /** Entries with their current risk, made on request. */
  entries?: readonly ToolEntry[];
}

/** Servers announce changes in bursts; only the last list is written. */
const quietMs = 500;
const noEntries: readonly ToolEntry[] = [];

/**
 * The tools that stopped servers listed last, over restarts, so that users see them without
 * starting servers. They are only shown: a call uses the tool that the running server lists. Reads
 * no file before it is needed.
 */
export class LastTools implements Disposable {
  readonly #options: LastToolsOptions;
  /** Keyed by `serverKey`; `undefined` if nothing is known. */
  readonly #known = new Map<string, Known | undefined>();
  readonly #reading = new Map<string, Promise<void>>();
  readonly #about = new WeakMap<ServerConfig, { readonly key: string; readonly hash: string }>();
  readonly #subscription: Disposable;
  /** Keys of the configured servers, by id. */
  #keys = new Map<string, string>();
  /** Lists of running servers that are not written yet. */
  readonly #toWrite = new Map<string, Known>();
  readonly #listed = new Map<string, readonly ToolEntry[]>();
  #timer: NodeJS.Timeout | undefined;
  #lastWrite: Promise<void> = Promise.resolve();

  readonly #onDidChange = new Emitter<string>();
  /** Fires with the server id when its known tools changed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: LastToolsOptions) {
    this.#options = options;
    this.#subscription = options.registry.onDidChange((change) => {
      if (change.kind === 'servers') this.#forgetRemoved();
      else this.#observe(change.id);
    });
    this.#forgetRemoved();
  }

  /**
   * Returns the tools of a stopped server; empty before {@link read}. The result stays the same
   * object while nothing changes.
   */
  of({ config, state, isDisabled }: Server): readonly ToolEntry[] {
    if (state.kind === 'running' || isDisabled === true) return noEntries;
    const known = this.#of(config);
    if (known === undefined) return noEntries;
    known.entries ??= known.tools.map((tool) => this.#toEntry(config, tool));
    return known.entries;
  }

  /** When the tools of {@link of} were listed, in milliseconds since the epoch. */
  listedAt({ config }: Server): number | undefined {
    return this.#of(config)?.listedAt;
  }

  /** Returns true if the server's stored tools were looked up. */
  isRead({ config }: Server): boolean {
    return this.#known.has(serverKey(config));
  }

  /** Reads the stored tools of these servers unless that was done. Never rejects. */
  async read(servers: readonly Server[]): Promise<void> {
    for (const { config } of servers) {
      const key = serverKey(config);
      if (this.#known.has(key)) continue;
      let reading = this.#reading.get(key);
      if (reading === undefined) {
        reading = this.#read(key).finally(() => this.#reading.delete(key));
        this.#reading.set(key, reading);
      }
      await reading;
    }
  }

  /** Recomputes the risk of each tool, and which are disabled. */
  reassess(): void {
    for (const known of this.#known.values()) delete known?.entries;
    for (const id of this.#keys.keys()) this.#onDidChange.fire(id);
  }

  /** Resolves when all lists are written. Never rejects. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#write();
    await this.#lastWrite;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  #of(config: ServerConfig): Known | undefined {
    // Called for each row that is drawn. Configurations are immutable, so the result can be cached
    // by object.
    let about = this.#about.get(config);
    if (about === undefined) {
      about = { key: serverKey(config), hash: configHash(config) };
      this.#about.set(config, about);
    }
    const known = this.#known.get(about.key);
    return known?.hash === about.hash ? known : undefined;
  }

  #toEntry(config: ServerConfig, tool: Tool): ToolEntry {
    const { riskOf, isToolDisabled } = this.#options;
    const entry = { serverId: config.id, tool, risk: riskOf(config, tool) };
    return isToolDisabled(config, tool.name) ? { ...entry, isDisabled: true } : entry;
  }

  async #read(key: string): Promise<void> {
    const record = await this.#options.folder.read(key);
    const tools = record === undefined ? [] : await toolsOf(record);
    // A list that arrived meanwhile is newer.
    if (this.#known.has(key)) return;
    this.#known.set(key, record && { hash: record.hash, tools, listedAt: record.listedAt });
    for (const [id, each] of this.#keys) if (each === key) this.#onDidChange.fire(id);
  }

  #observe(id: string): void {
    const server = this.#options.registry.find(id);
    const key = this.#keys.get(id);
    if (server === undefined || key === undefined) return;
    const { config, state, tools, listProblems } = server;
    if (state.kind !== 'running') {
      // It ran and listed no tools, so that is what is known.
      if (this.#listed.get(id)?.length === 0) this.#keep(key, { config, tools });
      this.#listed.delete(id);
      return;
    }
    const isWhole = !listProblems.some(({ code }) => code === 'pageFailed');
    if (!isWhole || tools === this.#listed.get(id)) return;
    this.#listed.set(id, tools);
    if (tools.length > 0) this.#keep(key, { config, tools });
  }

  #keep(key: string, { config, tools }: Pick<Server, 'config' | 'tools'>): void {
    const known = {
      hash: configHash(config),
      tools: tools.map(({ tool }) => tool),
      listedAt: Date.now(),
    };
    this.#known.set(key, known);
    this.#toWrite.set(key, known);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), quietMs);
  }

  /** The servers of an unreadable file are unknown, so their records are kept. */
  #forgetRemoved(): void {
    const { servers, problems } = this.#options.registry;
    const keys = new Map(servers.map(({ config }) => [config.id, serverKey(config)]));
    const now = new Set(keys.values());
    const gone = [...this.#keys.values()].filter((key) => !now.has(key));
    this.#keys = keys;
    for (const key of problems.length === 0 ? gone : []) {
      this.#known.delete(key);
      this.#toWrite.delete(key);
      this.#inTurn(() => this.#options.folder.remove(key));
    }
  }

  #write(): void {
    const all = [...this.#toWrite];
    this.#toWrite.clear();
    for (const [key, { hash, tools, listedAt }] of all) {
      this.#inTurn(async () => {
        const { folder } = this.#options;
        if (tools.length === 0) await folder.remove(key);
        else await folder.write(key, await toRecord(hash, tools, listedAt));
      });
    }
  }

  #inTurn(work: () => Promise<void>): void {
    this.#lastWrite = this.#lastWrite.then(work).catch((error: unknown) => {
      this.#options.onProblem(error instanceof Error ? error.message : String(error));
    });
  }
}

interface LastToolsLimits {
  readonly maxServers: number;
  readonly maxBytes: number;
}

const usualLimits: LastToolsLimits = { maxServers: 200, maxBytes: 32 * 1024 * 1024 };

/**
 * One file for each server, shared by several windows. The last window that lists a server wins.
 */
export class LastToolsFolder {
  readonly #folder: string;
  readonly #limits: LastToolsLimits;

  /** The folder is created at the first write. */
  constructor(folder: string, limits = usualLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** Returns `undefined` if there is no usable record. Never rejects. */
  async read(key: string): Promise<LastToolsRecord | undefined> {
    const name = recordFileName(key);
    try {
      const content = await readRecordFile(path.join(this.#folder, name), maxRecordBytes);
      const parsed = parseRecordBytes(content, name, parseLastTools);
      return parsed.kind === 'record' && parsed.key === key ? parsed.record : undefined;
    } catch {
      // The file is missing or unreadable; the server lists its tools again when it runs.
      return undefined;
    }
  }

  /**
   * Writes a record and removes the oldest above the limits. @throws what the file system throws
   */
  async write(key: string, record: LastToolsRecord): Promise<void> {
    await writeRecordFile(path.join(this.#folder, recordFileName(key)), recordText(key, record));
    await this.#trim();
  }

  /** @throws what the file system throws */
  async remove(key: string): Promise<void> {
    await rm(path.join(this.#folder, recordFileName(key)), { force: true });
  }

  async #trim(): Promise<void> {
    const names = await readdir(this.#folder);
    const files: { readonly file: string; readonly at: number; readonly bytes: number }[] = [];
    for (const name of names) {
      const file = path.join(this.#folder, name);
      if (isTemporary(name)) await removeLeftover(file);
      if (!name.endsWith(recordEnding)) continue;
      // Another window may have removed it.
      const facts = await stat(file).catch(() => undefined);
      if (facts !== undefined) files.push({ file, at: facts.mtimeMs, bytes: facts.size });
    }
    let bytes = 0;
    for (const [index, each] of latestFirst(files, ({ at }) => at).entries()) {
      bytes += each.bytes;
      const isOver = index >= this.#limits.maxServers || bytes > this.#limits.maxBytes;
      if (isOver) await rm(each.file, { force: true });
    }
  }
}

/** The tools that a server listed when it last ran. */
export const parseLastTools = shape({
  /** Hash of its configuration at that time, because another program is another server. */
  hash: string,
  /** Milliseconds since the epoch. */
  listedAt: number,
  /** One definition each, as JSON; see `acceptedDefinitionText`. */
  tools: list(string),
});
type LastToolsRecord = Parsed<typeof parseLastTools>;

/** Limit for one server; the rest of a longer list is not stored. */
const maxTools = 2_000;
const maxChars = 1_000_000;
/** Escapes can turn each character into six. */
const maxRecordBytes = 8 * 1024 * 1024;

/** Returns the beginning of a list up to the limits. Yields to the event loop. */
export async function toRecord(
  hash: string,
  tools: readonly Tool[],
  now: number,
): Promise<LastToolsRecord> {
  const turns = new WorkTurns();
  const kept: string[] = [];
  let chars = 0;
  for (const tool of tools.slice(0, maxTools)) {
    if (turns.isOver) await turns.giveWay();
    const text = acceptedDefinitionText(tool);
    chars += text.length;
    if (chars > maxChars) break;
    kept.push(text);
  }
  return { hash, listedAt: now, tools: kept };
}

/**
 * Parses the definitions like those of a server, and leaves out invalid ones. Yields to the event
 * loop.
 */
async function toolsOf({ tools }: LastToolsRecord): Promise<readonly Tool[]> {
  const turns = new WorkTurns();
  const parsed: Tool[] = [];
  for (const text of tools) {
    if (turns.isOver) await turns.giveWay();
    const kept = parseAcceptedDefinition(text);
    if (kept === undefined) continue;
    // A schema that was too large to be stored is read from the server before a call.
    const isCut = kept.cut.inputSchema !== undefined;
    parsed.push(isCut ? parseTool({ ...kept.tool, inputSchema: { type: 'object' } }) : kept.tool);
  }
  return parsed;
}
