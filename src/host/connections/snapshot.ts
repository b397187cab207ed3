import { setImmediate as nextRound } from 'node:timers/promises';
import { CancellationTokenSource, type Disposable } from 'vscode-jsonrpc/node';
import { McpError, toMcpError } from '../../core/errors';
import type { ConnectionLog } from '../../core/log';
import { type Risk, riskOfTool } from '../../core/risk';
import type { ListProblem, Tool, ToolList, Implementation, Revision } from '../../core/types';
import type { McpClient } from '../../core/client';
import { isSameJson } from '../../core/json/shapes';
import type { ToolChoices } from '../configuration/toolChoices';
import type { ProcessNotice } from '../../core/stdio/stdioProcess';
import type { ClientProfile } from '../configuration/clientProfiles';
import type { SignInState } from '../authorization/signInTiming';
import type { RestartCount } from '../processes/crashRestarts';
import type { ConfigProblem, ServerConfig } from '../configuration/serverConfig';
import { ListingSchedule } from './listingSchedule';

/** Sorting this many takes a noticeable time. */
const manyTools = 1_000;

/** For a list that its server announces as changed after each listing. */
export const alwaysChanging: ListProblem = { code: 'alwaysChanging' };

/** Returns true if the server runs or is starting. */
export function isActive(server: Server | undefined): boolean {
  return server?.state.kind === 'running' || server?.state.kind === 'starting';
}

/** Returns true if two definitions are equal, regardless of the order of keys. */
export function isSameTool(one: Tool, other: Tool): boolean {
  return one === other || isSameJson(one, other);
}

/** Returns the effective risk of a tool. */
export type AssessRisk = (tool: Tool) => Risk;

/** The properties of an entry that are computed from its tool. */
type Judged = Pick<ToolEntry, 'risk' | 'isDisabled' | 'taskChoice'>;

/**
 * Returns the entries for `tools`. An entry with an unchanged definition stays the same object, and
 * so does the list if no entry changed, so that a tree keeps its rows.
 */
export function toToolEntries(
  serverId: string,
  tools: readonly Tool[],
  before: readonly ToolEntry[],
  judge: (tool: Tool) => Judged = (tool) => ({ risk: riskOfTool(tool) }),
): readonly ToolEntry[] {
  const byName = new Map(before.map((entry) => [entry.tool.name, entry]));
  let isSame = tools.length === before.length;
  const entries = tools.map((tool, index) => {
    const atIndex = before[index];
    // Matches by index first, because names can repeat, and then by name, because indexes shift.
    const known = atIndex?.tool.name === tool.name ? atIndex : byName.get(tool.name);
    if (known !== undefined && isSameTool(known.tool, tool)) {
      if (known !== atIndex) isSame = false;
      return known;
    }
    isSame = false;
    return { serverId, tool, ...judge(tool) };
  });
  return isSame ? before : entries;
}

/** Recomputes the entries. Unchanged entries stay the same objects, and so does the list. */
function reassess(
  entries: readonly ToolEntry[],
  judge: (tool: Tool) => Judged,
): readonly ToolEntry[] {
  let isSame = true;
  const now = entries.map((entry) => {
    const { serverId, tool, risk, isDisabled, taskChoice } = entry;
    const judged = judge(tool);
    const isLike = judged.isDisabled === isDisabled && judged.taskChoice === taskChoice;
    if (isLike && isSameJson(judged.risk, risk)) return entry;
    isSame = false;
    return { serverId, tool, ...judged };
  });
  return isSame ? entries : now;
}

export interface ToolListingOptions {
  readonly serverId: string;
  readonly client: McpClient;
  readonly log: ConnectionLog;
  readonly assess: AssessRisk;
  /** Undefined if there are no choices. */
  readonly choices: ToolChoices | undefined;
  /** Called after `tools` or `problems` changed, never after dispose. */
  readonly onDidChange: () => void;
}

/** The tools of one run. They are listed again on request or when the server announces a change. */
export class ToolListing implements Disposable {
  readonly #options: ToolListingOptions;
  readonly #cancellation = new CancellationTokenSource();
  #tools: readonly ToolEntry[] = [];
  #problems: readonly ListProblem[] = [];
  readonly #schedule = new ListingSchedule(() => this.#list());

  constructor(options: ToolListingOptions) {
    this.#options = options;
  }

  get tools(): readonly ToolEntry[] {
    return this.#tools;
  }

  get problems(): readonly ListProblem[] {
    return this.#problems;
  }

  /**
   * Lists the tools, or joins the listing in progress. If it fails, the previous tools stay and
   * `problems` says why they may be out of date.
   * @throws {McpError} any code of a request
   */
  refresh(): Promise<void> {
    return this.#schedule.run(true);
  }

