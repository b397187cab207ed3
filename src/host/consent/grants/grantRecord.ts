import { byMember, number, oneOf, shape, string, type Parser } from '../../../core/parse/parsers';
import { isObject } from '../../../core/json/shapes';
import { callOrigins } from '../facts/callOrigin';
import { type Fingerprint, parseFingerprint } from '../facts/fingerprints';
import { grantDurations, type Grant, type GrantDuration } from './grant';

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
