import { countOfStatus, type Reporter, type RunSummary } from './report';

/** The version of the form; later versions may add members. */
const reportVersion = 1;

/** Writes one JSON object for programs at the end of the run. */
export class JsonReporter implements Reporter {
  readonly form = 'json';

  call(): string {
    return '';
  }

  end({ calls, differences, findings, durationMs, ending, coverage }: RunSummary): string {
    const report = {
      version: reportVersion,
      passed: countOfStatus(calls, 'passed'),
      failed: countOfStatus(calls, 'failed'),
      errored: countOfStatus(calls, 'errored'),
      skipped: countOfStatus(calls, 'skipped'),
      durationMs,
      ...(ending === undefined ? {} : { [ending]: true }),
      lockDifferences: differences,
      findings,
      ...(coverage === undefined ? {} : { coverage }),
      calls,
    };
    return `${JSON.stringify(report, undefined, 2)}\n`;
  }
}
