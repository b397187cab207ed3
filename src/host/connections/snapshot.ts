import type { McpError } from '../../core/errors';
import type { Risk } from '../../core/risk';
import type { Implementation, ListProblem, Revision, Tool } from '../../core/types';
import type { ProcessNotice } from '../../core/stdio/stdioProcess';
import type { ClientProfile } from '../configuration/clientProfiles';
import type { SignInState } from '../authorization/signInState';
import type { RestartCount } from '../processes/crashRestarts';
import type { ConfigProblem, ServerConfig } from '../configuration/serverConfig';

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
