import type { TestStatus } from '../../core/testing/runTests';
import type { Colour } from '../cliOutput';

/** One call of a file in a report, or a file that did not run. */
export interface ReportedCall {
  /** The path from the folder of the run, with `/`. */
  readonly file: string;
  /** Starts at 1. */
  readonly line: number;
  /** The name of the environment for `${var:…}`; absent without one. */
  readonly environment?: string;
  readonly name: string;
  /** Absent if the file did not run. */
  readonly server?: string;
  /** A call has one of the next three. */
  readonly tool?: string;
  readonly resource?: string;
  readonly prompt?: string;
  readonly status: TestStatus;
  /** The start of its file, in ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** The number of tries; absent for one. */
  readonly tries?: number;
  /** The answer was written into the call file as the expected one. */
  readonly isUpdated?: true;
  /** Why it did not pass. */
  readonly reasons: readonly ReportedReason[];
  /** The beginning of the text that the server answered; only where the call did not pass. */
  readonly said?: string;
}

export interface ReportedReason {
  /** One line. */
  readonly sentence: string;
  /** The place of an expectation, as a JSON pointer into `expect`. */
  readonly place?: string;
  /** Usually JSON; a whole answer has several lines. */
  readonly expected?: string;
  /** Absent if there is no actual value. */
  readonly actual?: string;
}

export interface RunSummary {
  readonly calls: readonly ReportedCall[];
  /** Sentences about differences from the lock file. */
  readonly differences: readonly string[];
  /** Sentences about what servers did beside their answers. */
  readonly findings: readonly string[];
  /** Findings fail the run. */
  readonly isStrict: boolean;
  readonly durationMs: number;
  /** The reason why the remaining calls are left out; absent when none are. */
  readonly ending?: 'cancelled' | 'bailed';
  /** Absent without `--coverage`. */
  readonly coverage?: readonly ServerCoverage[];
}

/** Counts the tools of a server that were called, and names the others. */
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

/** Returns the lines that every report has about the end of the run. */
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

/** Returns texts such as `3 passed`; `passed` is there even for none. */
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
  /** Form of the text. Defaults to lines. */
  readonly form?: 'json' | 'commands';
  /** Called before the first call. */
  begin?(): string;
  /** Called as soon as a call has ended. */
  call(reported: ReportedCall): string;
  end(summary: RunSummary): string;
}

const testStatuses = ['passed', 'failed', 'errored', 'skipped'] as const;

/** Longer values are cut in sentences. */
const maxSentenceValue = 200;

export type Paint = (colour: Colour, text: string) => string;

/** Returns the expected and the actual text when the sentence shows only a part of them. */
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

/** Names the call in a list of calls of several files. */
export function reportedTitle({ file, name, environment }: ReportedCall): string {
  return `${file}: ${name}${environment === undefined ? '' : ` [${environment}]`}`;
}

/** Redacts each text before a reporter cuts it or writes it in another form. */
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

/** Redacts the texts that are present. */
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
