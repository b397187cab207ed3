import type { FileCall } from '../core/callFiles/callFile';
import type { FilledCall } from '../core/callFiles/fillCall';
import { protocolErrorOf } from '../core/callFiles/judgeError';
import { assertNever } from '../core/errors';
import type { MadeCall } from '../core/testing/runTests';
import type { ReadOutcome } from '../host/callFiles/fileCalls';
import type { CliOutput } from './cliOutput';
import type { CliSession } from './cliSession';
import { valuesSentence } from './denialWords';
import { errorMessage } from './errorMessage';

export interface ReadMakingOptions {
  readonly session: Pick<CliSession, 'read'>;
  readonly output: CliOutput;
  /** The run was cancelled. */
  readonly isLate: boolean;
}

/**
 * Reads the resource or the prompt of a call. It is denied where it takes values that the file chose
 * and the user did not name; no rule is about reading. Never rejects.
 */
export async function makeRead(
  call: FileCall,
  { target, value, expect, fileValues }: Extract<FilledCall, { kind: 'filled' }>,
  { session, output, isLate }: ReadMakingOptions,
): Promise<{ readonly made: MadeCall; readonly isDenied: boolean }> {
  if (fileValues.length > 0) {
    return { made: { kind: 'skipped', words: valuesSentence(fileValues) }, isDenied: true };
  }
  const { server, timeoutMs } = call;
  const outcome = await session.read(server, { target, value, timeoutMs }, isLate);
  return { made: { ...madeOf(call, outcome, output.redact), expect }, isDenied: false };
}

function madeOf(
  { server, target }: FileCall,
  outcome: ReadOutcome,
  redact: CliOutput['redact'],
): MadeCall {
  switch (outcome.kind) {
    case 'answered':
      return outcome;
    case 'cancelled':
      return { kind: 'skipped', words: 'Cancelled.', durationMs: outcome.durationMs };
    case 'failed': {
      const { error, durationMs } = outcome;
      const words = `${target.kind} "${target.name}" of "${server}": ${errorMessage(error, redact)}`;
      return { kind: 'errored', words, durationMs, protocolError: protocolErrorOf(error) };
    }
    default:
      return assertNever(outcome);
  }
}
