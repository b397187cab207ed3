import type { FileValueKind } from '../../../core/callFiles/callVariables';
import type { Tool } from '../../../core/types';
import type { ServerConfig } from '../../configuration/serverConfig';
import type { ToolEntry } from '../../connections/snapshot';
import type { RiskLevel } from '../../../core/risk';

/** The effect of a rule or decision. Deny takes precedence over ask, and ask over allow. */
export type Effect = 'allow' | 'ask' | 'deny';

/** The facts about one call that rules and grants are matched with. */
export interface CallFacts {
  readonly config: ServerConfig;
  /** The current tool with its effective risk. */
  readonly entry: ToolEntry;
  /** Exactly what would be sent; `{}` if there are no arguments. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly origin: CallOrigin;
  /** Values that a call file filled into the arguments. Defaults to none. */
  readonly fileValues?: readonly FileValueKind[];
}

/** Position of a rule: the settings scope, and its index from 0. */
export interface RulePlace {
  readonly scope: 'user' | 'machine' | 'workspace' | 'folder';
  /** Path of the workspace folder, for the scope `folder`. */
  readonly folder?: string;
  readonly index: number;
}

/** A rule that applies to a call. */
export interface RuleMatch {
  readonly effect: Effect;
  readonly place: RulePlace;
  /** The rule author's explanation; untrusted for a rule of the workspace. */
  readonly reason?: string;
  /** Part of the rule was invalid, so it is applied as strictly as possible. */
  readonly isReadStrictly: boolean;
  /**
   * Set if an agent requests the call and this is a matching rule of the user that names agents. It
   * opens a tool that agents may not use otherwise.
   */
  readonly opensToAgents?: true;
}

/** The parts of a definition that are compared. */
export type ToolField = 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations';

/** How a tool compares with its accepted definition. */
export type PinState =
  | { readonly kind: 'known' }
  /** The server was seen before without this tool. */
  | { readonly kind: 'new' }
  | { readonly kind: 'changed'; readonly before: Tool; readonly fields: readonly ToolField[] }
  /** `toolgate.lock.json` contains another reviewed definition, or none. */
  | { readonly kind: 'unlocked'; readonly lockFile: string };

/** A past call, as far as rules can be matched with it. */
export interface DecidedCallFacts {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Id of the server in the configuration. */
  readonly server: string;
  readonly tool: string;
  /** Defaults to the user. */
  readonly asker?: Requester;
  /** The risk at that time. */
  readonly risk: {
    readonly level: RiskLevel;
    readonly openWorld: boolean;
    readonly idempotent: boolean;
  };
  /** The arguments that were sent, or would have been; undefined if they were not recorded. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** The decision, whatever its cause. */
  readonly decision: Effect;
  /** The effect of the rules at that time alone; undefined if no rule applied. */
  readonly ruleEffect?: Effect;
}

/**
 * The origin of a call; shown in the dialog and recorded in the journal. `command` is an editor
 * command that anything may have run: a link, a keybinding, a task, another extension. `api` is
 * another extension through our API, `commandLine` the program without an editor, and `agent` an
 * external program that uses the agents' endpoint.
 */
export const callOrigins = [
  'palette',
  'tree',
  'file',
  'history',
  'command',
  'api',
  'commandLine',
  'agent',
] as const;
export type CallOrigin = (typeof callOrigins)[number];

/** Returns true if the user requested the call directly, as far as can be known. */
export function isFromUser(origin: CallOrigin): boolean {
  return requesterOf(origin) === 'person';
}

/** Kinds of callers that rules and permissions distinguish. */
export const requesters = ['person', 'extension', 'agent'] as const;
export type Requester = (typeof requesters)[number];

/** An unknown origin of a newer version counts as an extension. */
export function requesterOf(origin: string): Requester {
  switch (origin) {
    case 'palette':
    case 'tree':
    case 'file':
    case 'history':
      return 'person';
    case 'agent':
      return 'agent';
    default:
      return 'extension';
  }
}
