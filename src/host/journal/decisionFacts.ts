import type { FileValueKind } from '../../core/callFiles/callVariables';
import { assertNever } from '../../core/errors';
import type { Decision, DecisionCause } from '../consent/consent';
import type { Effect, RulePlace, ToolField } from '../consent/facts/callFacts';
import type { GrantDuration, GrantScope } from '../consent/grants/grant';

/**
 * The reason for a decision as plain data, without the rules, grants and definitions themselves,
 * which change.
 */
export type CauseFacts =
  | {
      readonly kind: 'rule';
      readonly place: RulePlace;
      /** The rule author's explanation, at most {@link maxReasonChars} long, untrusted. */
      readonly reason?: string;
      readonly isReadStrictly?: true;
    }
  | {
      readonly kind: 'grant';
      readonly id: string;
      readonly scope: GrantScope;
      readonly duration: GrantDuration;
      /** When it was given, in milliseconds since the epoch. */
      readonly createdAt: number;
    }
  | { readonly kind: 'pin'; readonly pin: 'new' }
  | { readonly kind: 'pin'; readonly pin: 'changed'; readonly fields: readonly ToolField[] }
  | { readonly kind: 'pin'; readonly pin: 'unlocked'; readonly lockFile: string }
  | { readonly kind: 'fileValues'; readonly values: readonly FileValueKind[] }
  /** Written by earlier versions: a call file filled in values of environment variables. */
  | { readonly kind: 'environment' }
  | { readonly kind: 'humanOnly' }
  | { readonly kind: 'noRule' }
  | { readonly kind: 'unreadable'; readonly detail: string };

/** The decision about one call and its reason. */
export interface DecisionFacts {
  readonly effect: Effect;
  readonly cause: CauseFacts;
}

/** A reason is usually a sentence or two. */
const maxReasonChars = 500;

/** Returns the storable facts of a decision. */
export function decisionFacts({
  effect,
  cause,
}: Pick<Decision, 'effect' | 'cause'>): DecisionFacts {
  return { effect, cause: causeFacts(cause) };
}

function causeFacts(cause: DecisionCause): CauseFacts {
  switch (cause.kind) {
    case 'rule': {
      const { place, reason, isReadStrictly } = cause.rule;
      return {
        kind: 'rule',
        place,
        ...(reason === undefined ? {} : { reason: reason.slice(0, maxReasonChars) }),
        ...(isReadStrictly ? { isReadStrictly } : {}),
      };
    }
    case 'grant': {
      const { id, scope, duration, createdAt } = cause.grant;
      return { kind: 'grant', id, scope, duration, createdAt };
    }
    case 'pin': {
      const { pin } = cause;
      if (pin.kind === 'new') return { kind: 'pin', pin: 'new' };
      if (pin.kind === 'changed') return { kind: 'pin', pin: 'changed', fields: pin.fields };
      return { kind: 'pin', pin: 'unlocked', lockFile: pin.lockFile };
    }
    case 'fileValues':
      return { kind: 'fileValues', values: cause.values };
    case 'humanOnly':
    case 'noRule':
      return { kind: cause.kind };
    case 'unreadable':
      return { kind: 'unreadable', detail: cause.detail.slice(0, maxReasonChars) };
    default:
      return assertNever(cause);
  }
}
