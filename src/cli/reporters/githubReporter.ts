import { runnerCommand } from '../runnerCommands';
import { coverageLines, endingLines, reportedTitle, statusCounts } from './report';
import type { ReportedCall, Reporter, RunSummary } from './report';

/** Writes annotations of GitHub Actions: one for each call that did not pass, and those of the whole run. */
export class GithubReporter implements Reporter {
  readonly form = 'commands';
  readonly #folder: string;

  /** @param folder folder of the run, relative to the root of the repository; empty for the root */
  constructor(folder: string) {
    this.#folder = folder;
  }

  call(reported: ReportedCall): string {
    const { status, file, line, reasons } = reported;
    if (status === 'passed') return '';
    const message = reasons.map(({ sentence }) => sentence).join('\n');
    return runnerCommand(status === 'skipped' ? 'warning' : 'error', message, {
      file: this.#folder === '' ? file : `${this.#folder}/${file}`,
      line: String(line),
      title: reportedTitle(reported),
    });
  }

  end(summary: RunSummary): string {
    const { calls, differences, findings, isStrict } = summary;
    const counts = statusCounts(calls).map(([, text]) => text);
    const title = 'toolgate';
    return [
      ...differences.map((line) => runnerCommand('error', line, { title: 'Lock file' })),
      ...findings.map((line) =>
        runnerCommand(isStrict ? 'error' : 'warning', line, { title: 'Finding' }),
      ),
      ...endingLines(summary).map((line) => runnerCommand('warning', line, { title })),
      ...coverageLines(summary).map((line) => runnerCommand('notice', line, { title: 'Coverage' })),
      runnerCommand('notice', counts.join(', '), { title }),
    ].join('');
  }
}
