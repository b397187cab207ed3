import {
  byMember,
  errorCode,
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
import { fileValueKinds } from '../../core/callFiles/callVariables';
import { isJsonValue } from '../../core/json/shapes';
import type { JsonValue } from '../../core/json/jsonValue';
import { callAnswers, type EntryContent, type NoteEntry, type SegmentTip } from './entry';
import type { CauseFacts, DecisionFacts } from './decisionFacts';

const json: Parser<JsonValue> = (value) => (isJsonValue(value) ? value : undefined);

const effect = oneOf('allow', 'ask', 'deny');
const level = oneOf('readOnly', 'additive', 'destructive');
const server = shape({ id: string, label: string, fingerprint: string });
const tool = shape({ name: string, fingerprint: string });
const toolField = oneOf('title', 'description', 'inputSchema', 'outputSchema', 'annotations');
const scope = oneOf('arguments', 'tool', 'readOnlyTools');
const duration = oneOf('session', 'workspace', 'always');
const tip: Parser<SegmentTip> = shape({ segment: string, lines: number, hash: string });

const cause = byMember<CauseFacts>('kind', {
  rule: shape({
    kind: oneOf('rule'),
    place: shape({
      scope: oneOf('user', 'machine', 'workspace', 'folder'),
      folder: optional(string),
      index: number,
    }),
    reason: optional(string),
    isReadStrictly: optional(literalTrue),
  }),
  grant: shape({ kind: oneOf('grant'), id: string, scope, duration, createdAt: number }),
  pin: byMember<CauseFacts>('pin', {
    new: shape({ kind: oneOf('pin'), pin: oneOf('new') }),
    changed: shape({ kind: oneOf('pin'), pin: oneOf('changed'), fields: list(toolField) }),
    unlocked: shape({ kind: oneOf('pin'), pin: oneOf('unlocked'), lockFile: string }),
  }),
  fileValues: shape({ kind: oneOf('fileValues'), values: list(oneOf(...fileValueKinds)) }),
  environment: shape({ kind: oneOf('environment') }),
  humanOnly: shape({ kind: oneOf('humanOnly') }),
  noRule: shape({ kind: oneOf('noRule') }),
  unreadable: shape({ kind: oneOf('unreadable'), detail: string }),
});

/** Parses a decision and its reason, in an entry or another record. */
export const parseDecisionFacts: Parser<DecisionFacts> = shape({ effect, cause });

const note = byMember<NoteEntry>('note', {
  tornLine: shape({
    kind: oneOf('note'),
    note: oneOf('tornLine'),
    segment: string,
    bytes: number,
    text: string,
  }),
  segmentsRemoved: shape({
    kind: oneOf('note'),
    note: oneOf('segmentsRemoved'),
    segments: list(tip),
    vouched: optional(list(shape({ segment: string, known: list(tip) }))),
  }),
  entriesLost: shape({
    kind: oneOf('note'),
    note: oneOf('entriesLost'),
    count: number,
    since: number,
  }),
});

/**
 * Parses the content of an entry; returns `undefined` for content of other versions. Never throws.
 */
export const parseContent = byMember<EntryContent>('kind', {
  decision: shape({
    kind: oneOf('decision'),
    callId: string,
    server,
    tool,
    risk: shape({
      level,
      openWorld: flag,
      idempotent: flag,
      basis: oneOf('declared', 'assumed', 'overridden'),
    }),
    origin: string,
    client: optional(string),
    effect,
    cause,
    ruleEffect: optional(effect),
    answer: optional(oneOf(...callAnswers)),
    argumentsDigest: string,
    arguments: optional(json),
    argumentsOmitted: optional(oneOf('tooLarge')),
    hasSecrets: optional(literalTrue),
  }),
  outcome: shape({
    kind: oneOf('outcome'),
    callId: string,
    outcome: oneOf('result', 'toolError', 'denied', 'cancelled', 'failed', 'windowEnded'),
    code: optional(errorCode),
    outcomeUnknown: optional(literalTrue),
    durationMs: number,
    resumed: optional(literalTrue),
    resultDigest: optional(string),
    resultOmitted: optional(oneOf('tooLarge')),
  }),
  refused: shape({
    kind: oneOf('refused'),
    callId: string,
    server: string,
    tool: string,
    origin: string,
    client: optional(string),
    code: errorCode,
  }),
  read: shape({
    kind: oneOf('read'),
    server: string,
    prompt: string,
    origin: string,
    argumentsDigest: string,
    outcome: oneOf('result', 'cancelled', 'failed'),
    code: optional(errorCode),
    durationMs: number,
  }),
  permission: shape({
    kind: oneOf('permission'),
    action: oneOf('granted', 'withdrawn', 'overrideSet', 'overrideWithdrawn'),
    server: string,
    tools: list(string),
    grant: optional(shape({ id: string, scope, duration })),
    level: optional(level),
  }),
  trust: shape({
    kind: oneOf('trust'),
    server,
    answer: oneOf('trusted', 'refused', 'withdrawn'),
  }),
  pin: shape({
    kind: oneOf('pin'),
    server: string,
    isSkill: optional(literalTrue),
    tool,
    fields: list(toolField),
  }),
  authorization: shape({
    kind: oneOf('authorization'),
    action: oneOf('signedIn', 'extended', 'signedOut'),
    server: string,
    issuer: string,
    scopes: list(string),
  }),
  note,
  header: shape({
    kind: oneOf('header'),
    version: oneOf(1),
    segment: optional(string),
    known: list(tip),
    pid: number,
    host: string,
  }),
});
