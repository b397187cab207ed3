import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { parseTool } from '../../../core/parse/parseTool';
import type { Tool } from '../../../core/types';
import { type ServerConfig, serverKey } from '../../configuration/serverConfig';
import type { Server } from '../../connections/snapshot';
import type { StorageProblem } from '../../storage/recordStore';
import type { Look, SharedChanges } from '../../storage/sharedChanges';
import type { PinState, ToolField } from '../facts/callFacts';
import type { Fingerprint } from '../facts/fingerprints';
import {
  changedFields,
  acceptedDefinitionText,
  type AcceptedDefinition,
  isDistinctFingerprint,
  ToolFingerprints,
} from './pinDefinition';
import { PinFile } from './pinFile';
import {
  type PinChange,
  isSameMarks,
  toolMark,
  toolMarks,
  noMarks,
  pinName,
  type ToolMarks,
} from './pinFileFormat';
import { WorkTurns } from '../../../core/bounds/workTurns';

export interface PinsOptions {
  /** Created at the first write; contains one file for each server. */
  readonly folder: string;
  readonly onProblem: (problem: StorageProblem) => void;
  /** The lock files, which can only add questions. */
  readonly lock?: LockFilesView;
  readonly fingerprints?: ToolFingerprints;
  /** Announces changes between windows. */
  readonly changes: SharedChanges;
  /**
   * Called when a tool was accepted in this window; `fields` are the changed ones, empty for a new
   * tool.
   */
  readonly onAccept?: (config: ServerConfig, tool: Tool, fields: readonly ToolField[]) => void;
}

/** Above this number, accepted tools are not reported one by one. */
const maxTold = 100;

/** The part of the lock files that decisions need. */
export interface LockFilesView {
  /** Returns true if {@link keepUp} would read nothing, for callers that would wait for it. */
  isCurrent(): boolean;
  /** Reads what changed on disk. Never rejects. */
  keepUp(): Promise<void>;
  /** Returns the lock file that contains another definition of this tool, or none. */
  against(config: ServerConfig, tool: Tool, fingerprint: Fingerprint): string | undefined;
}

/** Changes that are accepted together: definitions, and names of removed tools. */
export interface AcceptedChanges {
  readonly tools: readonly Tool[];
  readonly gone: readonly string[];
}

interface Watched {
  readonly file: PinFile;
  server: Server | undefined;
  marks: ToolMarks;
  underWay: Promise<void> | undefined;
  /** True if it has to be checked once more at the end. */
  isStale: boolean;
}

/**
 * The tools of each server as accepted by the user: those that it was first seen with, and every
 * later change that was approved. A tool that differs from the accepted one is never `known`.
 * Several windows share the accepted tools.
 */
export class Pins implements Disposable {
  readonly #options: PinsOptions;
  /** Fingerprints of the compared tools, computed once for each. */
  readonly fingerprints: ToolFingerprints;
  readonly #watched = new Map<string, Watched>();
  /** Keys of the last observed servers, by id. */
  readonly #keys = new Map<string, string>();

  readonly #onDidChange = new Emitter<string>();
  /** Fires with the server id when its marks changed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: PinsOptions) {
    this.#options = options;
    this.fingerprints = options.fingerprints ?? new ToolFingerprints();
  }

  /**
   * Compares a server's tools with the accepted ones; call it for every new snapshot. The tools
   * that it is first seen with are accepted. Resolves when {@link marks} is up to date, or when
   * there is a newer snapshot. Never rejects.
   */
  observe(server: Server): Promise<void> {
    const { id } = server.config;
    const key = serverKey(server.config);
    this.#keys.set(id, key);
    const watched = this.#watch(server.config);
    const isSame = watched.server !== undefined && isSameList(watched.server, server);
    watched.server = server;
    if (isSame) return watched.underWay ?? Promise.resolve();
    if (server.state.kind !== 'running') {
      this.#publish(watched, noMarks);
      return Promise.resolve();
    }
    return this.#lookAgain(watched);
  }

  /** Returns the differences of a running server's tools; none before the first comparison. */
  marks(serverId: string): ToolMarks {
    const key = this.#keys.get(serverId);
    return (key === undefined ? undefined : this.#watched.get(key)?.marks) ?? noMarks;
  }

  /**
   * Compares a tool with its accepted definition and with the lock file, if that contains it.
   * Always exact, even if another window accepted it a moment ago. If the accepted definition
   * cannot be read, the tool is `new`. Never rejects. `look` is the state of the change counter for
   * this decision.
   */
  async stateOf(config: ServerConfig, tool: Tool, look?: Look): Promise<PinState> {
    const watched = this.#watch(config);
    if (!watched.file.isCurrent(look) && (await watched.file.keepUp(look)))
      void this.#lookAgain(watched);
    // Nothing was accepted yet, but the first seen tools may be in the course of being accepted.
    if (watched.file.state === 'absent') await watched.underWay;
    const fingerprint = this.fingerprints.of(tool);
    const name = pinName(tool.name);
    const mark = toolMark(watched.file.pins.get(name), fingerprint);
    if (mark === 'new') return { kind: 'new' };
    if (mark === 'changed') return this.#changed(watched.file, name, tool);
    const { lock } = this.#options;
    if (lock?.isCurrent() === false) await lock.keepUp();
    const lockFile = lock?.against(config, tool, fingerprint);
    return lockFile === undefined ? { kind: 'known' } : { kind: 'unlocked', lockFile };
  }

  /** Returns the accepted definition; `undefined` if there is none or it cannot be read. */
  definition(config: ServerConfig, toolName: string): Promise<AcceptedDefinition | undefined> {
    return this.#watch(config).file.definition(pinName(toolName));
  }

  /** Accepts exactly this definition. Never rejects; see {@link acceptChanges}. */
  accept(config: ServerConfig, tool: Tool): Promise<void> {
    return this.acceptChanges(config, { tools: [tool], gone: [] });
  }

  /**
   * Resolves when {@link marks} is up to date, too. Never rejects: what cannot be written is
   * reported and kept in memory.
   */
  async acceptChanges(config: ServerConfig, { tools, gone }: AcceptedChanges): Promise<void> {
    const watched = this.#watch(config);
    await watched.file.refresh();
    if (watched.file.state === 'absent') await watched.underWay;
    // The list never came as a whole, so nothing is accepted yet.
    if (watched.file.state === 'absent' && tools.length > 0) await watched.file.begin([]);
    const { pins } = watched.file;
    const removed = gone.filter((name) => pins.has(name)).map((name) => ({ name }));
    const changes = await this.#changesTo(watched.file, tools);
    const notify = await this.#teller(watched.file, config, tools, changes);
    await watched.file.add([...changes, ...removed]);
    notify();
    await this.#lookAgain(watched);
  }

  /** Reads what other windows accepted. Never rejects. */
  async refresh(): Promise<void> {
    const all = [...this.#watched.values()].map(async (watched) => {
      if (await watched.file.refresh()) await this.#lookAgain(watched);
    });
    await Promise.all(all);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #watch(config: ServerConfig): Watched {
    const key = serverKey(config);
    let watched = this.#watched.get(key);
    if (watched === undefined) {
      const { folder, onProblem, changes } = this.#options;
      const file = new PinFile({ folder, server: key, onProblem, changes });
      const none = { server: undefined, marks: noMarks, underWay: undefined, isStale: false };
      this.#watched.set(key, (watched = { file, ...none }));
    }
    return watched;
  }

