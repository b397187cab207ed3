import type { SchemaViolation, ToolResult } from '../../core/types';
import type { JsonObject } from '../../core/json/jsonValue';
import { callOrigins } from '../consent/facts/callFacts';
import { parseDecisionFacts } from '../journal/decisionFacts';
import {
  flag,
  list,
  number,
  oneOf,
  optional,
  shape,
  string,
  literalTrue,
  type Parsed,
  type Parser,
  byMember,
  errorCode,
} from '../../core/parse/parsers';
import { isJsonObject } from '../../core/json/shapes';
import { formatErrorData, type McpError, type TimeLimitSource } from '../../core/errors';
import { latestFirst } from '../storage/recordFile';

const limitKind = oneOf('default', 'ceiling', 'call');
const parseTimeLimit: Parser<TimeLimitSource> = byMember('kind', {
  default: shape({ kind: limitKind }),
  ceiling: shape({ kind: limitKind }),
  call: shape({ kind: limitKind }),
  own: shape({ kind: oneOf('own'), key: string }),
});

const parseFacts = shape({
  detail: optional(string),
  rpcCode: optional(number),
  rpcData: optional(string),
  exitCode: optional(number),
  signal: optional(string),
  limit: optional(number),
  measure: optional(oneOf('values', 'levels', 'lines')),
  httpStatus: optional(number),
  hadNoEffect: optional(literalTrue),
  timeLimit: optional(parseTimeLimit),
  outcomeUnknown: optional(literalTrue),
});

/** The parts of an error that its sentence needs. */
const parsePastError = shape({ code: errorCode, facts: parseFacts });
type PastError = Parsed<typeof parsePastError>;

const maxDetailChars = 2_000;
/** Characters that are searched for secrets. Longer texts must not block the extension host. */
const maxSearchedChars = 128 * 1024;
/** Maximum length of a form of a secret, because `formsOf` splits long ones. */
const maxFormChars = 4 * 1024;

/**
 * Returns the facts of an error that its sentence needs. Stderr is left out, and so are server
 * texts if `hasSecrets` is true, because they may repeat the arguments.
 */
export function toPastError(
  error: McpError,
  hasSecrets: boolean,
  redact: (text: string) => string,
): PastError {
  const { code, facts } = error;
  const said = hasSecrets ? undefined : facts.detail;
  const data = hasSecrets ? '' : formatErrorData(error);
  const detail = said === undefined ? undefined : cutRedacted(said, redact);
  const rpcData = data === '' ? undefined : cutRedacted(data, redact);
  return { code, facts: parseFacts({ ...facts, detail, rpcData }) ?? {} };
}

