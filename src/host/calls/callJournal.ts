import type { CallAnswer, CallOutcome, CallQuestion, CallRequest } from './call';
import type { Decision } from '../consent/consent';

/** A call that was decided about. */
export interface DecidedCall {
  /** Identifies the records of one call. */
  readonly callId: string;
  readonly question: CallQuestion;
  /** The final decision. A rule may have changed while the user read the question. */
  readonly decision: Decision;
  /** The user's answer; undefined if the user was not asked. */
  readonly answer?: CallAnswer['kind'];
  /** Secrets in the arguments, which must not be written to disk. */
  readonly secrets: readonly string[];
}

/** Records every call, whatever its origin. */
export interface CallJournal {
  /**
   * Resolves when the decision is written, before anything is sent. Rejects only if calls must not
   * be made without their record.
   * @throws {McpError} journalUnavailable
   */
  decided(call: DecidedCall): Promise<void>;
  /**
   * Records the end of a call, including one without a decision. Resolves when it is written,
   * before the caller gets the outcome. Never rejects.
   */
  ended(callId: string, request: CallRequest, outcome: CallOutcome): Promise<void>;
}

/** Combines two journals. A decision that the first refuses is not passed to the second. */
export function combineJournals(first: CallJournal, second: CallJournal): CallJournal {
  return {
    decided: async (call) => {
      await first.decided(call);
      await second.decided(call);
    },
    ended: async (...call) => {
      const both = [first.ended(...call), second.ended(...call)];
      for (const each of both) await each;
    },
  };
}
