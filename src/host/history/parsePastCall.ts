import {
  flag,
  list,
  number,
  oneOf,
  optional,
  shape,
  string,
  yes,
  type Parser,
} from '../../core/parse/parsers';
import { isJsonObject } from '../../core/json/shapes';
import type { SchemaViolation } from '../../core/types';
import type { JsonObject } from '../../core/json/jsonValue';
import { callOrigins } from '../consent/facts/callOrigin';
import { parseDecisionFacts } from '../journal/parseEntry';
import type { PastAnswer, PastCall } from './pastCall';
import { parsePastError } from './pastError';

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
  serverLabel: string,
  toolTitle: string,
  origin: oneOf(...callOrigins),
  isOfOthers: optional(yes),
  startedAt: number,
  sentAt: optional(number),
  endedAt: number,
  durationMs: number,
  outcome: oneOf('result', 'toolError', 'denied', 'cancelled', 'failed'),
  error: optional(parsePastError),
  decision: optional(parseDecisionFacts),
  arguments: optional(json),
  argumentsOmitted: optional(oneOf('tooLarge', 'unknown')),
  hasSecrets: optional(yes),
  answer: optional(answer),
  bytes: number,
});
