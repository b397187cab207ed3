import { type CallOrigin, callOrigins } from '../facts/callFacts';
import { type Fingerprint, parseFingerprint } from '../facts/fingerprints';
import { byMember, number, oneOf, shape, string, type Parser } from '../../../core/parse/parsers';
import { isObject } from '../../../core/json/shapes';

/** The scope of a remembered answer, smallest first. */
export const grantScopes = ['arguments', 'tool', 'readOnlyTools'] as const;
/** Exactly these arguments; this tool; the current read-only tools of the server. */
export type GrantScope = (typeof grantScopes)[number];

/** The durations for which an answer is remembered, shortest first. */
export const grantDurations = ['session', 'workspace', 'always'] as const;
export type GrantDuration = (typeof grantDurations)[number];

/** The scope and duration that the user wants to have remembered. */
export interface GrantChoice {
  readonly scope: GrantScope;
  readonly duration: GrantDuration;
}

/**
 * A remembered answer, bound to the server's configuration and to the definitions of its tools. If
 * either changes, it is suspended.
 */
export interface Grant extends GrantChoice {
  readonly id: string;
  /** Id of the server in the configuration. */
  readonly server: string;
  readonly serverFingerprint: Fingerprint;
  /** The covered tools by name: one, or those that were read-only when it was granted. */
  readonly tools: Readonly<Record<string, Fingerprint>>;
  /** For the scope `arguments`. */
  readonly argumentsFingerprint?: Fingerprint;
  /** Origin of the call that was answered. */
  readonly origin: CallOrigin;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch; undefined until it allowed a call. */
  readonly lastUsedAt?: number;
}

/** Why a grant does not cover a call of one of its tools. */
export type SuspensionReason =
  | 'serverChanged'
  | 'toolChanged'
  /** The risk set by the user, or a setting, is stricter than when the answer was given. */
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

const parseAnyGrant: Parser<Grant> = byMember('scope', {
  arguments: shape({
    ...facts,
    scope: oneOf('arguments'),
    argumentsFingerprint: parseFingerprint,
  }),
  tool: shape({ ...facts, scope: oneOf('tool') }),
  readOnlyTools: shape({ ...facts, scope: oneOf('readOnlyTools') }),
});

/** Parses a stored grant of this duration; ignores unknown members. */
export function parseGrant(value: unknown, duration: GrantDuration): Grant | undefined {
  const grant = parseAnyGrant(value);
  return grant?.duration === duration ? grant : undefined;
}

/** The last use of a grant. */
export interface GrantUse {
  /** Milliseconds since the epoch. */
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
