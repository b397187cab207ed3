import { fileValueKinds } from '../../core/callFiles/callVariables';
import { assertNever } from '../../core/errors';
import {
  byMember,
  list,
  literalTrue,
  number,
  oneOf,
  optional,
  shape,
  string,
  type Parsed,
} from '../../core/parse/parsers';
import type { Decision, DecisionCause } from '../consent/consent';

export const parseEffect = oneOf('allow', 'ask', 'deny');
export const toolField = oneOf(
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
);
export const grantScope = oneOf('arguments', 'tool', 'readOnlyTools');
export const grantDuration = oneOf('session', 'workspace', 'always');

/**
 * The reason for a decision as plain data, without the rules, grants and definitions themselves,
 * which change.
 */
export const parseCause = byMember('kind', {
  rule: shape({
    kind: oneOf('rule'),
    place: shape({
      scope: oneOf('user', 'machine', 'workspace', 'folder'),
      folder: optional(string),
      index: number,
    }),
    /** The rule author's explanation, at most {@link maxReasonChars} long, untrusted. */
    reason: optional(string),
    isReadStrictly: optional(literalTrue),
  }),
  /** `createdAt`: when it was given, in milliseconds since the epoch. */
  grant: shape({
    kind: oneOf('grant'),
    id: string,
    scope: grantScope,
    duration: grantDuration,
    createdAt: number,
  }),
  pin: byMember('pin', {
    new: shape({ kind: oneOf('pin'), pin: oneOf('new') }),
    changed: shape({ kind: oneOf('pin'), pin: oneOf('changed'), fields: list(toolField) }),
    unlocked: shape({ kind: oneOf('pin'), pin: oneOf('unlocked'), lockFile: string }),
  }),
  fileValues: shape({ kind: oneOf('fileValues'), values: list(oneOf(...fileValueKinds)) }),
  /** Written by earlier versions: a call file filled in values of environment variables. */
  environment: shape({ kind: oneOf('environment') }),
  humanOnly: shape({ kind: oneOf('humanOnly') }),
  noRule: shape({ kind: oneOf('noRule') }),
  unreadable: shape({ kind: oneOf('unreadable'), detail: string }),
});
export type CauseFacts = Parsed<typeof parseCause>;

/** Parses a decision about one call and its reason, in an entry or another record. */
export const parseDecisionFacts = shape({ effect: parseEffect, cause: parseCause });
export type DecisionFacts = Parsed<typeof parseDecisionFacts>;

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
