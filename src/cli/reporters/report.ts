import type { TestStatus } from '../../core/testing/runTests';
import type { Colour } from '../cliOutput';

/** One call of a file as reports tell of it, or a file that did not run. */
export interface ReportedCall {
  /** From the folder of the run, with `/`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Of the values for `${var:…}`; absent where none was chosen. */
  readonly environment?: string;
  readonly name: string;
  readonly status: TestStatus;
  readonly durationMs: number;
  /** Why it did not pass. */
  readonly reasons: readonly ReportedReason[];
}

export interface ReportedReason {
  /** One line. */
  readonly sentence: string;
  /** Both or none: whole texts for a comparison, of several lines. */
  readonly expected?: string;
  readonly actual?: string;
}

export interface RunSummary {
  readonly calls: readonly ReportedCall[];
  /** Where servers are not as the lock file has them. */
  readonly differences: readonly string[];
  /** What servers did that no call tells. */
  readonly findings: readonly string[];
  /** Whether findings fail the run. */
  readonly isStrict: boolean;
  readonly durationMs: number;
  /** The run was cancelled: calls that had not begun are left out. */
  readonly isCancelled: boolean;
}

/** What reports say where {@link RunSummary.isCancelled}. */
export const cancelledWords = 'Cancelled: calls that had not begun are left out.';

/** Makes the text of a report piece by piece. */
export interface Reporter {
  /** All of it is JSON. */
  readonly isJson?: boolean;
  /** Before the first call. */
  begin?(): string;
  /** As soon as the call is over. */
  call(reported: ReportedCall): string;
  end(summary: RunSummary): string;
}

export type Paint = (colour: Colour, text: string) => string;

/** What the call is called in a list of calls of several files. */
export function reportedTitle({ file, name, environment }: ReportedCall): string {
  return `${file}: ${name}${environment === undefined ? '' : ` [${environment}]`}`;
}

/** As `redact` leaves each text of it: before a reporter cuts it, or writes it in another form. */
export function redactedCall(
  { reasons, ...reported }: ReportedCall,
  redact: (text: string) => string,
): ReportedCall {
  const { environment } = reported;
  return {
    ...reported,
    file: redact(reported.file),
    name: redact(reported.name),
    ...(environment === undefined ? {} : { environment: redact(environment) }),
    reasons: reasons.map(({ sentence, expected, actual }) => ({
      sentence: redact(sentence),
      ...(expected === undefined ? {} : { expected: redact(expected) }),
      ...(actual === undefined ? {} : { actual: redact(actual) }),
    })),
  };
}

export function countOfStatus(calls: readonly ReportedCall[], status: TestStatus): number {
  return calls.filter((call) => call.status === status).length;
}