  /** Lists announced changes at once; resolves when none is pending. Never rejects. */
  listAnnounced(): Promise<void> {
    return this.#schedule.runAnnounced();
  }

  /** Handles an announced change. Many announcements lead to one listing. */
  announceChange(): void {
    this.#schedule.announceChange();
  }

  /** Recomputes the risk and the choices of each tool. */
  reassess(): void {
    if (this.#cancellation.token.isCancellationRequested) return;
    const tools = reassess(this.#tools, (tool) => this.#judge(tool));
    if (tools === this.#tools) return;
    this.#tools = tools;
    this.#options.onDidChange();
  }

  dispose(): void {
    this.#schedule.dispose();
    this.#cancellation.cancel();
  }

  async #list(): Promise<void> {
    const { token } = this.#cancellation;
    try {
      // Callers want the current list and not a cached one.
      const list = await this.#options.client.listTools({ token, isRefresh: true });
      // The last part of a long list was parsed in this turn, and listeners need time as well.
      if (list.tools.length > manyTools) await nextRound();
      if (!token.isCancellationRequested) this.#publish(list);
    } catch (thrown) {
      const error = toMcpError(thrown);
      if (token.isCancellationRequested) throw new McpError('cancelled', { cause: error });
      this.#options.log.error(`tools/list failed: ${error.message}`);
      this.#publish({
        tools: this.#tools.map((entry) => entry.tool),
        problems: [{ code: 'pageFailed', detail: error.message }],
      });
      throw error;
    }
  }

  #judge(tool: Tool): Judged {
    const { assess, choices } = this.#options;
    const isChoice = tool.taskSupport === 'optional';
    return {
      risk: assess(tool),
      ...(choices?.isDisabled(tool.name) === true ? { isDisabled: true } : {}),
      ...(isChoice
        ? { taskChoice: choices?.runsAsTask(tool.name) === true ? 'task' : 'direct' }
        : {}),
    };
  }

  #publish(list: ToolList): void {
    const { serverId, onDidChange } = this.#options;
    const judge = (tool: Tool) => this.#judge(tool);
    const tools = toToolEntries(serverId, list.tools, this.#tools, judge);
    const { isAlwaysChanging } = this.#schedule;
    const told = isAlwaysChanging ? [...list.problems, alwaysChanging] : list.problems;
    const problems = isSameJson(told, this.#problems) ? this.#problems : told;
    if (tools === this.#tools && problems === this.#problems) return;
    this.#tools = tools;
    this.#problems = problems;
    onDidChange();
  }
}

/** A tool with its effective risk: what its annotations claim, or what the user set. */
export interface ToolEntry {
  readonly serverId: string;
  readonly tool: Tool;
  readonly risk: Risk;
  /** True if the user disabled it. It is shown, but neither offered nor called. */
  readonly isDisabled?: boolean;
  /** The user's choice for a tool with optional task support; otherwise undefined. */
  readonly taskChoice?: 'task' | 'direct';
}

export type ServerState =
  | { readonly kind: 'stopped' }
  /**
   * `isHeld`: nothing runs yet, because the user is asked or the previous run is still ending.
   * `isInstalling`: a package manager installs the program, and the time limit of the start is
   * paused. `printed`: it has not answered for a while, but wrote this to stdout; untrusted.
   */
  | {
      readonly kind: 'starting';
      readonly isHeld?: true;
      readonly isInstalling?: true;
      readonly printed?: string;
    }
  | {
      readonly kind: 'running';
      readonly revision: Revision;
      readonly serverInfo: Implementation;
      readonly pid?: number;
      readonly startedAt: number;
    }
  | { readonly kind: 'failed'; readonly error: McpError };

/** Immutable snapshot of one server. A change makes a new one. */
export interface Server {
  readonly config: ServerConfig;
  readonly state: ServerState;
  /** Kept during a listing; empty when not running. */
  readonly tools: readonly ToolEntry[];
  readonly listProblems: readonly ListProblem[];
  readonly configProblems: readonly ConfigProblem[];
  /** Number of lines on stdout that were no messages. */
  readonly garbageLines: number;
  /** Events of its process in this run or at its end, one of each kind. */
  readonly notices: readonly ProcessNotice[];
  /** Restarts since it last ran for a while; undefined if it was not restarted automatically. */
  readonly restarts?: RestartCount;
  /** True if the user disabled it. It is shown, but does not start. */
  readonly isDisabled?: boolean;
  /** True if its messages are recorded to a file. */
  readonly isRecorded?: boolean;
  /** The client that it is shown instead of Toolgate. */
  readonly client?: ClientProfile;
  /** Undefined if it needed no sign-in so far. */
  readonly signIn?: SignInState;
}

export type RegistryChange =
  | { readonly kind: 'servers' }
  | { readonly kind: 'state'; readonly id: string }
  | { readonly kind: 'tools'; readonly id: string };
