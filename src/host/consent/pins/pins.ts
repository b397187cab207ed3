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
  keptText,
  type KeptDefinition,
  tellsApart,
  ToolFingerprints,
} from './pinDefinition';
import { PinFile } from './pinFile';
import type { PinChange } from './pinFileFormat';
import { isSameMarks, markOf, marksOf, noMarks, pinName, type ToolMarks } from './pinMarks';
import { Turns } from './pinTurns';

export interface PinsOptions {
  /** Made at the first write; one file for each server. */
  readonly folder: string;
  readonly onProblem: (problem: StorageProblem) => void;
  /** What is written down in lock files; it can only make more calls ask. */
  readonly lock?: LockView;
  readonly fingerprints?: ToolFingerprints;
  /** Where windows tell each other of changes. */
  readonly changes: SharedChanges;
  /** A tool was accepted in this window; `fields` is what had changed, empty for a new one. */
  readonly onAccept?: (config: ServerConfig, tool: Tool, fields: readonly ToolField[]) => void;
}

/** More are accepted in one go only by somebody who looked at none of them. */
const maxTold = 100;

/** The part of the lock files that decisions need. */
export interface LockView {
  /** Takes over what changed on the disk by now. Never rejects. */
  keepUp(): Promise<void>;
  /** The lock file that has this tool otherwise, or does not have it. */
  against(config: ServerConfig, tool: Tool, fingerprint: Fingerprint): string | undefined;
}

/** What is accepted in one go: definitions as they are, and names of tools that are gone. */
export interface AcceptedChanges {
  readonly tools: readonly Tool[];
  readonly gone: readonly string[];
}

interface Watched {
  readonly file: PinFile;
  server: Server | undefined;
  marks: ToolMarks;
  underWay: Promise<void> | undefined;
  /** Whether to look once more at the end. */
  isStale: boolean;
}

/**
 * The tools of each server as a person has accepted them: those it was first seen with, and every
 * later change that was agreed to. Whatever a server does, a tool that is not what was accepted is
 * never known. Several windows share what was accepted.
 */
export class Pins implements Disposable {
  readonly #options: PinsOptions;
  /** Those that it is held against; made once for each tool. */
  readonly fingerprints: ToolFingerprints;
  readonly #watched = new Map<string, Watched>();
  /** Keys by the ids under which servers were observed last. */
  readonly #keys = new Map<string, string>();

