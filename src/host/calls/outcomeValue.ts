import { withValue } from '../../core/content/structuredAgreement';
import type { ReadNumber } from '../../core/json/parseRawJson';
import type { CallOutcome } from './call';

/**
 * Returns the outcome with the parsed value of structured content that was kept as text. Yields to
 * the event loop. `toNumber` converts numbers, which stay as written without it. Content with too
 * many values for memory stays text.
 */
export async function withStructuredValue(
  outcome: CallOutcome,
  toNumber?: ReadNumber,
): Promise<CallOutcome> {
  if (outcome.kind !== 'result' && outcome.kind !== 'toolError') return outcome;
  return { ...outcome, result: await withValue(outcome.result, toNumber) };
}
