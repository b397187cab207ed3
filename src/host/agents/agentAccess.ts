import { Emitter, type CancellationToken, type Disposable } from 'vscode-jsonrpc/node';
import { McpError } from '../../core/errors';
import type { ServerRegistry } from '../connections/registry';
import type { Server, ToolEntry } from '../connections/snapshot';
import type { ServerConfig } from '../configuration/serverConfig';
import type { PinAccess } from '../consent/consent';
import type { Rule } from '../consent/rules/rule';
import { fitsAsker, fitsTool, mayOpenToAgents } from '../consent/rules/matchRules';
import { joinedName, ownName, toAgentTool, withUniqueNames, type AgentTool } from './agentTools';

/** Tells that something may be different from before. */
type Changes = (listener: () => void) => Disposable;

export interface AgentAccessOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'find' | 'start' | 'onDidChange'>;
  /** Ids of the servers that the person has exposed, as they are now. */
  readonly exposed: () => readonly string[];
  readonly rules: () => readonly Rule[];
  readonly pins: Pick<PinAccess, 'stateOf'>;
  /** Whether the person has agreed to start this server as it is. */
  readonly isTrusted: (config: ServerConfig) => Promise<boolean>;
  /** Whether servers start because somebody uses them. */
  readonly startsOnUse: () => boolean;
  /** Of everything that {@link toolsOf} goes by, besides the registry. */
  readonly changes: readonly Changes[];
}

/** A listing waits so long for servers that start; what comes later is announced. */
const listingMs = 10_000;
/** Changes within this time are announced together. */
const quietMs = 200;

/**
 * What agents may know and start: of the servers that the person has exposed those tools that an
 * agent may ask for. Whether a call is made is for the gate alone; this only decides what is shown.
 */
export class AgentAccess implements Disposable {
  readonly #options: AgentAccessOptions;
  readonly #subscriptions: readonly Disposable[];
  /** By server, and by nothing for all of them; gone with every change. */
  readonly #listed = new Map<string | undefined, Promise<readonly AgentTool[]>>();
  #timer: NodeJS.Timeout | undefined;

  readonly #onDidChange = new Emitter<void>();
  /** {@link toolsOf} may be different from before. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: AgentAccessOptions) {
    this.#options = options;
    const change = (): void => {
      this.#listed.clear();
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#onDidChange.fire();
      }, quietMs).unref();
    };
    const all: readonly Changes[] = [options.registry.onDidChange, ...options.changes];
    this.#subscriptions = all.map((each) => each(change));
  }

  isExposed(server: string): boolean {
    return this.#options.exposed().includes(server);
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
    const all = await Promise.all(
      this.#exposed(server).map(async (each) => {
        const shown = await this.#shown(each);
        return shown.map((entry) => {
          const { name } = entry.tool;
          return toAgentTool(
            entry,
            server === undefined ? joinedName(each.config.id, name) : ownName(name),
          );
        });
      }),
    );
    return withUniqueNames(all.flat());
  }

  /**
   * Starts the exposed servers that do not run and can start without a question, and waits for them
   * a moment. Those that failed stay as they are: only a call tries them again. Never rejects.
   */
  async prepare(server: string | undefined, token: CancellationToken): Promise<void> {
    const starts = this.#exposed(server)
      .filter(({ state }) => state.kind === 'stopped' || state.kind === 'starting')
      .map(({ config }) => this.start(config.id, token).catch(() => undefined));
    if (starts.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, listingMs);
    });
    await Promise.race([Promise.all(starts), limit]);
    clearTimeout(timer);
  }

  /**
   * Starts a server for an agent. Whether it may start at all is never asked because of one.
   * @throws {McpError} unknownServer | notRunning | notApproved | whatever starting rejects with
   */
  async start(id: string, token: CancellationToken): Promise<void> {
    const { registry, isTrusted, startsOnUse } = this.#options;
    const server = this.isExposed(id) ? registry.find(id) : undefined;
    if (server === undefined) throw new McpError('unknownServer', { detail: id });
    if (server.state.kind === 'running') return;
    if (!startsOnUse()) throw new McpError('notRunning');
    if (!(await isTrusted(server.config))) throw new McpError('notApproved');
    await registry.start(id, token);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscriptions.forEach((each) => each.dispose());
    this.#onDidChange.dispose();
  }

  #exposed(server: string | undefined): readonly Server[] {
    return this.#options.registry.servers.filter(
      ({ config: { id }, isDisabled }) =>
        this.isExposed(id) && isDisabled !== true && (server === undefined || server === id),
    );
  }

  async #shown({ config, tools }: Server): Promise<readonly ToolEntry[]> {
    const rules = this.#options.rules();
    const possible = tools.filter(
      (entry) => entry.tool.callable && entry.isDisabled !== true && mayAsk(entry, rules),
    );
    const known = await Promise.all(possible.map((entry) => this.#isKnown(config, entry)));
    return possible.filter((_, index) => known[index]);
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

/** Whether there are arguments with which an agent may ask for the tool, as far as rules can tell. */
function mayAsk({ serverId, tool, risk }: ToolEntry, rules: readonly Rule[]): boolean {
  const subject = { server: serverId, tool: tool.name, level: risk.level };
  const fitting = rules.filter((rule) => fitsTool(rule, subject) && fitsAsker(rule, 'agent'));
  if (fitting.some(({ effect, when }) => effect === 'deny' && when.length === 0)) return false;
  return risk.level !== 'destructive' || fitting.some((rule) => mayOpenToAgents(rule, subject));
}
