import { Emitter, type CancellationToken, type Disposable } from 'vscode-jsonrpc/node';
import { settlesWithin } from '../../core/bounds/valueWithin';
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
  toolsDigest,
  qualifiedToolName,
  unqualifiedToolName,
  toAgentTool,
  withUniqueNames,
  canAgentRequest,
  mayBeAllowed,
} from './agentTools';

/** Subscribes to a source of change that affects the listed tools. */
type Changes = (listener: () => void) => Disposable;

export interface AgentAccessOptions {
  readonly registry: Pick<
    ServerRegistry,
    'servers' | 'find' | 'start' | 'listAnnouncedTools' | 'onDidChange'
  >;
  /** Returns the ids of the servers that are currently exposed to agents. */
  readonly exposed: () => readonly string[];
  /** The tool sets, which limit the tools that are shown in this workspace. */
  readonly toolSets: Pick<ToolSets, 'holds' | 'mayHoldOf' | 'onDidChange'>;
  readonly rules: () => readonly Rule[];
  /**
   * True if there is no user: only tools that a rule may allow are shown, and a server that failed
   * or stopped is started again, because nobody else does.
   */
  readonly asksNobody?: true;
  /** Reads again what others may have changed, before tools are listed. Never rejects. */
  readonly keepUp?: () => Promise<void>;
  readonly pins: Pick<PinAccess, 'stateOf'>;
  /** Returns true if the user agreed to start this server as it is configured now. */
  readonly isTrusted: (config: ServerConfig) => Promise<boolean>;
  /** Returns true if all inputs of the server have values, so that its start asks for nothing. */
  readonly isAnswered: (config: ServerConfig) => Promise<boolean>;
  /** Returns true if servers start when they are used. */
  readonly startsOnUse: () => boolean;
  /** Every source of change that {@link toolsOf} depends on, except the registry. */
  readonly changes: readonly Changes[];
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** A listing waits this long for servers that start. Tools that come later are announced. */
const listingMs = 10_000;
/** Number of tools that are checked in one turn of the event loop. A server may have 20,000. */
const toolsAtOnce = 200;
/** Changes within this time are announced together. */
const quietMs = 200;
/**
 * A server is started again once within this time. Otherwise a server that fails would be restarted
 * endlessly.
 */
const startEveryMs = 60_000;

/**
 * Decides which tools agents see and which servers they may start: the agent-visible tools of the
 * exposed servers. It only decides what is shown; the gate decides about each call.
 */
export class AgentAccess implements Disposable {
  readonly #options: AgentAccessOptions;
  readonly #subscriptions: readonly Disposable[];
  /** Lists by server id, and the list of all servers by undefined. Every change clears them. */
  readonly #listed = new Map<string | undefined, Promise<readonly AgentTool[]>>();
  /**
   * Configurations that ran or were started. A listing does not restart a server that the user
   * stopped.
   */
  readonly #started = new Set<string>();
  /** The time at which each server was last started again. */
  readonly #startedAgain = new Map<string, number>();
  #announced: string | undefined;
  /** True if an agent may have seen a state that existed only between two announcements. */
  #isBetween = false;
  #timer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  readonly #onDidChange = new Emitter<void>();
  /** Fires when {@link toolsOf} may return something else. */
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

  /** Returns true if agents may see tools of the server now. */
  isShown(server: string): boolean {
    return this.isExposed(server) && this.#options.toolSets.mayHoldOf(server);
  }

  /** Returns true if the user's tool set hides the tool, whatever else applies. */
  isLeftOut({ server, tool }: Pick<AgentTool, 'server' | 'tool'>): boolean {
    return !this.#options.toolSets.holds(server, tool);
  }

