import { alwaysAsk, type FileValueKind } from '../../core/callFiles/callVariables';
import type { Effect, RuleMatch, PinState } from './facts/callFacts';
import type { Grant, SuspendedGrant } from './grants/grant';

/** The reason for a decision. */
export type DecisionCause =
  | { readonly kind: 'rule'; readonly rule: RuleMatch }
  | { readonly kind: 'grant'; readonly grant: Grant }
  /** The tool is new or changed. */
  | { readonly kind: 'pin'; readonly pin: Exclude<PinState, { kind: 'known' }> }
  /** A call file filled in argument values that it does not contain. */
  | { readonly kind: 'fileValues'; readonly values: readonly FileValueKind[] }
  /** An agent requests a destructive tool, and no rule of the user opens it to agents. */
  | { readonly kind: 'humanOnly' }
  /** No rule or permission covers the call, so the user is asked. */
  | { readonly kind: 'noRule' }
  /** Required data could not be read: users are asked, agents are denied. */
  | { readonly kind: 'unreadable'; readonly detail: string };

/** The decision about a call, with all rules and grants that were considered. */
export interface Decision {
  readonly effect: Effect;
  readonly cause: DecisionCause;
  /** Every rule that applies, strongest first. */
  readonly rules: readonly RuleMatch[];
  /** The grant that covers the call, even if something stricter decided. */
  readonly grant?: Grant;
  /** Grants that would cover it if the server or the tool had not changed. */
  readonly suspended: readonly SuspendedGrant[];
  readonly pin: PinState;
}

/** The rules, grants and pins that a decision considers. */
export interface Evidence {
  /** In the order of their scopes: user, workspace, folders. */
  readonly rules: readonly RuleMatch[];
  readonly grant?: Grant;
  readonly suspended: readonly SuspendedGrant[];
  readonly pin: PinState;
  /** Defaults to none. */
  readonly fileValues?: readonly FileValueKind[];
  /** Set if an agent requests the call. */
  readonly agent?: { readonly isDestructive: boolean };
}

/**
 * Decides about a call. A deny takes precedence over everything. A new or changed tool is always
 * asked about. Arguments with values that a call file filled in are asked about, unless a grant is
 * for exactly these arguments and none of them may be a secret. An ask takes precedence over an
 * allow; a grant allows like a rule; otherwise the user is asked. Agents are denied definitions
 * that the user has not accepted, and destructive tools that no rule of the user opens to them.
 * Pure, and the only function that combines these.
 */
export function decide(evidence: Evidence): Decision {
  const { grant, pin, suspended, fileValues = [], agent } = evidence;
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
  if (pin.kind !== 'known') {
    // An agent may not use a definition that the user has not seen.
    const effect = agent === undefined ? 'ask' : 'deny';
    return { effect, cause: { kind: 'pin', pin }, ...found };
  }
  if (agent?.isDestructive === true && !rules.some(({ opensToAgents }) => opensToAgents)) {
    return { effect: 'deny', cause: { kind: 'humanOnly' }, ...found };
  }
  const isAgreedTo = grant?.scope === 'arguments' && !alwaysAsk(fileValues);
  if (fileValues.length > 0 && !isAgreedTo) {
    return { effect: 'ask', cause: { kind: 'fileValues', values: fileValues }, ...found };
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

/** Strictest first. */
const effects: readonly Effect[] = ['deny', 'ask', 'allow'];
