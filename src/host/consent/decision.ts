import type { Tool } from '../../core/types';
import type { CallOrigin } from './facts/callOrigin';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ToolEntry } from '../connections/snapshot';
import type { Grant, SuspendedGrant } from './grants/grant';

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
  /** Values of environment variables stand in the arguments because a file says so. */
  readonly hasEnvironmentValues?: boolean;
}

/** Where a rule stands: which settings, and the how-manieth it is there, from 0. */
export interface RulePlace {
  readonly scope: 'user' | 'workspace' | 'folder';
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

/** Why a call is decided as it is. */
export type DecisionCause =
  | { readonly kind: 'rule'; readonly rule: RuleMatch }
  | { readonly kind: 'grant'; readonly grant: Grant }
  /** The tool is not the one that was seen before. */
  | { readonly kind: 'pin'; readonly pin: Exclude<PinState, { kind: 'known' }> }
  /** A file put values of environment variables into the arguments. */
  | { readonly kind: 'environment' }
  /** Nothing covers the call: a person is asked. */
  | { readonly kind: 'noRule' }
  /** What the decision needs could not be read: a person is asked. */
  | { readonly kind: 'unreadable'; readonly detail: string };

/** What is decided about one call, and everything that spoke for or against it. */
export interface Decision {
  readonly effect: Effect;
  readonly cause: DecisionCause;
  /** Every rule that applies, strongest first. */
  readonly rules: readonly RuleMatch[];
  /** The grant that covers the call, also where something stricter decided. */
  readonly grant?: Grant;
  /** Grants that would cover it, had the server or the tool not changed. */
  readonly suspended: readonly SuspendedGrant[];
  readonly pin: PinState;
}

/** What speaks for or against a call, collected. */
export interface Evidence {
  /** In the order of their places: user, workspace, folders. */
  readonly rules: readonly RuleMatch[];
  readonly grant?: Grant;
  readonly suspended: readonly SuspendedGrant[];
  readonly pin: PinState;
  readonly hasEnvironmentValues?: boolean;
}

/**
 * The decision about a call. Deny beats everything; a tool that is new or changed, and arguments that
 * carry values of the environment, are asked about whatever else says; ask beats allow; a grant
 * allows as a rule does; without any of them a person is asked. Pure, and the only place where these weigh against each other.
 */
export function decide(evidence: Evidence): Decision {
  const { grant, pin, suspended, hasEnvironmentValues } = evidence;
  const rules = effects.flatMap((effect) =>
    evidence.rules.filter((rule) => rule.effect === effect),
  );
  const first = (effect: Effect): RuleMatch | undefined =>
    rules.find((rule) => rule.effect === effect);
  const found = {
    rules,
    suspended,
    pin,
    ...(grant === undefined ? {} : { grant }),
  };
  const deny = first('deny');
  if (deny !== undefined) return { effect: 'deny', cause: { kind: 'rule', rule: deny }, ...found };
  if (pin.kind !== 'known') return { effect: 'ask', cause: { kind: 'pin', pin }, ...found };
  if (hasEnvironmentValues === true) {
    return { effect: 'ask', cause: { kind: 'environment' }, ...found };
  }
  const ask = first('ask');
  if (ask !== undefined) return { effect: 'ask', cause: { kind: 'rule', rule: ask }, ...found };
  if (grant !== undefined) return { effect: 'allow', cause: { kind: 'grant', grant }, ...found };
  const allow = first('allow');
  if (allow !== undefined) {
    return { effect: 'allow', cause: { kind: 'rule', rule: allow }, ...found };
  }
  return { effect: 'ask', cause: { kind: 'noRule' }, ...found };
}

/** Strongest first. */
const effects: readonly Effect[] = ['deny', 'ask', 'allow'];
