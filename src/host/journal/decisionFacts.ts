import type { FileValueKind } from '../../core/callFiles/callVariables';
import { assertNever } from '../../core/errors';
import type { Decision, DecisionCause } from '../consent/decision';
import type { Effect, RulePlace, ToolField } from '../consent/facts/callFacts';
import type { GrantDuration, GrantScope } from '../consent/grants/grant';

/**
 * Why a call was decided as it was, as plain data that can be written down: without the rules,
 * grants and definitions themselves, which change or go.
 */
export type CauseFacts =
  | {
      readonly kind: 'rule';
      readonly place: RulePlace;
      /** What the author of the rule wrote; at most {@link maxReasonChars}, untrusted. */
      readonly reason?: string;
      readonly isReadStrictly?: true;
    }
  | {
      readonly kind: 'grant';
      readonly id: string;
      readonly scope: GrantScope;
      readonly duration: GrantDuration;
      /** When it was given, epoch ms. */
      readonly createdAt: number;
    }
  | { readonly kind: 'pin'; readonly pin: 'new' }
  | { readonly kind: 'pin'; readonly pin: 'changed'; readonly fields: readonly ToolField[] }
  | { readonly kind: 'pin'; readonly pin: 'unlocked'; readonly lockFile: string }
  | { readonly kind: 'fileValues'; readonly values: readonly FileValueKind[] }
  /** Of earlier versions: a call file put values of environment variables into the arguments. */
  | { readonly kind: 'environment' }
  | { readonly kind: 'humanOnly' }
  | { readonly kind: 'noRule' }
  | { readonly kind: 'unreadable'; readonly detail: string };

/** What was decided about one call, and why. */
export interface DecisionFacts {
  readonly effect: Effect;
  readonly cause: CauseFacts;
}

/** What a rule's author writes for people is a sentence or two. */
const maxReasonChars = 500;

/** What is worth remembering of a decision. */
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
