import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../core/bounds/pathWithin';
import { assertNever } from '../core/errors';
import type { SecretValues } from '../host/secrets/secretValues';
import type { CliOptions } from './cliOptions';
import { CliOutput } from './cliOutput';
import type { ProcessEnvironment } from './cliValues';
import { inLine } from './errorMessage';
import { UsageError } from './exitCodes';
import type { ReporterName } from './options/optionTable';
import { GithubReporter } from './reporters/githubReporter';
import { refuseLinks } from './refuseLinks';
import { JsonReporter } from './reporters/jsonReporter';
import { JunitReporter } from './reporters/junitReporter';
import type { Paint, ReportedCall, Reporter, RunSummary } from './reporters/report';
import { SpecReporter } from './reporters/specReporter';
import { TapReporter } from './reporters/tapReporter';

interface OpenReportsOptions {
  readonly chosen: Pick<CliOptions, 'reporter' | 'output'>;
  readonly folder: string;
  readonly env: ProcessEnvironment;
  /** Standard output. */
  readonly output: CliOutput;
  readonly secrets: SecretValues;
}

/** Opens the files of the chosen reports, which are emptied when they begin. @throws {UsageError} for a file that cannot be written */
export function openReports(options: OpenReportsOptions): Reports {
  const { chosen, folder, output } = options;
  const paths = chosen.output.map(({ file }) => path.resolve(folder, file));
  const twice = chosen.output.find((_, index) => paths.indexOf(paths[index] ?? '') < index);
  if (twice !== undefined) throw new UsageError(`Two reports cannot be written to ${twice.file}.`);
  const shown = chosen.reporter.map((name): ReportTarget => {
    return { reporter: makeReporter(name, output.paint, options), output };
  });
  return new Reports([...shown, ...chosen.output.map((each) => openFile(each, options))]);
}

function openFile(
  { reporter, file: named }: CliOptions['output'][number],
  options: OpenReportsOptions,
): ReportTarget {
  const { folder, output, secrets } = options;
  refuseLinks(folder, named);
  const file = new OpenFile(openNew(path.resolve(folder, named), named), () =>
    output.notify(`${named} cannot be written, so the report is incomplete.`),
  );
  const stderr = { write: (text: string) => output.notify(text) };
  return {
    reporter: makeReporter(reporter, (_, text) => text, options),
    output: new CliOutput({ stdout: file, stderr }, secrets, { FORCE_COLOR: '0' }),
    file,
  };
}

/** Writes text until the disk is full or the folder is gone. */
class OpenFile implements ReportFile {
  readonly #open: number;
  readonly #onFailed: () => void;
  hasFailed = false;

  constructor(open: number, onFailed: () => void) {
    this.#open = open;
    this.#onFailed = onFailed;
  }

  /** Devices cannot be emptied, and have nothing. */
  empty(): void {
    this.#try(() => {
      if (fstatSync(this.#open).isFile()) ftruncateSync(this.#open);
    });
  }

  write(text: string): void {
    if (!this.hasFailed) this.#try(() => writeFileSync(this.#open, text));
  }

  close(): void {
    this.#try(() => closeSync(this.#open));
  }

  #try(work: () => void): void {
    try {
      work();
    } catch {
      if (!this.hasFailed) this.#onFailed();
      this.hasFailed = true;
    }
  }
}

function openNew(whole: string, file: string): number {
  try {
    mkdirSync(path.dirname(whole), { recursive: true });
    return openSync(whole, 'a');
  } catch (error) {
    const why = error instanceof Error ? inLine(error.message) : '';
    throw new UsageError(`The report cannot be written to ${file}: ${why}.`);
  }
}

function makeReporter(
  name: ReporterName,
  paint: Paint,
  { env, folder }: OpenReportsOptions,
): Reporter {
  switch (name) {
    case 'tap':
      return new TapReporter();
    case 'junit':
      return new JunitReporter();
    case 'json':
      return new JsonReporter();
    case 'spec':
      return new SpecReporter(paint);
    case 'github':
      return new GithubReporter(fromRepository(folder, env['GITHUB_WORKSPACE']));
    default:
      return assertNever(name);
  }
}

/** Returns the path of the folder from the root of the repository, with `/`. */
function fromRepository(folder: string, root: string | undefined): string {
  if (root === undefined || root === '') return '';
  return isWithin(root, folder) ? path.relative(root, folder).replaceAll(path.sep, '/') : '';
}

/** One report and where it is written. */
interface ReportTarget {
  readonly reporter: Reporter;
  readonly output: Pick<CliOutput, 'reportPainted' | 'reportJson' | 'reportCommands'>;
  readonly file?: ReportFile;
}

interface ReportFile {
  /** True if writing or closing the file failed. */
  readonly hasFailed: boolean;
  empty(): void;
  close(): void;
}

/** All reports of one run. Callers redact what they hand over. */
export class Reports {
  readonly #targets: readonly ReportTarget[];

  constructor(targets: readonly ReportTarget[]) {
    this.#targets = targets;
  }

  /** True if a report file is incomplete. */
  get hasFailed(): boolean {
    return this.#targets.some(({ file }) => file?.hasFailed === true);
  }

  begin(): void {
    for (const { file } of this.#targets) file?.empty();
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
      else output.reportPainted(text);
    }
  }
}
