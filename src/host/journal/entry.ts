import type { McpErrorCode } from '../../core/errors';
import type { RiskBasis, RiskLevel } from '../../core/risk';
import type { JsonValue } from '../../core/json/jsonValue';
import type { CallOutcome } from '../calls/call';
import type { Effect, ToolField } from '../consent/facts/callFacts';
import type { Fingerprint } from '../consent/facts/fingerprints';
import type { GrantDuration, GrantScope } from '../consent/grants/grant';
import type { DecisionFacts } from './decisionFacts';

/**
 * What the journal holds, one entry a line. Strings that came from outside are untrusted, and cut
 * to {@link maxStringChars} when they are written; arguments are whole or not there.
 */

export const maxStringChars = 2_000;

export interface ServerFacts {
  readonly id: string;
  readonly label: string;
  /** As permissions are bound to it: `serverFingerprint`. */
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

/** What a person answered, if one was asked. */
export const callAnswers = ['run', 'no', 'edited'] as const;
export type AnswerFacts = (typeof callAnswers)[number];

/** Why arguments that should have been written were not. */
export type ArgumentsOmission = 'tooLarge';

export interface DecisionEntry extends DecisionFacts {
  readonly kind: 'decision';
  /** Joins the entries of one call. */
  readonly callId: string;
  readonly server: ServerFacts;
  readonly tool: ToolFacts;
  readonly risk: RiskFacts;
  /** A `CallOrigin`; a newer version may know more of them. */
  readonly origin: string;
  /** What an agent calls itself, bounded and without hidden characters; its claim. */
  readonly client?: string;
  /** What the rules of the time said, taken alone; absent: no rule applied. */
  readonly ruleEffect?: Effect;
  /** Absent when nobody was asked. */
  readonly answer?: AnswerFacts;
  /** Fingerprint of the arguments, secrets in them replaced as in `arguments`. */
  readonly argumentsDigest: Fingerprint;
  /** Only if the person wants them written; secrets in them are `(secret)`. */
  readonly arguments?: JsonValue;
  readonly argumentsOmitted?: ArgumentsOmission;
  /** Some of the arguments are secret: by the schema, or because they are known to be. */
  readonly hasSecrets?: true;
}

/** A call that got to no decision: nothing was asked, nothing was sent. */
export interface RefusedEntry {
  readonly kind: 'refused';
  readonly callId: string;
  /** Ids as the caller gave them. */
  readonly server: string;
  readonly tool: string;
  readonly origin: string;
  /** As in {@link DecisionEntry}. */
  readonly client?: string;
  /** `McpErrorCode`; `cancelled` when the caller withdrew the call before it was decided on. */
  readonly code: McpErrorCode;
}

/** How a call ended that had been decided on. */
export interface OutcomeEntry {
  readonly kind: 'outcome';
  readonly callId: string;
  /** `windowEnded`: nobody knows, because its window ended first; written by the next one. */
  readonly outcome: CallOutcome['kind'] | 'windowEnded';
  /** For `failed`. */
  readonly code?: McpErrorCode;
  /** It was sent, has no answer, and may have had an effect. */
  readonly outcomeUnknown?: true;
  readonly durationMs: number;
  /** Its task was taken up again, after its connection or its window had ended. */
  readonly resumed?: true;
  /** Of content, structuredContent and isError; see `resultDigest`. */
  readonly resultDigest?: Fingerprint;
  readonly resultOmitted?: 'tooLarge';
}

/** A permission came or went: an answer that is remembered, or a risk that the person set. */
export interface PermissionEntry {
  readonly kind: 'permission';
  readonly action: 'granted' | 'withdrawn' | 'overrideSet' | 'overrideWithdrawn';
  /** Id of the server in the configuration. */
  readonly server: string;
  /** The tools it covers, at most {@link maxListed} of them. */
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

/** What the person answered when a server was about to start for the first time, or changed. */
export interface TrustEntry {
  readonly kind: 'trust';
  readonly server: ServerFacts;
  readonly answer: 'trusted' | 'refused' | 'withdrawn';
}

/** The definition of a tool was accepted. */
export interface PinEntry {
  readonly kind: 'pin';
  readonly server: string;
  readonly tool: ToolFacts;
  /** What had changed; empty for a tool that was new. */
  readonly fields: readonly ToolField[];
}

/** Who may act at a server changed; no token, code or other value of it is written down. */
export interface AuthorizationEntry {
  readonly kind: 'authorization';
  /** `extended`: the same account was given more rights, mostly for a call under way. */
  readonly action: 'signedIn' | 'extended' | 'signedOut';
  /** Id of the server in the configuration. */
  readonly server: string;
  /** The authorization server. */
  readonly issuer: string;
  /** What it gave, at most {@link maxListed} of them; for `extended` what came to it. */
  readonly scopes: readonly string[];
}

/** The last whole line of a segment at one moment. */
export interface SegmentTip {
  readonly segment: string;
  readonly lines: number;
  /** SHA-256 of that line, in hex. */
  readonly hash: string;
}

/** The tips that the header of a removed segment named. */
export interface VouchedTips {
  readonly segment: string;
  readonly known: readonly SegmentTip[];
}

/** What the journal has to say about itself. */
export type NoteEntry =
  /** A window died while it wrote: what it had written of the line, which was cut off. */
  | {
      readonly kind: 'note';
      readonly note: 'tornLine';
      readonly segment: string;
      readonly bytes: number;
      readonly text: string;
    }
  /** The person's settings keep no more; these segments are gone from now on. */
  | {
      readonly kind: 'note';
      readonly note: 'segmentsRemoved';
      readonly segments: readonly SegmentTip[];
      /** What their headers said of segments that stay. Absent: nothing. */
      readonly vouched?: readonly VouchedTips[];
    }
  /** Entries that could not be written, on a full disk for example. */
  | {
      readonly kind: 'note';
      readonly note: 'entriesLost';
      readonly count: number;
      /** Epoch ms of the first of them. */
      readonly since: number;
    };

/** What others may hand to the journal. */
export type NewEntry =
  | DecisionEntry
  | RefusedEntry
  | OutcomeEntry
  | PermissionEntry
  | TrustEntry
  | PinEntry
  | AuthorizationEntry
  | NoteEntry;

/**
 * The first line of a segment. Names the segments whose last line no other segment names yet, so
 * that through them every older one hangs on this one.
 */
export interface HeaderEntry {
  readonly kind: 'header';
  readonly version: 1;
  /** The name of the file it was written into. Absent: written by an earlier version. */
  readonly segment?: string;
  readonly known: readonly SegmentTip[];
  /** Who writes this segment, so that nobody else touches it while they live. */
  readonly pid: number;
  readonly host: string;
}

export type EntryContent = NewEntry | HeaderEntry;

/** Where an entry stands: byte offset of its line in a segment. */
export interface EntryPlace {
  readonly segment: string;
  readonly offset: number;
}

/** An entry as it was read. */
export interface JournalEntry<Content extends EntryContent = EntryContent> {
  /** Number of its line in its segment, from 1. */
  readonly line: number;
  /** Epoch ms. */
  readonly at: number;
  /** SHA-256 of the line before it; absent in a header. */
  readonly previous?: string;
  readonly content: Content;
}
