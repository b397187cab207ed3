import { isJsonValue } from '../../core/json/shapes';
import type { JsonValue } from '../../core/json/jsonValue';
import {
  byMember,
  errorCode,
  flag,
  list,
  literalTrue,
  number,
  oneOf,
  optional,
  shape,
  string,
  type Parsed,
  type Parser,
} from '../../core/parse/parsers';
import { grantDuration, grantScope, parseCause, parseEffect, toolField } from './decisionFacts';

/**
 * The entries of the journal, one a line. Strings from outside are untrusted, and cut to {@link
 * maxStringChars} when they are written; arguments are complete or missing.
 */

export const maxStringChars = 2_000;
export const maxListed = 100;

const json: Parser<JsonValue> = (value) => (isJsonValue(value) ? value : undefined);
const level = oneOf('readOnly', 'additive', 'destructive');
/** `fingerprint`: the `serverFingerprint` that permissions are bound to. */
const server = shape({ id: string, label: string, fingerprint: string });
const tool = shape({ name: string, fingerprint: string });

const decision = shape({
  kind: oneOf('decision'),
  /** Identifies the entries of one call. */
  callId: string,
  server,
  tool,
  risk: shape({
    level,
    openWorld: flag,
    idempotent: flag,
    basis: oneOf('declared', 'assumed', 'overridden'),
  }),
  /** A `CallOrigin`; a newer version may have more of them. */
  origin: string,
  /** The name that the agent claims, limited and without invisible characters. */
  client: optional(string),
  effect: parseEffect,
  cause: parseCause,
  /** The effect of the rules at that time alone; undefined if no rule applied. */
  ruleEffect: optional(parseEffect),
  /** The user's answer; undefined if the user was not asked. */
  answer: optional(oneOf('run', 'no', 'edited')),
  /** Fingerprint of the arguments, with secrets replaced as in `arguments`. */
  argumentsDigest: string,
  /** Set only if the user records arguments; secrets in them are `(secret)`. */
  arguments: optional(json),
  /** Why arguments were not recorded although they should be. */
  argumentsOmitted: optional(oneOf('tooLarge')),
  /** Set if some arguments are secret, by the schema or because they are known secrets. */
  hasSecrets: optional(literalTrue),
});
export type DecisionEntry = Parsed<typeof decision>;

/** A call without a decision: the user was not asked, and nothing was sent. */
const refused = shape({
  kind: oneOf('refused'),
  callId: string,
  /** Ids as the caller gave them. */
  server: string,
  tool: string,
  origin: string,
  /** See {@link DecisionEntry}. */
  client: optional(string),
  /** An `McpErrorCode`; `cancelled` if the caller cancelled before the decision. */
  code: errorCode,
});
export type RefusedEntry = Parsed<typeof refused>;

/** The end of a call that was decided about. */
const outcome = shape({
  kind: oneOf('outcome'),
  callId: string,
  /** `windowEnded`: unknown, because its window ended first; written by the next window. */
  outcome: oneOf('result', 'toolError', 'denied', 'cancelled', 'failed', 'windowEnded'),
  /** For `failed`. */
  code: optional(errorCode),
  /** Set if it was sent, has no answer, and may have had an effect. */
  outcomeUnknown: optional(literalTrue),
  durationMs: number,
  /** Set if its task was resumed after its connection or its window had ended. */
  resumed: optional(literalTrue),
  /** Digest of content, structuredContent and isError; see `resultDigest`. */
  resultDigest: optional(string),
  resultOmitted: optional(oneOf('tooLarge')),
});
export type OutcomeEntry = Parsed<typeof outcome>;

/** A prompt was read. Nothing was decided about it, because it does nothing. */
const read = shape({
  kind: oneOf('read'),
  /** Ids as the caller gave them. */
  server: string,
  prompt: string,
  origin: string,
  /** Fingerprint of the arguments, with secrets replaced. */
  argumentsDigest: string,
  outcome: oneOf('result', 'cancelled', 'failed'),
  /** For `failed`. */
  code: optional(errorCode),
  durationMs: number,
});
export type ReadEntry = Parsed<typeof read>;

