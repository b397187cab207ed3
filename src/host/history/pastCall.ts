import type { SchemaViolation } from '../../core/types';
import type { JsonObject } from '../../core/json/jsonValue';
import type { CallOutcome } from '../calls/call';
import type { CallOrigin } from '../consent/facts/callOrigin';
import type { DecisionFacts } from '../journal/decisionFacts';
import type { PastError } from './pastError';

/** A call that has ended, as it is kept over restarts. Holds no secret that anybody called so. */
export interface PastCall {
  readonly callId: string;
  /** Id of the server, and name of the tool; neither needs to exist any more. */
  readonly server: string;
  readonly tool: string;
  /** What they were called on screen then: untrusted. */
  readonly serverLabel: string;
  readonly toolTitle: string;
  readonly origin: CallOrigin;
  /** The person made it with arguments that somebody else wrote. */
  readonly isOfOthers?: true;
  /** When the wish to call came, epoch ms. */
  readonly startedAt: number;
  /** When it was sent; absent when it was not. */
  readonly sentAt?: number;
  readonly endedAt: number;
  readonly durationMs: number;
  readonly outcome: CallOutcome['kind'];
  /** Why it failed. */
  readonly error?: PastError;
  /** Why it was asked about, allowed or denied; absent when it did not come so far. */
  readonly decision?: DecisionFacts;
  /** What it was called with, secrets replaced by `secretMarker`; absent: nothing, or not kept. */
  readonly arguments?: JsonObject;
  readonly argumentsOmitted?: KeptArgumentsOmission;
  /** Some of the arguments were secret, so that it cannot be repeated as it stands. */
  readonly hasSecrets?: true;
  /** What came back; absent when nothing did. */
  readonly answer?: PastAnswer;
  /** What it takes on the disk, roughly. */
  readonly bytes: number;
}

/** `unknown`: it did not come so far that anybody knew which arguments are secret. */
export type KeptArgumentsOmission = 'tooLarge' | 'unknown';

/** Why an answer was not kept. */
export type AnswerOmission =
  | 'tooLarge'
  /** It repeats a secret: of the arguments, or one that is known otherwise. */
  | 'secret'
  /** The disk is full, or not ours to write. */
  | 'unwritable';

export interface PastAnswer {
  /** Absent: it stands in a file of its own. */
  readonly omitted?: AnswerOmission;
  /** Where its documents were; absent when nobody looked at them. */
  readonly path?: string;
  readonly isExternal: boolean;
  readonly violations: readonly SchemaViolation[];
  readonly missingStructuredContent: boolean;
  readonly schemaError?: string;
}
