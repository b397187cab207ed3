import type { CallAnswer, CallOutcome, CallQuestion, CallRequest } from './call';
import type { Decision } from '../consent/decision';

/** A call that got as far as a decision. */
export interface DecidedCall {
  /** Joins what is recorded of one call. */
  readonly callId: string;
  readonly question: CallQuestion;
  /** The one that counts: a rule may have come up while the person read. */
  readonly decision: Decision;
  /** What the person answered; absent when nobody was asked. */
  readonly answer?: CallAnswer['kind'];
  /** Texts in the arguments that must not be written down. */
  readonly secrets: readonly string[];
}

/** Where the gate has every call recorded, from any origin. */
export interface CallJournal {
  /**
   * Resolves when it is written, before anything is sent. Rejects only when calls must not be made without their record.
   * @throws {McpError} journalUnavailable
   */
  decided(call: DecidedCall): Promise<void>;
  /**
   * How the call ended, also one that got to no decision. Resolves when it is written, before the
   * caller hears of it. Never rejects.
   */
  ended(callId: string, request: CallRequest, outcome: CallOutcome): Promise<void>;
}

/** One that tells both; what is refused by the first is not known to the second as decided. */
export function bothJournals(first: CallJournal, second: CallJournal): CallJournal {
  return {
    decided: async (call) => {
      await first.decided(call);
      await second.decided(call);
    },
    ended: async (callId, request, outcome) => {
      await Promise.all([
        first.ended(callId, request, outcome),
        second.ended(callId, request, outcome),
      ]);
    },
  };
}
