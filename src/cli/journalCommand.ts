import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { verifyJournal } from '../host/journal/verify';
import type { CliOutput } from './cliOutput';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';
import { refuseLinks } from './refuseLinks';

/** Checks a journal as *Verify Audit Journal* does, and writes what it found. @throws {UsageError} */
export async function journalCommand(
  operands: readonly string[],
  folder: string,
  output: CliOutput,
): Promise<ExitCode> {
  const [verb, named, ...rest] = operands;
  if (verb !== 'verify' || named === undefined || rest.length > 0) {
    throw new UsageError('journal verify requires the folder of a journal.');
  }
  const whole = path.resolve(folder, named);
  const facts = await stat(whole).catch(() => undefined);
  if (facts?.isDirectory() !== true) throw new UsageError(`The folder ${named} does not exist.`);
  const { isWhole, breaks, breakCount, segments, lines, torn } = await verifyJournal(whole);
  // A journal that was removed as a whole leaves nothing that could be checked.
  if (segments === 0) {
    output.report(`There is no journal in ${output.redact(named)}.\n`);
    return exitCodes.failed;
  }
  for (const { kind, segment, line } of breaks) {
    output.report(`${kind}: ${output.redact(segment)}${line === undefined ? '' : `:${line}`}\n`);
  }
  for (const { segment, bytes } of torn)
    output.report(`unfinished: ${output.redact(segment)} (${bytes} bytes)\n`);
  output.report(
    isWhole
      ? `The journal is intact: ${lines} entries in ${segments} files.\n`
      : `The journal has been changed: ${breakCount} places.\n`,
  );
  return isWhole ? exitCodes.passed : exitCodes.failed;
}

/**
 * Returns the folder of the journal of a run. It must contain only this run's files and must be at
 * the given place, so that files of a repository can neither provide a journal nor redirect it by
 * links.
 * @throws {UsageError}
 */
export function journalFolder(folder: string, named: string): string {
  const whole = path.resolve(folder, named);
  refuseLinks(folder, named);
  const facts = factsOf(whole, named);
  if (facts === undefined) return whole;
  if (!facts.isDirectory() || !isEmpty(whole)) {
    throw new UsageError(`The journal requires a new or empty folder, but ${named} is neither.`);
  }
  return whole;
}

function factsOf(file: string, named: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw new UsageError(`The journal cannot be in ${named}.`, { cause: error });
  }
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}
