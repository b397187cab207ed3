import type { SchemaViolation } from '../../core/types';
import type { JsonObject } from '../../core/json/jsonValue';
import type { CallOutcome } from '../calls/call';
import { type CallOrigin, callOrigins } from '../consent/facts/callOrigin';
import type { DecisionFacts } from '../journal/decisionFacts';
import { type PastError, parsePastError } from './pastError';
import {
  flag,
  list,
  number,
  oneOf,
  optional,
  shape,
  string,
  literalTrue,
  type Parser,
} from '../../core/parse/parsers';
import { isJsonObject } from '../../core/json/shapes';
import { parseDecisionFacts } from '../journal/parseEntry';

/** An ended call as stored over restarts. It contains no known secret. */
export interface PastCall {
  readonly callId: string;
  /** Id of the server. The next field is the name of the tool. Either may no longer exist. */
  readonly server: string;
  readonly tool: string;
  /** Set if it read a prompt, which `tool` names. */
  readonly isPrompt?: true;
  /** Their display names at that time: untrusted. */
  readonly serverLabel: string;
  readonly toolTitle: string;
  readonly origin: CallOrigin;
  /** Set if the user made it with arguments that another author wrote. */
  readonly isForeign?: true;
  /** When the call was requested, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Time at which it was sent; undefined if it was not sent. */
  readonly sentAt?: number;
  readonly endedAt: number;
  readonly durationMs: number;
  readonly outcome: CallOutcome['kind'];
  /** Why it failed. */
  readonly error?: PastError;
  /** The decision and its reason; undefined if there was none. */
  readonly decision?: DecisionFacts;
  /**
   * Its arguments, with secrets replaced by `secretMarker`; undefined if there are none, or if they
   * were not stored.
   */
  readonly arguments?: JsonObject;
  readonly argumentsOmitted?: ArgumentsOmissionReason;
  /** Set if some arguments were secret, so that it cannot be repeated unchanged. */
  readonly hasSecrets?: true;
  /** The answer; undefined if there was none. */
  readonly answer?: PastAnswer;
  /** Approximate size on disk. */
  readonly bytes: number;
}

/** `unknown`: it did not get far enough to determine which arguments are secret. */
export type ArgumentsOmissionReason = 'tooLarge' | 'unknown';

/** Why an answer was not stored. */
export type AnswerOmission =
  | 'tooLarge'
  /** It contains a secret of the arguments, or a known one. */
  | 'secret'
  /** The disk is full or not writable. */
  | 'unwritable';

export interface PastAnswer {
  /** Undefined if it is in a file of its own. */
  readonly omitted?: AnswerOmission;
  /** Path of its documents; undefined if they were not opened. */
  readonly path?: string;
  readonly isExternal: boolean;
  readonly violations: readonly SchemaViolation[];
  readonly missingStructuredContent: boolean;
  readonly schemaError?: string;
}

const json: Parser<JsonObject> = (value) => (isJsonObject(value) ? value : undefined);

const violation: Parser<SchemaViolation> = shape({
  pointer: string,
  message: string,
  keyword: string,
});

/** The folder must be that of a call, so that no other documents are mistaken for it. */
const path: Parser<string> = (value) =>
  typeof value === 'string' && /^\/[^/]+\/calls\/[^/]+$/.test(value) ? value : undefined;

const answer: Parser<PastAnswer> = shape({
  omitted: optional(oneOf('tooLarge', 'secret', 'unwritable')),
  path: optional(path),
  isExternal: flag,
  violations: list(violation),
  missingStructuredContent: flag,
  schemaError: optional(string),
});

/** Parses a call; returns `undefined` for anything else. Never throws. */
export const parsePastCall: Parser<PastCall> = shape({
  callId: string,
  server: string,
  tool: string,
  isPrompt: optional(literalTrue),
  serverLabel: string,
  toolTitle: string,
  origin: oneOf(...callOrigins),
  isForeign: optional(literalTrue),
  startedAt: number,
  sentAt: optional(number),
  endedAt: number,
  durationMs: number,
  outcome: oneOf('result', 'toolError', 'denied', 'cancelled', 'failed'),
  error: optional(parsePastError),
  decision: optional(parseDecisionFacts),
  arguments: optional(json),
  argumentsOmitted: optional(oneOf('tooLarge', 'unknown')),
  hasSecrets: optional(literalTrue),
  answer: optional(answer),
  bytes: number,
});