  readonly #onDidChange = new Emitter<string>();
  /** The marks of the server with this id are other ones than before. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: PinsOptions) {
    this.#options = options;
    this.fingerprints = options.fingerprints ?? new ToolFingerprints();
  }

  /**
   * Takes note of a server and its tools as they are now; for every new snapshot. The tools that
   * it is first seen with are accepted as they are. Resolves when {@link marks} says what it comes
   * to, or when there is a newer snapshot. Never rejects.
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

  /** What is different about the tools of a running server; none before it was looked at. */
  marks(serverId: string): ToolMarks {
    const key = this.#keys.get(serverId);
    return (key === undefined ? undefined : this.#watched.get(key)?.marks) ?? noMarks;
  }

  /**
   * How a tool compares with what was accepted and, where a lock file speaks of it, with that. Exact
   * at any time, also about what another window accepted a moment ago. Where nobody can tell what
   * was accepted, the tool is `new`. Never rejects. `look` is one at the changes that was taken for
   * this decision.
   */
  async stateOf(config: ServerConfig, tool: Tool, look?: Promise<Look>): Promise<PinState> {
    const watched = this.#watch(config);
    const isOther = await watched.file.keepUp(look);
    if (isOther) void this.#lookAgain(watched);
    // Nothing was accepted yet: what the server is first seen with may be on its way to be.
    if (watched.file.state === 'absent') await watched.underWay;
    const fingerprint = this.fingerprints.of(tool);
    const name = pinName(tool.name);
    const mark = markOf(watched.file.pins.get(name), fingerprint);
    if (mark === 'new') return { kind: 'new' };
    if (mark === 'changed') return this.#changed(watched.file, name, tool);
    const { lock } = this.#options;
    await lock?.keepUp();
    const lockFile = lock?.against(config, tool, fingerprint);
    return lockFile === undefined ? { kind: 'known' } : { kind: 'unlocked', lockFile };
  }

  /** The definition that was accepted; `undefined` if none was, or if it cannot be read any more. */
  definition(config: ServerConfig, toolName: string): Promise<KeptDefinition | undefined> {
    return this.#watch(config).file.definition(pinName(toolName));
  }

  /** The tool is known from now on, exactly as it is. Never rejects; see {@link acceptChanges}. */
  accept(config: ServerConfig, tool: Tool): Promise<void> {
    return this.acceptChanges(config, { tools: [tool], gone: [] });
  }

  /** Accepts everything that is new, changed or gone about a server as it is now. Never rejects. */
  async acceptAll(server: Server): Promise<void> {
    // What is gone is known only when it was looked at.
    await this.observe(server);
    const tools = server.tools.map(({ tool }) => tool);
    await this.acceptChanges(server.config, { tools, gone: this.marks(server.config.id).gone });
  }

  /**
   * Resolves when {@link marks} says so, too. Never rejects: what cannot be written is told, and
   * holds until the window is closed.
   */
  async acceptChanges(config: ServerConfig, { tools, gone }: AcceptedChanges): Promise<void> {
    const watched = this.#watch(config);
    await watched.file.refresh();
    if (watched.file.state === 'absent') await watched.underWay;
    const { pins } = watched.file;
    const removed = gone.filter((name) => pins.has(name)).map((name) => ({ name }));
    const changes = await this.#changesTo(watched.file, tools);
    const tell = await this.#teller(watched.file, config, tools, changes);
    await watched.file.add([...changes, ...removed]);
    tell();
    await this.#lookAgain(watched);
  }

  /** Takes over what other windows accepted. Never rejects. */
  async refresh(): Promise<void> {
    const all = [...this.#watched.values()].map(async (watched) => {
      if (await watched.file.refresh()) await this.#lookAgain(watched);
    });
    await Promise.all(all);
  }

  dispose(): void {
    for (const { file } of this.#watched.values()) file.dispose();
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

  /** Joins a look under way, which then looks once more. */
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
    // A server that listed nothing, or could not, was not seen yet.
    if (file.state === 'absent' && isWhole && entries.length > 0) {
      const tools = entries.map(({ tool }) => tool);
      await file.begin(await this.#changesTo(file, tools));
    }
    const list = { entries, isComplete };
    const marks = await marksOf(list, file.pins, this.fingerprints);
    if (watched.server !== undefined && isSameList(watched.server, server)) {
      this.#publish(watched, marks);
    }
  }

  #publish(watched: Watched, marks: ToolMarks): void {
    if (isSameMarks(watched.marks, marks)) return;
    watched.marks = marks;
    if (watched.server !== undefined) this.#onDidChange.fire(watched.server.config.id);
  }

  /** What has to be written so that `tools` are accepted, made in slices. */
  async #changesTo(file: PinFile, tools: readonly Tool[]): Promise<PinChange[]> {
    const now = Date.now();
    const turns = new Turns();
    const changes: PinChange[] = [];
    for (const tool of tools) {
      if (turns.isOver) await turns.next();
      const fingerprint = this.fingerprints.of(tool);
      const name = pinName(tool.name);
      const pin = file.pins.get(name);
      const isAccepted = pin?.fingerprint === fingerprint;
      if (!tool.callable || isAccepted || !tellsApart(fingerprint)) continue;
      const firstSeenAt = pin?.firstSeenAt ?? now;
      const definition = keptText(tool);
      changes.push({ name, pin: { fingerprint, firstSeenAt, acceptedAt: now }, definition });
    }
    return changes;
  }

  /** Looks at what was accepted before it is overwritten. */
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
      for (const { tool, fields } of told) this.#options.onAccept?.(config, tool, fields);
    };
  }

  async #changed(file: PinFile, name: string, tool: Tool): Promise<PinState> {
    const kept = await file.definition(name);
    // Should its text be lost, that it is another one is still known.
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