  /** Joins a comparison in progress, which is then repeated once. */
  #lookAgain(watched: Watched): Promise<void> {
    watched.isStale = true;
    watched.underWay ??= this.#lookUntilFresh(watched).finally(() => {
      watched.underWay = undefined;
    });
    return watched.underWay;
  }

  async #lookUntilFresh(watched: Watched): Promise<void> {
    while (watched.isStale) {
      watched.isStale = false;
      const { server } = watched;
      if (server?.state.kind === 'running') await this.#look(watched, server);
    }
  }

  async #look(watched: Watched, server: Server): Promise<void> {
    const { file } = watched;
    const { tools: entries, listProblems } = server;
    await this.fingerprints.prepare(entries);
    await file.refresh();
    const isComplete = listProblems.length === 0;
    const isWhole = !listProblems.some(({ code }) => code === 'pageFailed');
    // A server without tools, or that failed to list them, does not count as seen.
    if (file.state === 'absent' && isWhole && entries.length > 0) {
      const tools = entries.map(({ tool }) => tool);
      await file.begin(await this.#changesTo(file, tools));
    }
    const list = { entries, isComplete };
    const marks = await toolMarks(list, file.pins, this.fingerprints);
    if (watched.server !== undefined && isSameList(watched.server, server)) {
      this.#publish(watched, marks);
    }
  }

  #publish(watched: Watched, marks: ToolMarks): void {
    if (isSameMarks(watched.marks, marks)) return;
    watched.marks = marks;
    if (watched.server !== undefined) this.#onDidChange.fire(watched.server.config.id);
  }

  /** Returns the changes to write so that `tools` are accepted. Works in slices. */
  async #changesTo(file: PinFile, tools: readonly Tool[]): Promise<PinChange[]> {
    const now = Date.now();
    const turns = new WorkTurns();
    const changes: PinChange[] = [];
    for (const tool of tools) {
      if (turns.isOver) await turns.giveWay();
      const fingerprint = this.fingerprints.of(tool);
      const name = pinName(tool.name);
      const pin = file.pins.get(name);
      const isAccepted = pin?.fingerprint === fingerprint;
      if (!tool.callable || isAccepted || !isDistinctFingerprint(fingerprint)) continue;
      const firstSeenAt = pin?.firstSeenAt ?? now;
      const definition = acceptedDefinitionText(tool);
      changes.push({ name, pin: { fingerprint, firstSeenAt, acceptedAt: now }, definition });
    }
    return changes;
  }

  /**
   * Reads the accepted definitions before they are overwritten. The result reports the tools that
   * were accepted.
   */
  async #teller(
    file: PinFile,
    config: ServerConfig,
    tools: readonly Tool[],
    changes: readonly PinChange[],
  ): Promise<() => void> {
    const names = new Set(changes.map(({ name }) => name));
    const accepted = tools.filter((tool) => names.has(pinName(tool.name))).slice(0, maxTold);
    const told = await Promise.all(
      accepted.map(async (tool) => {
        const kept = await file.definition(pinName(tool.name));
        return { tool, fields: kept === undefined ? [] : changedFields(kept, tool) };
      }),
    );
    return () => {
      for (const { tool, fields } of told) {
        const pin = file.pins.get(pinName(tool.name));
        if (pin?.fingerprint !== this.fingerprints.of(tool)) continue;
        this.#options.onAccept?.(config, tool, fields);
      }
    };
  }

  async #changed(file: PinFile, name: string, tool: Tool): Promise<PinState> {
    const kept = await file.definition(name);
    // Without the earlier text, it is still known that the definition changed.
    if (kept === undefined) {
      const before = parseTool({ name: tool.name, inputSchema: { type: 'object' } });
      return { kind: 'changed', before, fields: [] };
    }
    return { kind: 'changed', before: kept.tool, fields: changedFields(kept, tool) };
  }
}

function isSameList(one: Server, other: Server): boolean {
  return (
    one.tools === other.tools &&
    one.listProblems === other.listProblems &&
    one.state.kind === other.state.kind
  );
}
