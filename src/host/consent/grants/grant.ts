import { type CallOrigin, callOrigins } from '../facts/callOrigin';
import { type Fingerprint, parseFingerprint } from '../facts/fingerprints';
import { byMember, number, oneOf, shape, string, type Parser } from '../../../core/parse/parsers';
import { isObject } from '../../../core/json/shapes';

/** What one answer is remembered for, smallest first. */
export const grantScopes = ['arguments', 'tool', 'readOnlyTools'] as const;
/** Exactly these arguments; this tool; the tools of the server that are read-only today. */
export type GrantScope = (typeof grantScopes)[number];

/** How long an answer is remembered, shortest first. */
export const grantDurations = ['session', 'workspace', 'always'] as const;
export type GrantDuration = (typeof grantDurations)[number];

/** What a person wishes to have remembered. */
export interface GrantWish {
  readonly scope: GrantScope;
  readonly duration: GrantDuration;
}

/**
 * An answer that was remembered, bound to the server's configuration and to the definitions of the
 * tools it covers: when either changes it covers nothing, and says so.
 */
export interface Grant extends GrantWish {
  readonly id: string;
  /** Id of the server in the configuration. */
  readonly server: string;
  readonly serverFingerprint: Fingerprint;
  /** The tools it covers, by name: one, or those that were read-only when it was given. */
  readonly tools: Readonly<Record<string, Fingerprint>>;
  /** For the scope `arguments`. */
  readonly argumentsFingerprint?: Fingerprint;
  /** Where the call that was answered came from. */
  readonly origin: CallOrigin;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Epoch ms; absent until it allowed a call. */
  readonly lastUsedAt?: number;
}

/** Why a grant that speaks of a call does not cover it. */
export type SuspensionReason =
  | 'serverChanged'
  | 'toolChanged'
  /** The person's view of the tool, or a setting, is stricter than when the grant was given. */
  | 'riskRaised';

export interface SuspendedGrant {
  readonly grant: Grant;
  readonly reason: SuspensionReason;
}

const facts = {
  id: string,
  duration: oneOf(...grantDurations),
  server: string,
  serverFingerprint: parseFingerprint,
  tools: parseTools,
  origin: oneOf(...callOrigins),
  createdAt: number,
};

const parseAnyGrant = byMember<Grant>('scope', {
  arguments: shape({
    ...facts,
    scope: oneOf('arguments'),
    argumentsFingerprint: parseFingerprint,
  }),
  tool: shape({ ...facts, scope: oneOf('tool') }),
  readOnlyTools: shape({ ...facts, scope: oneOf('readOnlyTools') }),
});

/** The grant of this duration that was stored, if it is one; what else stands there is left out. */
export function parseGrant(value: unknown, duration: GrantDuration): Grant | undefined {
  const grant = parseAnyGrant(value);
  return grant?.duration === duration ? grant : undefined;
}

/** When a grant allowed a call the last time. */
export interface GrantUse {
  /** Epoch ms. */
  readonly lastUsedAt: number;
}

export const parseGrantUse: Parser<GrantUse> = shape({ lastUsedAt: number });

function parseTools(value: unknown): Readonly<Record<string, Fingerprint>> | undefined {
  if (!isObject(value)) return undefined;
  const tools: [string, Fingerprint][] = [];
  for (const [name, given] of Object.entries(value)) {
    const fingerprint = parseFingerprint(given);
    if (fingerprint === undefined) return undefined;
    tools.push([name, fingerprint]);
  }
  // Defines own properties, so a tool named `__proto__` is a tool like any other.
  return Object.fromEntries(tools);
}
