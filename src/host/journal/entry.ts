import type { McpErrorCode } from '../../core/errors';
import type { RiskBasis, RiskLevel } from '../../core/risk';
import type { JsonValue } from '../../core/json/jsonValue';
import type { CallOutcome } from '../calls/call';
import type { Effect, ToolField } from '../consent/facts/callFacts';
import type { Fingerprint } from '../consent/facts/fingerprints';
import type { GrantDuration, GrantScope } from '../consent/grants/grant';
import type { DecisionFacts } from './decisionFacts';

/**
 * The entries of the journal, one a line. Strings from outside are untrusted, and cut to {@link
 * maxStringChars} when they are written; arguments are complete or missing.
 */

export const maxStringChars = 2_000;

export interface ServerFacts {
  readonly id: string;
  readonly label: string;
  /** The `serverFingerprint` that permissions are bound to. */
  readonly fingerprint: Fingerprint;
}

export interface ToolFacts {
  readonly name: string;
  readonly fingerprint: Fingerprint;
}

export interface RiskFacts {
  readonly level: RiskLevel;
  readonly openWorld: boolean;
  readonly idempotent: boolean;
  readonly basis: RiskBasis;
}

/** The user's answer, if the user was asked. */
export const callAnswers = ['run', 'no', 'edited'] as const;
export type AnswerFacts = (typeof callAnswers)[number];

/** Why arguments were not recorded although they should be. */
export type ArgumentsOmission = 'tooLarge';

export interface DecisionEntry extends DecisionFacts {
  readonly kind: 'decision';
  /** Identifies the entries of one call. */
  readonly callId: string;
  readonly server: ServerFacts;
  readonly tool: ToolFacts;
  readonly risk: RiskFacts;
  /** A `CallOrigin`; a newer version may have more of them. */
  readonly origin: string;
  /** The name that the agent claims, limited and without invisible characters. */
  readonly client?: string;
  /** The effect of the rules at that time alone; undefined if no rule applied. */
  readonly ruleEffect?: Effect;
  /** Undefined if the user was not asked. */
  readonly answer?: AnswerFacts;
  /** Fingerprint of the arguments, with secrets replaced as in `arguments`. */
  readonly argumentsDigest: Fingerprint;
  /** Set only if the user records arguments; secrets in them are `(secret)`. */
  readonly arguments?: JsonValue;
  readonly argumentsOmitted?: ArgumentsOmission;
  /** Set if some arguments are secret, by the schema or because they are known secrets. */
  readonly hasSecrets?: true;
}

/** A call without a decision: the user was not asked, and nothing was sent. */
export interface RefusedEntry {
  readonly kind: 'refused';
  readonly callId: string;
  /** Ids as the caller gave them. */
  readonly server: string;
  readonly tool: string;
  readonly origin: string;
  /** See {@link DecisionEntry}. */
  readonly client?: string;
  /** An `McpErrorCode`; `cancelled` if the caller cancelled before the decision. */
  readonly code: McpErrorCode;
}

/** The end of a call that was decided about. */
export interface OutcomeEntry {
  readonly kind: 'outcome';
  readonly callId: string;
  /** `windowEnded`: unknown, because its window ended first; written by the next window. */
  readonly outcome: CallOutcome['kind'] | 'windowEnded';
  /** For `failed`. */
  readonly code?: McpErrorCode;
  /** Set if it was sent, has no answer, and may have had an effect. */
  readonly outcomeUnknown?: true;
  readonly durationMs: number;
  /** Set if its task was resumed after its connection or its window had ended. */
  readonly resumed?: true;
  /** Digest of content, structuredContent and isError; see `resultDigest`. */
  readonly resultDigest?: Fingerprint;
  readonly resultOmitted?: 'tooLarge';
}

/** A prompt was read. Nothing was decided about it, because it does nothing. */
export interface ReadEntry {
  readonly kind: 'read';
  /** Ids as the caller gave them. */
  readonly server: string;
  readonly prompt: string;
  readonly origin: string;
  /** Fingerprint of the arguments, with secrets replaced. */
  readonly argumentsDigest: Fingerprint;
  readonly outcome: 'result' | 'cancelled' | 'failed';
  /** For `failed`. */
  readonly code?: McpErrorCode;
  readonly durationMs: number;
}