/** Cuts after searching, because half a secret at the cut would not be recognized. */
function cutRedacted(text: string, redact: (text: string) => string): string {
  const redacted = redact(text.slice(0, maxSearchedChars));
  // A secret may also begin at the end of the searched part.
  const unsureChars = text.length > maxSearchedChars ? maxFormChars : 0;
  return redacted.slice(0, Math.max(0, redacted.length - unsureChars)).slice(0, maxDetailChars);
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

/**
 * Why an answer was not stored: it contains a secret of the arguments or a known one (`secret`), or
 * the disk is full or not writable.
 */
const answerOmission = oneOf('tooLarge', 'secret', 'unwritable', 'turnedOff');
export type AnswerOmission = Parsed<typeof answerOmission>;

const parseAnswer = shape({
  /** Undefined if it is in a file of its own. */
  omitted: optional(answerOmission),
  /** Path of its documents; undefined if they were not opened. */
  path: optional(path),
  isExternal: flag,
  violations: list(violation),
  missingStructuredContent: flag,
  schemaError: optional(string),
});
export type PastAnswer = Parsed<typeof parseAnswer>;

/** `unknown`: it did not get far enough to determine which arguments are secret. */
const argumentsOmission = oneOf('tooLarge', 'unknown');

/** An ended call as stored over restarts. It contains no known secret. */
export const parsePastCall = shape({
  callId: string,
  /** Id of the server. The next field is the name of the tool. Either may no longer exist. */
  server: string,
  tool: string,
  /** Set if it read a prompt, which `tool` names. */
  isPrompt: optional(literalTrue),
  /** Their display names at that time: untrusted. */
  serverLabel: string,
  toolTitle: string,
  origin: oneOf(...callOrigins),
  /** Set if the user made it with arguments that another author wrote. */
  isForeign: optional(literalTrue),
  /** When the call was requested, in milliseconds since the epoch. */
  startedAt: number,
  /** Time at which it was sent; undefined if it was not sent. */
  sentAt: optional(number),
  endedAt: number,
  durationMs: number,
  outcome: oneOf('result', 'toolError', 'denied', 'cancelled', 'failed'),
  /** Why it failed. */
  error: optional(parsePastError),
  /** The decision and its reason; undefined if there was none. */
  decision: optional(parseDecisionFacts),
  /**
   * Its arguments, with secrets replaced by `secretMarker`; undefined if there are none, or if they
   * were not stored.
   */
  arguments: optional(json),
  argumentsOmitted: optional(argumentsOmission),
  /** Set if some arguments were secret, so that it cannot be repeated unchanged. */
  hasSecrets: optional(literalTrue),
  /** The answer; undefined if there was none. */
  answer: optional(parseAnswer),
  /** Approximate size on disk. */
  bytes: number,
});
export type PastCall = Parsed<typeof parsePastCall>;

/** The answer of a call with everything that its documents show, to create them again. */
export interface RestorableCall {
  readonly callId: string;
  /** Folder of the documents, `/<server>/calls/…`, where open tabs find them. */
  readonly path: string;
  readonly serverId: string;
  /** Names come from the server: untrusted. */
  readonly serverLabel: string;
  readonly toolName: string;
  readonly toolTitle: string;
  /** Set if it read a prompt, which `toolName` names. */
  readonly isPrompt?: true;
  /** True if the tool may reach beyond its server, so that others may have written the answer. */
  readonly isExternal: boolean;
  /** When the call began, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly durationMs: number;
  readonly result: ToolResult;
  readonly violations: readonly SchemaViolation[];
  readonly missingStructuredContent: boolean;
  readonly schemaError?: string;
}

/** Limits of the history. Calls above any of them are removed, oldest first. */
export interface HistoryLimits {
  /** 0 stores nothing. */
  readonly maxCalls: number;
  readonly maxBytes: number;
  readonly maxAgeDays: number;
  /** Limit for one answer; a larger one is not stored, but its call is. */
  readonly maxAnswerBytes: number;
}

const msPerDay = 24 * 60 * 60 * 1_000;

/** Returns true if the answer of the call was stored. */
export function hasKeptAnswer(call: PastCall | undefined): boolean {
  return call?.answer !== undefined && call.answer.omitted === undefined;
}

/**
 * Returns the calls above the limits, except for those with open documents. `calls` are newest
 * first.
 */
export function callsAboveLimits(
  calls: readonly PastCall[],
  { maxCalls, maxBytes, maxAgeDays }: HistoryLimits,
  now: number,
  isOpen: (documents: string) => boolean,
): readonly PastCall[] {
  let count = 0;
  let bytes = 0;
  return calls.filter(({ answer, bytes: own, endedAt }) => {
    const isOver =
      count + 1 > maxCalls || bytes + own > maxBytes || now - endedAt > maxAgeDays * msPerDay;
    if (isOver && !(answer?.path !== undefined && isOpen(answer.path))) return true;
    count += 1;
    bytes += own;
    return false;
  });
}

/**
 * Returns the last sent call of each tool, newest first. `calls` are in the order in which they
 * were stored.
 */
export function lastCallOfEachTool(calls: readonly PastCall[]): readonly PastCall[] {
  const last = new Map<string, PastCall>();
  const sent = calls.filter(({ sentAt }) => sentAt !== undefined);
  for (const call of latestFirst(sent, ({ endedAt }) => endedAt)) {
    const key = JSON.stringify([call.server, call.tool]);
    if (!last.has(key)) last.set(key, call);
  }
  return [...last.values()];
}
