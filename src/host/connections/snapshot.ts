import type { McpError } from '../../core/errors';
import type { Risk } from '../../core/risk';
import type { Implementation, ListProblem, Revision, Tool } from '../../core/types';
import type { ProcessNotice } from '../../core/stdio/stdioProcess';
import type { SignInState } from '../authorization/signInState';
import type { Restarts } from '../processes/crashRestarts';
import type { ConfigProblem, ServerConfig } from '../configuration/serverConfig';

/** One tool as it is now, with its effective risk: what its annotations claim, or what the person set. */
export interface ToolEntry {
  readonly serverId: string;
  readonly tool: Tool;
  readonly risk: Risk;
  /** The person has switched it off: it is shown, and neither offered nor called. */
  readonly isDisabled?: boolean;
  /** What the user chose for a tool that its server runs as a task if asked to; else absent. */
  readonly taskChoice?: 'task' | 'direct';
}

export type ServerState =
  | { readonly kind: 'stopped' }
  /**
   * `isHeld`: nothing runs yet; the person is asked, or the run before is still leaving.
   * `isInstalling`: a package manager fetches what is to run, and the limit for the start waits.
   */
  | { readonly kind: 'starting'; readonly isHeld?: true; readonly isInstalling?: true }
  | {
      readonly kind: 'running';
      readonly revision: Revision;
      readonly serverInfo: Implementation;
      readonly pid?: number;
      readonly startedAt: number;
    }
  | { readonly kind: 'failed'; readonly error: McpError };

/** Immutable picture of one server; a change makes a new one. */
export interface Server {
  readonly config: ServerConfig;
  readonly state: ServerState;
  /** Kept while a listing is under way, empty when not running. */
  readonly tools: readonly ToolEntry[];
  readonly listProblems: readonly ListProblem[];
  readonly configProblems: readonly ConfigProblem[];
  /** Lines on stdout that were no messages. */
  readonly garbageLines: number;
  /** What its process did beside its messages, in this run or at its end; each kind once. */
  readonly notices: readonly ProcessNotice[];
  /** Since it last ran for a while; absent: it was not started again by itself. */
  readonly restarts?: Restarts;
  /** The person has switched it off: it is shown, and does not start. */
  readonly isDisabled?: boolean;
  /** What is exchanged with it is written into a file. */
  readonly isRecorded?: boolean;
  /** Absent: it wants no sign-in, as far as this window has seen. */
  readonly signIn?: SignInState;
}

export type RegistryChange =
  | { readonly kind: 'servers' }
  | { readonly kind: 'state'; readonly id: string }
  | { readonly kind: 'tools'; readonly id: string };
