import type { CallOrigin } from '../facts/callOrigin';
import type { Fingerprint } from '../facts/fingerprints';

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
