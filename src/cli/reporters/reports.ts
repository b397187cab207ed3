import type { CliOutput } from '../cliOutput';
import type { ReportedCall, Reporter, RunSummary } from './report';

/** One report and where it is written. */
export interface ReportTarget {
  readonly reporter: Reporter;
  readonly output: Pick<CliOutput, 'report' | 'reportJson' | 'reportCommands'>;
  readonly file?: ReportFile;
}

export interface ReportFile {
  /** It took no more, or could not be closed. */
  readonly hasFailed: boolean;
  close(): void;
}

/** All reports of one run. Callers redact what they hand over. */
export class Reports {
  readonly #targets: readonly ReportTarget[];

  constructor(targets: readonly ReportTarget[]) {
    this.#targets = targets;
  }

  /** A file does not have all of its report. */
  get hasFailed(): boolean {
    return this.#targets.some(({ file }) => file?.hasFailed === true);
  }

  begin(): void {
    this.#write((reporter) => reporter.begin?.() ?? '');
  }

  call(reported: ReportedCall): void {
    this.#write((reporter) => reporter.call(reported));
  }

  end(summary: RunSummary): void {
    this.#write((reporter) => reporter.end(summary));
    for (const { file } of this.#targets) file?.close();
  }

  #write(textOf: (reporter: Reporter) => string): void {
    for (const { reporter, output } of this.#targets) {
      const text = textOf(reporter);
      if (reporter.form === 'json') output.reportJson(text);
      else if (reporter.form === 'commands') output.reportCommands(text);
      else output.report(text);
    }
  }
}
