import type { TestStatus } from '../../core/testing/runTests';
import { visibleText } from '../../core/visibleText';
import type { Colour } from '../cliOutput';
import {
  cancelledWords,
  countOfStatus,
  type Paint,
  type ReportedCall,
  type Reporter,
  type RunSummary,
} from './report';
import { textDifference } from './textDifference';

const maxLineChars = 500;
const marks: Readonly<Record<TestStatus, readonly [string, Colour]>> = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
  errored: ['✗', 'red'],
  skipped: ['–', 'yellow'],
};

/** For people: a line for each call below its file, and why those did not pass that did not. */
export class SpecReporter implements Reporter {
  readonly #paint: Paint;
  #lastHeading = '';

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  call(reported: ReportedCall): string {
    const { file, environment, name, status, durationMs, line, reasons } = reported;
    const heading = environment === undefined ? file : `${file} [${environment}]`;
    const above = heading === this.#lastHeading ? [] : [`- ${visibleText(heading, maxLineChars)}`];
    this.#lastHeading = heading;
    const [mark, colour] = marks[status];
    const took = this.#paint('dim', `${durationMs} ms`);
    const shown = visibleText(name, maxLineChars);
    return [
      ...above,
      `  ${this.#paint(colour, mark)} ${shown} ${took}`,
      ...reasons.flatMap(({ sentence, expected, actual }) => [
        `      ${visibleText(sentence, maxLineChars)} ${this.#paint('dim', `(${visibleText(file, maxLineChars)}:${line})`)}`,
        ...this.#difference(expected, actual),
      ]),
      '',
    ].join('\n');
  }

  end(summary: RunSummary): string {
    const { calls, differences, findings, durationMs, isCancelled, isStrict } = summary;
    const statuses = ['passed', 'failed', 'errored', 'skipped'] as const;
    const counts = statuses
      .map((status) => [status, countOfStatus(calls, status)] as const)
      .filter(([status, count]) => count > 0 || status === 'passed')
      .map(([status, count]) => this.#paint(marks[status][1], `${count} ${status}`));
    const locked = this.#list('The lock file differs', '≠', 'red', differences);
    const found = this.#list('Findings', '!', isStrict ? 'red' : 'yellow', findings);
    const cancelled = isCancelled ? [this.#paint('yellow', cancelledWords)] : [];
    const totals = `${counts.join(', ')} (${durationMs} ms)`;
    return [...locked, ...found, ...cancelled, '', totals, ''].join('\n');
  }

  #list(
    heading: string,
    mark: string,
    colour: Colour,
    lines: readonly string[],
  ): readonly string[] {
    if (lines.length === 0) return [];
    const shown = lines.map(
      (line) => `  ${this.#paint(colour, mark)} ${visibleText(line, maxLineChars)}`,
    );
    return [heading, ...shown];
  }

  #difference(expected: string | undefined, actual: string | undefined): readonly string[] {
    if (expected === undefined || actual === undefined) return [];
    return textDifference(expected, actual).map((line) => {
      const shown = `        ${visibleText(line, maxLineChars)}`;
      if (line.startsWith('-')) return this.#paint('red', shown);
      return line.startsWith('+') ? this.#paint('green', shown) : shown;
    });
  }
}