/** A permission was given or withdrawn: a remembered answer, or a risk that the user set. */
export interface PermissionEntry {
  readonly kind: 'permission';
  readonly action: 'granted' | 'withdrawn' | 'overrideSet' | 'overrideWithdrawn';
  /** Id of the server in the configuration. */
  readonly server: string;
  /** The covered tools, at most {@link maxListed} of them. */
  readonly tools: readonly string[];
  /** For a remembered answer. */
  readonly grant?: {
    readonly id: string;
    readonly scope: GrantScope;
    readonly duration: GrantDuration;
  };
  /** For a risk that was set. */
  readonly level?: RiskLevel;
}

export const maxListed = 100;

/** The user's answer when a new or changed server was about to start. */
export interface TrustEntry {
  readonly kind: 'trust';
  readonly server: ServerFacts;
  readonly answer: 'trusted' | 'refused' | 'withdrawn';
}

/** The definition of a tool or a skill was accepted. */
export interface PinEntry {
  readonly kind: 'pin';
  readonly server: string;
  /** The name of this "tool" is the URI of a skill. */
  readonly isSkill?: true;
  readonly tool: ToolFacts;
  /** The changed fields; empty for a new tool. */
  readonly fields: readonly ToolField[];
}

/** The sign-in at a server changed. No token, code or other secret is recorded. */
export interface AuthorizationEntry {
  readonly kind: 'authorization';
  /** `extended`: the same account got more scopes, usually for a running call. */
  readonly action: 'signedIn' | 'extended' | 'signedOut';
  /** Id of the server in the configuration. */
  readonly server: string;
  /** The authorization server. */
  readonly issuer: string;
  /** The granted scopes, at most {@link maxListed} of them; for `extended` the added ones. */
  readonly scopes: readonly string[];
}

/** The last complete line of a segment at one moment. */
export interface SegmentTip {
  readonly segment: string;
  readonly lines: number;
  /** SHA-256 of that line, in hex. */
  readonly hash: string;
}

/** The tips that the header of a removed segment named. */
export interface NamedTips {
  readonly segment: string;
  readonly known: readonly SegmentTip[];
}

/** A note of the journal about itself. */
export type NoteEntry =
  /** A window died while writing: the partial line, which was cut off. */
  | {
      readonly kind: 'note';
      readonly note: 'tornLine';
      readonly segment: string;
      readonly bytes: number;
      readonly text: string;
    }
  /** These segments exceeded the limits of the settings and are removed now. */
  | {
      readonly kind: 'note';
      readonly note: 'segmentsRemoved';
      readonly segments: readonly SegmentTip[];
      /** The contents of their headers about remaining segments. Defaults to nothing. */
      readonly vouched?: readonly NamedTips[];
    }
  /** Entries that could not be written, for example on a full disk. */
  | {
      readonly kind: 'note';
      readonly note: 'entriesLost';
      readonly count: number;
      /** Time of the first one, in milliseconds since the epoch. */
      readonly since: number;
    };

/** Entries that callers may add to the journal. */
export type NewEntry =
  | DecisionEntry
  | RefusedEntry
  | OutcomeEntry
  | ReadEntry
  | PermissionEntry
  | TrustEntry
  | PinEntry
  | AuthorizationEntry
  | NoteEntry;

/**
 * The first line of a segment. It names the segments whose last line no other segment names yet, so
 * that every older segment is chained to this one.
 */
export interface HeaderEntry {
  readonly kind: 'header';
  readonly version: 1;
  /** The name of its file; undefined if an earlier version wrote it. */
  readonly segment?: string;
  readonly known: readonly SegmentTip[];
  /** The process that writes this segment. While it lives, no other process changes the segment. */
  readonly pid: number;
  readonly host: string;
}

export type EntryContent = NewEntry | HeaderEntry;

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
