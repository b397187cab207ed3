import { Emitter, type CancellationToken, type Disposable } from 'vscode-jsonrpc/node';
import { WorkTurns } from '../../core/bounds/workTurns';
import { McpError } from '../../core/errors';
import type { ServerRegistry } from '../connections/registry';
import type { Server, ToolEntry } from '../connections/snapshot';
import { configHash } from '../configuration/configurationHash';
import type { ServerConfig } from '../configuration/serverConfig';
import type { PinAccess } from '../consent/consent';
import type { Rule } from '../consent/rules/rule';
import type { ToolSets } from './toolSets';
import {
  type AgentTool,
  digestOfTools,
  joinedName,
  ownName,
  toAgentTool,
  withUniqueNames,
  mayAsk,
  mayBeAllowed,
} from './agentTools';

/** Tells that something may be different from before. */
type Changes = (listener: () => void) => Disposable;

export interface AgentAccessOptions {
  readonly registry: Pick<
    ServerRegistry,
    'servers' | 'find' | 'start' | 'listAnnouncedTools' | 'onDidChange'
  >;
  /** Ids of the servers that the person has exposed, as they are now. */
  readonly exposed: () => readonly string[];
  /** What of them the person wants to be seen in this workspace. */
  readonly toolSets: Pick<ToolSets, 'holds' | 'mayHoldOf' | 'onDidChange'>;
  readonly rules: () => readonly Rule[];
  /** Nobody can be asked, so only tools that a rule may allow are shown. Default: the user is asked. */
  readonly asksNobody?: true;
  readonly pins: Pick<PinAccess, 'stateOf'>;
  /** Whether the person has agreed to start this server as it is. */
  readonly isTrusted: (config: ServerConfig) => Promise<boolean>;
  /** Whether what it leaves open for inputs is known, so that its start asks for nothing. */
  readonly isAnswered: (config: ServerConfig) => Promise<boolean>;
  /** Whether servers start because somebody uses them. */
  readonly startsOnUse: () => boolean;
  /** Of everything that {@link toolsOf} goes by, besides the registry. */
  readonly changes: readonly Changes[];
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
}

/** A listing waits so long for servers that start; what comes later is announced. */
const listingMs = 10_000;
/** Tools that are looked at in one turn of the event loop; a server may have 20,000. */
const toolsAtOnce = 200;
/** Changes within this time are announced together. */
const quietMs = 200;
/** Calls start a server once within this time: one that fails would be started without end. */
const startEveryMs = 60_000;

/**
 * What agents may know and start: of the servers that the person has exposed those tools that an
 * agent may ask for. Whether a call is made is for the gate alone; this only decides what is shown.
 */
export class AgentAccess implements Disposable {
  readonly #options: AgentAccessOptions;
  readonly #subscriptions: readonly Disposable[];
  /** By server, and by nothing for all of them; gone with every change. */
  readonly #listed = new Map<string | undefined, Promise<readonly AgentTool[]>>();
  /** Configurations that ran or were started: a Stop of the person holds against listings. */
  readonly #started = new Set<string>();
  /** By server: when a call started it last. */
  readonly #startedByCalls = new Map<string, number>();
  #announced: string | undefined;
  /** Somebody may have seen what was so only between two announcements. */
  #isBetween = false;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  readonly #onDidChange = new Emitter<void>();
  /** {@link toolsOf} may be different from before. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: AgentAccessOptions) {
    this.#options = options;
    const change = (): void => {
      this.#noteRunning();
      if (this.#timer !== undefined && this.#listed.size > 0) this.#isBetween = true;
      this.#listed.clear();
      this.#timer ??= setTimeout(() => void this.#announce(), quietMs).unref();
    };
    this.#noteRunning();
    const { registry, toolSets } = options;
    const all: readonly Changes[] = [
      registry.onDidChange,
      toolSets.onDidChange,
      ...options.changes,
    ];
    this.#subscriptions = all.map((each) => each(change));
  }

  isExposed(server: string): boolean {
    return this.#options.exposed().includes(server);
  }

  /** Whether agents may know tools of it now. */
  isShown(server: string): boolean {
    return this.isExposed(server) && this.#options.toolSets.mayHoldOf(server);
  }

  /** Whether the tool is none that the person wants to be seen now, whatever else counts. */
  isLeftOut({ server, tool }: Pick<AgentTool, 'server' | 'tool'>): boolean {
    return !this.#options.toolSets.holds(server, tool);
  }

  /**
   * The tools that an agent may ask for, of one server or of all exposed ones under joined names,
   * each under a name of its own. None of a server that is not exposed or does not run.
   */
  toolsOf(server?: string): Promise<readonly AgentTool[]> {
    const known = this.#listed.get(server);
    if (known !== undefined) return known;
    const listed = this.#list(server);
    this.#listed.set(server, listed);
    return listed;
  }

