import type { FileValueKind } from '../../../core/callFiles/fileValues';
import type { Tool } from '../../../core/types';
import type { ServerConfig } from '../../configuration/serverConfig';
import type { ToolEntry } from '../../connections/snapshot';
import type { CallOrigin, Asker } from './callOrigin';
import type { RiskLevel } from '../../../core/risk';

/** What a rule or a decision does with a call. Deny beats ask beats allow. */
export type Effect = 'allow' | 'ask' | 'deny';

/** The facts about one call that rules and grants are held against. */
export interface CallFacts {
  readonly config: ServerConfig;
  /** The tool as it is now, with its effective risk. */
  readonly entry: ToolEntry;
  /** Exactly what would be sent; `{}` where arguments are absent. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly origin: CallOrigin;
  /** Values that a call file put into the arguments without holding them. Absent: none. */
  readonly fileValues?: readonly FileValueKind[];
}

/** Where a rule stands: which settings, and the how-manieth it is there, from 0. */
export interface RulePlace {
  readonly scope: 'user' | 'machine' | 'workspace' | 'folder';
  /** Path of the workspace folder, for `folder`. */
  readonly folder?: string;
  readonly index: number;
}

/** A rule that applies to a call. */
export interface RuleMatch {
  readonly effect: Effect;
  readonly place: RulePlace;
  /** What the author of the rule wrote for whoever meets it; untrusted for a workspace's rule. */
  readonly reason?: string;
  /** Part of the rule could not be read, so it is taken as strictly as it can be meant. */
  readonly isReadStrictly: boolean;
  /**
   * The call is an agent's, and this is a rule of the user that names agents and surely fits: it
   * opens a tool that only people may use otherwise.
   */
  readonly opensToAgents?: true;
}

/** The parts of a definition in which two tools can differ. */
export type ToolField = 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations';

/** How a tool compares with what was seen of it before. */
export type PinState =
  | { readonly kind: 'known' }
  /** The server was seen before, and did not have this tool. */
  | { readonly kind: 'new' }
  | { readonly kind: 'changed'; readonly before: Tool; readonly fields: readonly ToolField[] }
  /** Another definition was reviewed and written down in `toolgate.lock.json`, or none. */
  | { readonly kind: 'unlocked'; readonly lockFile: string };

/** A call that was decided on before, as far as rules can be held against it. */
export interface DecidedCallFacts {
  /** Epoch ms. */
  readonly at: number;
  /** Id of the server in the configuration. */
  readonly server: string;
  readonly tool: string;
  /** Absent: a person. */
  readonly asker?: Asker;
  /** As it was at the time. */
  readonly risk: {
    readonly level: RiskLevel;
    readonly openWorld: boolean;
    readonly idempotent: boolean;
  };
  /** What was sent or would have been; absent where it was not recorded. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** What was decided, by whatever cause. */
  readonly decision: Effect;
  /** What the rules of the time said, taken alone; absent: no rule applied. */
  readonly ruleEffect?: Effect;
}
