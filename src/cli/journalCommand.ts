import { stat } from 'node:fs/promises';
import path from 'node:path';
import { verifyJournal } from '../host/journal/verify';
import type { CliOutput } from './cliOutput';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';

/** Checks a journal as *Verify Audit Journal* does, and writes what it found. @throws {UsageError} */
export async function journalCommand(
  operands: readonly string[],
  folder: string,
  output: CliOutput,
): Promise<ExitCode> {
  const [verb, named, ...rest] = operands;
  if (verb !== 'verify' || named === undefined || rest.length > 0) {
    throw new UsageError('journal verify takes the folder of a journal.');
  }
  const whole = path.resolve(folder, named);
  const facts = await stat(whole).catch(() => undefined);
  if (facts?.isDirectory() !== true) throw new UsageError(`There is no folder ${named}.`);
  const { isWhole, breaks, breakCount, segments, lines, torn } = await verifyJournal(whole);
  for (const { kind, segment, line } of breaks) {
    output.report(`${kind}: ${output.redact(segment)}${line === undefined ? '' : `:${line}`}\n`);
  }
  for (const { segment, bytes } of torn)
    output.report(`unfinished: ${output.redact(segment)} (${bytes} bytes)\n`);
  output.report(
    isWhole
      ? `The journal is as it was written: ${lines} entries in ${segments} files.\n`
      : `The journal is not as it was written: ${breakCount} places.\n`,
  );
  return isWhole ? exitCodes.passed : exitCodes.failed;
}
