import { areAlwaysAsked, type FileValueKind } from '../../core/callFiles/fileValues';
import type { Effect, RuleMatch, PinState } from './facts/callFacts';
import type { Grant, SuspendedGrant } from './grants/grant';

/** Why a call is decided as it is. */
export type DecisionCause =
  | { readonly kind: 'rule'; readonly rule: RuleMatch }
  | { readonly kind: 'grant'; readonly grant: Grant }
  /** The tool is not the one that was seen before. */
  | { readonly kind: 'pin'; readonly pin: Exclude<PinState, { kind: 'known' }> }
  /** A call file put values into the arguments that it does not hold. */
  | { readonly kind: 'fileValues'; readonly values: readonly FileValueKind[] }
  /** An agent asks for a destructive tool, and no rule of the user opens it to agents. */
  | { readonly kind: 'humanOnly' }
  /** Nothing covers the call: a person is asked. */
  | { readonly kind: 'noRule' }
  /** What the decision needs could not be read: a person is asked, an agent is denied. */
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
  /** Absent: none. */
  readonly fileValues?: readonly FileValueKind[];
  /** Absent: no agent wants the call. */
  readonly agent?: { readonly isDestructive: boolean };
}

/**
 * The decision about a call. Deny beats everything; a tool that is new or changed is asked about
 * whatever else says; arguments with values that a call file chose are asked about unless a grant is
 * for exactly these arguments and none may be a secret; ask beats allow; a grant allows as a rule
 * does; without any of them a person is asked. Agents are denied what a person has
 * not accepted, and destructive tools that no rule of the user opens to them. Pure, and the only
 * place where these weigh against each other.
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
    // A definition that nobody has read is none that a model may act on.
    const effect = agent === undefined ? 'ask' : 'deny';
    return { effect, cause: { kind: 'pin', pin }, ...found };
  }
  if (agent?.isDestructive === true && !rules.some(({ opensToAgents }) => opensToAgents)) {
    return { effect: 'deny', cause: { kind: 'humanOnly' }, ...found };
  }
  const isAgreedTo = grant?.scope === 'arguments' && !areAlwaysAsked(fileValues);
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

/** Strongest first. */
const effects: readonly Effect[] = ['deny', 'ask', 'allow'];
