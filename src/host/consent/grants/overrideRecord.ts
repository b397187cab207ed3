import {
  flag,
  number,
  oneOf,
  optional,
  shape,
  string,
  type Parser,
} from '../../../core/parse/parsers';
import { riskLevels, type RiskOverride } from '../../../core/risk';
import { type CallOrigin, callOrigins } from '../facts/callOrigin';
import { type Fingerprint, parseFingerprint } from '../facts/fingerprints';
import type { GrantDuration } from './grant';

/** For how much of the person's work an override counts. */
export type OverrideScope = Exclude<GrantDuration, 'session'>;

/** One override as it is stored, bound to what the person looked at. */
export interface OverrideRecord {
  /** Id of the server in the configuration. */
  readonly server: string;
  readonly serverFingerprint: Fingerprint;
  /** Name of the tool. */
  readonly tool: string;
  readonly toolFingerprint: Fingerprint;
  readonly override: RiskOverride;
  /** From where the person set it. */
  readonly origin: CallOrigin;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** The override that was stored, if it is one; what else stands there is left out. */
export const parseOverride: Parser<OverrideRecord> = shape({
  server: string,
  serverFingerprint: parseFingerprint,
  tool: string,
  toolFingerprint: parseFingerprint,
  override: shape({ level: oneOf(...riskLevels), openWorld: optional(flag) }),
  origin: oneOf(...callOrigins),
  createdAt: number,
});