  async #list(server: string | undefined): Promise<readonly AgentTool[]> {
    const turns = new WorkTurns();
    const all: AgentTool[] = [];
    for (const each of this.#exposed(server)) {
      for (const entry of await this.#shown(each, turns)) {
        const { name } = entry.tool;
        const told = server === undefined ? joinedName(each.config.id, name) : ownName(name);
        all.push(toAgentTool(entry, told));
        if (turns.isOver) await turns.giveWay();
      }
    }
    return withUniqueNames(all);
  }

  /**
   * Starts the exposed servers that do not run and can start without a question, each configuration
   * once, and waits for them a moment. What has stopped or failed since stays so: only a call tries
   * it again. Never rejects.
   */
  async prepare(server: string | undefined): Promise<void> {
    const starts = this.#exposed(server)
      .filter(({ state }) => state.kind === 'stopped' || state.kind === 'starting')
      .map(({ config }) => this.#startOnce(config.id).catch(() => undefined));
    await withinListingTime(starts);
  }

  /** Waits a moment for lists of tools that are due, as their servers announced changes. */
  async listAnnounced(server: string | undefined): Promise<void> {
    const { registry } = this.#options;
    await withinListingTime(
      this.#exposed(server).map(({ config }) => registry.listAnnouncedTools(config.id)),
    );
  }

  /**
   * Starts a server because an agent calls one of its tools. Whether it may start at all is never
   * asked because of one.
   * @throws {McpError} unknownServer | notRunning | notApproved | agentPaused when a call has started
   * it a moment ago | whatever starting rejects with
   */
  async start(id: string, token: CancellationToken): Promise<void> {
    const { registry, now = () => performance.now() } = this.#options;
    const confirmed = await this.#confirmStartable(id);
    const { config, state } = this.#findAs(confirmed);
    if (state.kind === 'running') return;
    if (state.kind !== 'starting') {
      const last = this.#startedByCalls.get(id);
      if (last !== undefined && now() - last < startEveryMs) throw new McpError('agentPaused');
      this.#startedByCalls.set(id, now());
    }
    this.#started.add(keyOf(config));
    await registry.start(id, token);
  }

  /**
   * Starts a server whose configuration was not started yet, and waits for one that starts. An agent
   * that leaves meanwhile takes nothing back: there is one such start, and others wait for it.
   */
  async #startOnce(id: string): Promise<void> {
    const confirmed = await this.#confirmStartable(id);
    const { config, state } = this.#findAs(confirmed);
    const key = keyOf(config);
    const isFirst = state.kind === 'stopped' && !this.#started.has(key);
    if (!isFirst && state.kind !== 'starting') return;
    this.#started.add(key);
    await this.#options.registry.start(id);
  }

  /**
   * The configuration for which that holds.
   * @throws {McpError} unknownServer | notRunning | notApproved where it needs a question to run
   */
  async #confirmStartable(id: string): Promise<ServerConfig> {
    const { isTrusted, isAnswered, startsOnUse } = this.#options;
    const { config, state } = this.#find(id);
    if (state.kind === 'running') return config;
    if (!startsOnUse()) throw new McpError('notRunning');
    if (!(await isTrusted(config))) throw new McpError('notApproved');
    // What starts already has asked for what it needs, and not because of an agent.
    if (state.kind !== 'starting' && !(await isAnswered(config))) throw new McpError('notApproved');
    return config;
  }

  /** As {@link #find}, as long as nobody has to agree anew. @throws {McpError} notApproved, too */
  #findAs(confirmed: ServerConfig): Server {
    const server = this.#find(confirmed.id);
    if (keyOf(server.config) !== keyOf(confirmed)) throw new McpError('notApproved');
    return server;
  }

  /** The server as it is at this moment. */
  #find(id: string): Server {
    const server = this.isShown(id) ? this.#options.registry.find(id) : undefined;
    if (server === undefined) throw new McpError('unknownServer', { detail: id });
    return server;
  }

  #noteRunning(): void {
    for (const { config, state } of this.#exposed(undefined)) {
      if (state.kind === 'running') this.#started.add(keyOf(config));
    }
  }

  /** Tells of a change only where agents see one: each that is told lists again. */
  async #announce(): Promise<void> {
    this.#timer = undefined;
    const isBetween = this.#isBetween;
    this.#isBetween = false;
    const tools = await this.toolsOf();
    const now = await digestOfTools(tools);
    if (this.#isDisposed || (now === this.#announced && !isBetween)) return;
    this.#announced = now;
    this.#onDidChange.fire();
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    this.#subscriptions.forEach((each) => each.dispose());
    this.#onDidChange.dispose();
  }

  #exposed(server: string | undefined): readonly Server[] {
    return this.#options.registry.servers.filter(
      ({ config: { id }, isDisabled }) =>
        isDisabled !== true && (server === undefined || server === id) && this.isShown(id),
    );
  }

  async #shown({ config, tools }: Server, turns: WorkTurns): Promise<readonly ToolEntry[]> {
    const { asksNobody } = this.#options;
    const rules = this.#options.rules();
    const shown: ToolEntry[] = [];
    for (let at = 0; at < tools.length; at += toolsAtOnce) {
      const possible = tools
        .slice(at, at + toolsAtOnce)
        .filter(
          (entry) =>
            entry.tool.callable &&
            entry.isDisabled !== true &&
            this.#options.toolSets.holds(config.id, entry.tool.name) &&
            mayAsk(entry, rules) &&
            (asksNobody !== true || mayBeAllowed(entry, rules)),
        );
      const known = await Promise.all(possible.map((entry) => this.#isKnown(config, entry)));
      shown.push(...possible.filter((_, index) => known[index]));
      await turns.giveWay();
    }
    return shown;
  }

  /** What cannot be told counts as unknown. */
  async #isKnown(config: ServerConfig, { tool }: ToolEntry): Promise<boolean> {
    try {
      return (await this.#options.pins.stateOf(config, tool)).kind === 'known';
    } catch {
      return false;
    }
  }
}

function keyOf(config: ServerConfig): string {
  return JSON.stringify([config.id, configHash(config)]);
}

async function withinListingTime(work: readonly Promise<void>[]): Promise<void> {
  if (work.length === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, listingMs);
  });
  await Promise.race([Promise.all(work), limit]);
  clearTimeout(timer);
}
