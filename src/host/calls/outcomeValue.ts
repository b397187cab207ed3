import { withValue } from '../../core/content/structuredAgreement';
import type { ReadNumber } from '../../core/json/keptValue';
import type { CallOutcome } from './call';

/**
 * The outcome with the value of structured content that is kept as text, for who has to have it.
 * Made in turns, numbers by `toNumber` (absent: as they were written); what has more values than may be in memory stays text.
 */
export async function withStructuredValue(
  outcome: CallOutcome,
  toNumber?: ReadNumber,
): Promise<CallOutcome> {
  if (outcome.kind !== 'result' && outcome.kind !== 'toolError') return outcome;
  return { ...outcome, result: await withValue(outcome.result, toNumber) };
}
