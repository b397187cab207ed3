import type { McpError } from '../../core/errors';
import type { Risk } from '../../core/risk';
import type { Implementation, ListProblem, Revision, Tool } from '../../core/types';
import type { ConfigProblem, ServerConfig } from '../configuration/serverConfig';

/** One tool as it is now, with the risk that its annotations claim. */
export interface ToolEntry {
  readonly serverId: string;
  readonly tool: Tool;
  readonly risk: Risk;
}

export type ServerState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
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
}

export type RegistryChange =
  | { readonly kind: 'servers' }
  | { readonly kind: 'state'; readonly id: string }
  | { readonly kind: 'tools'; readonly id: string };
