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
  /** Absent for a file that did not run. */
  readonly server?: string;
  /** One of the three. */
  readonly tool?: string;
  readonly resource?: string;
  readonly prompt?: string;
  readonly status: TestStatus;
  /** When its file was begun, in ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** How often it was called; absent: once. */
  readonly tries?: number;
  /** The call file was given what came as what is expected. */
  readonly isUpdated?: true;
  /** Why it did not pass. */
  readonly reasons: readonly ReportedReason[];
  /** The beginning of the text that the server answered; only where the call did not pass. */
  readonly said?: string;
}

export interface ReportedReason {
  /** One line. */
  readonly sentence: string;
  /** Of an expectation: its place, as a JSON pointer into `expect`. */
  readonly place?: string;
  /** Mostly JSON, on several lines where it is a whole answer. */
  readonly expected?: string;
  /** Absent where there is nothing. */
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
  /** Why calls that had not begun are left out; absent: none are. */
  readonly ending?: 'cancelled' | 'bailed';
  /** Absent where it was not asked for. */
  readonly coverage?: readonly ServerCoverage[];
}

/** Which tools of a server were called; numbers of tools, and the names of the others. */
export interface ServerCoverage {
  readonly server: string;
  readonly offered: number;
  readonly called: number;
  readonly uncalled: readonly string[];
}

const endings = {
  cancelled: 'Cancelled: calls that had not begun are left out.',
  bailed: 'Ended by --bail: calls that had not begun are left out.',
} as const;

/** What every report says of the run in lines of their own. */
export function endingLines({ ending }: Pick<RunSummary, 'ending'>): readonly string[] {
  return ending === undefined ? [] : [endings[ending]];
}

/** One line for each server. */
export function coverageLines({ coverage = [] }: Pick<RunSummary, 'coverage'>): readonly string[] {
  return coverage.map(({ server, offered, called, uncalled }) => {
    const rest = uncalled.length === 0 ? '' : `; not: ${uncalled.join(', ')}`;
    return `${server}: ${called} of ${offered} tools called${rest}`;
  });
}

/** Such as `3 passed`; the first also where there are none. */
export function statusCounts(
  calls: readonly ReportedCall[],
): readonly (readonly [TestStatus, string])[] {
  return testStatuses
    .map((status) => [status, countOfStatus(calls, status)] as const)
    .filter(([status, count]) => count > 0 || status === 'passed')
    .map(([status, count]) => [status, `${count} ${status}`]);
}

/** Makes the text of a report piece by piece. */
export interface Reporter {
  /** What the text is; default: lines for people or programs. */
  readonly form?: 'json' | 'commands';
  /** Before the first call. */
  begin?(): string;
  /** As soon as the call is over. */
  call(reported: ReportedCall): string;
  end(summary: RunSummary): string;
}

const testStatuses = ['passed', 'failed', 'errored', 'skipped'] as const;

/** Longer values are cut in sentences. */
const maxSentenceValue = 200;

export type Paint = (colour: Colour, text: string) => string;

/** Texts that the sentence has not in whole: a reader compares them. */
export function comparedTexts({
  expected,
  actual,
}: ReportedReason): { readonly expected: string; readonly actual: string } | undefined {
  if (expected === undefined || actual === undefined) return undefined;
  return isLong(expected) || isLong(actual) ? { expected, actual } : undefined;
}

function isLong(text: string): boolean {
  return text.length > maxSentenceValue || text.includes('\n');
}

/** What the call is called in a list of calls of several files. */
export function reportedTitle({ file, name, environment }: ReportedCall): string {
  return `${file}: ${name}${environment === undefined ? '' : ` [${environment}]`}`;
}

/** As `redact` leaves each text of it: before a reporter cuts it, or writes it in another form. */
export function redactedCall(
  reported: ReportedCall,
  redact: (text: string) => string,
): ReportedCall {
  const { environment, server, tool, resource, prompt, said } = reported;
  const own = { environment, server, tool, resource, prompt, said };
  const texts = redactedTexts(own, redact);
  return {
    ...reported,
    ...texts,
    file: redact(reported.file),
    name: redact(reported.name),
    reasons: reported.reasons.map(({ sentence, ...rest }) => ({
      sentence: redact(sentence),
      ...redactedTexts(rest, redact),
    })),
  };
}

/** Those that are there. */
function redactedTexts<Name extends string>(
  texts: Readonly<Partial<Record<Name, string | undefined>>>,
  redact: (text: string) => string,
): Partial<Record<Name, string>> {
  const known: Partial<Record<Name, string>> = {};
  for (const name in texts) {
    const text = texts[name];
    if (text !== undefined) known[name] = redact(text);
  }
  return known;
}

export function countOfStatus(calls: readonly ReportedCall[], status: TestStatus): number {
  return calls.filter((call) => call.status === status).length;
}
