import { countOfStatus, type Reporter, type RunSummary } from './report';

/** Of the form of the report; a later one may say more. */
const reportVersion = 1;

/** One JSON object when the run is over, for programs. */
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