  /**
   * Returns the tools that an agent may request: those of one server, or those of all exposed
   * servers under unique joined names. A server that is not exposed or does not run has none.
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
        const { id } = each.config;
        const told = (server === undefined ? qualifiedToolName : unqualifiedToolName)(id, name);
        const isOwnName = told === (server === undefined ? `${id}__${name}` : name);
        all.push(toAgentTool(entry, told, isOwnName));
        if (turns.isOver) await turns.giveWay();
      }
    }
    return withUniqueNames(all);
  }

  /**
   * Starts the exposed servers that are stopped and can start without a question, each
   * configuration once, and waits briefly for them. A server that stopped or failed since stays
   * that way if there is a user; only a call tries it again. Never rejects.
   */
  async prepare(server: string | undefined): Promise<void> {
    const { keepUp, asksNobody } = this.#options;
    await keepUp?.();
    const starts = this.#exposed(server)
      .filter(({ state: { kind } }) => kind !== 'running' && (kind !== 'failed' || asksNobody))
      .map(({ config }) => this.#startOnce(config.id).catch(() => undefined));
    await withinListingTime(starts);
  }

  /** Waits briefly for tool lists that servers announced as changed. */
  async listAnnounced(server: string | undefined): Promise<void> {
    const { registry, keepUp } = this.#options;
    await keepUp?.();
    await withinListingTime(
      this.#exposed(server).map(({ config }) => registry.listAnnouncedTools(config.id)),
    );
  }

  /**
   * Starts a server because an agent calls one of its tools. Never asks the user for permission to
   * start it.
   * @throws {McpError} unknownServer | notRunning | notApproved | agentPaused if it was started
   * again a moment ago | whatever starting rejects with
   */
  async start(id: string, token: CancellationToken): Promise<void> {
    const { registry } = this.#options;
    const confirmed = await this.#confirmStartable(id);
    const { config, state } = this.#findAs(confirmed);
    if (state.kind === 'running') return;
    if (state.kind !== 'starting' && !this.#mayStartAgain(id)) throw new McpError('agentPaused');
    this.#started.add(keyOf(config));
    await registry.start(id, token);
  }

  /**
   * Starts a server whose configuration was not started yet, or again if there is no user who does,
   * and waits for a server that is starting. An agent that disconnects does not cancel the start,
   * because others may wait for it.
   */
  async #startOnce(id: string): Promise<void> {
    const confirmed = await this.#confirmStartable(id);
    const { config, state } = this.#findAs(confirmed);
    if (state.kind === 'running') return;
    const key = keyOf(config);
    const isFirst = state.kind === 'stopped' && !this.#started.has(key);
    const starts = isFirst || state.kind === 'starting';
    if (!starts && (this.#options.asksNobody !== true || !this.#mayStartAgain(id))) return;
    this.#started.add(key);
    await this.#options.registry.start(id);
  }

  /** Returns false if the server was started again a moment ago, and notes the time otherwise. */
  #mayStartAgain(id: string): boolean {
    const { now = () => performance.now() } = this.#options;
    const last = this.#startedAgain.get(id);
    if (last !== undefined && now() - last < startEveryMs) return false;
    this.#startedAgain.set(id, now());
    return true;
  }

  /**
   * Returns the configuration that may be started.
   * @throws {McpError} unknownServer | notRunning | notApproved if the start needs a question
   */
  async #confirmStartable(id: string): Promise<ServerConfig> {
    const { isTrusted, isAnswered, startsOnUse } = this.#options;
    const { config, state } = this.#find(id);
    if (state.kind === 'running') return config;
    if (!startsOnUse()) throw new McpError('notRunning');
    if (!(await isTrusted(config))) throw new McpError('notApproved');
    // A start that is in progress has asked for its inputs already, and not because of an agent.
    if (state.kind !== 'starting' && !(await isAnswered(config))) throw new McpError('notApproved');
    return config;
  }

  /**
   * Like {@link #find}, but the configuration has to be the confirmed one. @throws {McpError}
   * notApproved
   */
  #findAs(confirmed: ServerConfig): Server {
    const server = this.#find(confirmed.id);
    if (keyOf(server.config) !== keyOf(confirmed)) throw new McpError('notApproved');
    return server;
  }

  /** Returns the server as it is at this moment. */
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

  /**
   * Announces a change only if agents can see it, because each announcement makes every agent list
   * again.
   */
  async #announce(): Promise<void> {
    this.#timer = undefined;
    const isBetween = this.#isBetween;
    this.#isBetween = false;
    const tools = await this.toolsOf();
    const now = await toolsDigest(tools);
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
            canAgentRequest(entry, rules) &&
            (asksNobody !== true || mayBeAllowed(entry, rules)),
        );
      const known = await Promise.all(possible.map((entry) => this.#isKnown(config, entry)));
      shown.push(...possible.filter((_, index) => known[index]));
      await turns.giveWay();
    }
    return shown;
  }

  /** A tool counts as unknown if its state cannot be read. */
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
  if (work.length > 0) await settlesWithin(Promise.all(work), listingMs);
}