/** A permission was given or withdrawn: a remembered answer, or a risk that the user set. */
const permission = shape({
  kind: oneOf('permission'),
  action: oneOf('granted', 'withdrawn', 'overrideSet', 'overrideWithdrawn'),
  /** Id of the server in the configuration. */
  server: string,
  /** The covered tools, at most {@link maxListed} of them. */
  tools: list(string),
  /** For a remembered answer. */
  grant: optional(shape({ id: string, scope: grantScope, duration: grantDuration })),
  /** For a risk that was set. */
  level: optional(level),
});
export type PermissionEntry = Parsed<typeof permission>;

/** The user's answer when a new or changed server was about to start. */
const trust = shape({
  kind: oneOf('trust'),
  server,
  answer: oneOf('trusted', 'refused', 'withdrawn'),
});
export type TrustEntry = Parsed<typeof trust>;

/** The definition of a tool or a skill was accepted. */
const pin = shape({
  kind: oneOf('pin'),
  server: string,
  /** The name of this "tool" is the URI of a skill. */
  isSkill: optional(literalTrue),
  tool,
  /** The changed fields; empty for a new tool. */
  fields: list(toolField),
});
export type PinEntry = Parsed<typeof pin>;

/** The sign-in at a server changed. No token, code or other secret is recorded. */
const authorization = shape({
  kind: oneOf('authorization'),
  /** `extended`: the same account got more scopes, usually for a running call. */
  action: oneOf('signedIn', 'extended', 'signedOut'),
  /** Id of the server in the configuration. */
  server: string,
  /** The authorization server. */
  issuer: string,
  /** The granted scopes, at most {@link maxListed} of them; for `extended` the added ones. */
  scopes: list(string),
});
export type AuthorizationEntry = Parsed<typeof authorization>;

/** The last complete line of a segment at one moment, with its SHA-256 in hex. */
const tip = shape({ segment: string, lines: number, hash: string });
export type SegmentTip = Parsed<typeof tip>;

/** The tips that the header of a removed segment named. */
const namedTips = shape({ segment: string, known: list(tip) });
export type NamedTips = Parsed<typeof namedTips>;

/** A note of the journal about itself. */
const note = byMember('note', {
  /** A window died while writing: the partial line, which was cut off. */
  tornLine: shape({
    kind: oneOf('note'),
    note: oneOf('tornLine'),
    segment: string,
    bytes: number,
    text: string,
  }),
  /** These segments exceeded the limits of the settings and are removed now. */
  segmentsRemoved: shape({
    kind: oneOf('note'),
    note: oneOf('segmentsRemoved'),
    segments: list(tip),
    /** The contents of their headers about remaining segments. Defaults to nothing. */
    vouched: optional(list(namedTips)),
  }),
  /** Entries that could not be written, for example on a full disk. */
  entriesLost: shape({
    kind: oneOf('note'),
    note: oneOf('entriesLost'),
    count: number,
    /** Time of the first one, in milliseconds since the epoch. */
    since: number,
  }),
});
export type NoteEntry = Parsed<typeof note>;

/**
 * The first line of a segment. It names the segments whose last line no other segment names yet, so
 * that every older segment is chained to this one.
 */
const header = shape({
  kind: oneOf('header'),
  version: oneOf(1),
  /** The name of its file; undefined if an earlier version wrote it. */
  segment: optional(string),
  known: list(tip),
  /** The process that writes this segment. While it lives, no other process changes the segment. */
  pid: number,
  host: string,
});
export type HeaderEntry = Parsed<typeof header>;

/**
 * Parses the content of an entry; returns `undefined` for content of other versions. Never throws.
 */
export const parseContent = byMember('kind', {
  decision,
  outcome,
  refused,
  read,
  permission,
  trust,
  pin,
  authorization,
  note,
  header,
});
export type EntryContent = Parsed<typeof parseContent>;

/** Entries that callers may add to the journal. */
export type NewEntry = Exclude<EntryContent, HeaderEntry>;

/** Position of an entry: byte offset of its line in a segment. */
export interface EntryPlace {
  readonly segment: string;
  readonly offset: number;
}

/** An entry as read. */
export interface JournalEntry<Content extends EntryContent = EntryContent> {
  /** Line number in its segment, from 1. */
  readonly line: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** SHA-256 of the previous line; undefined in a header. */
  readonly previous?: string;
  readonly content: Content;
}
