import type { TestStatus } from '../../core/testing/runTests';
import { visibleText } from '../../core/visibleText';
import type { Colour } from '../cliOutput';
import {
  type Paint,
  type ReportedCall,
  type ReportedReason,
  type Reporter,
  type RunSummary,
  comparedTexts,
  coverageLines,
  endingLines,
  statusCounts,
} from './report';

const maxLineChars = 500;
const marks: Readonly<Record<TestStatus, readonly [string, Colour]>> = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
  errored: ['✗', 'red'],
  skipped: ['–', 'yellow'],
};

/** The text report: a line for each call below its file, with the reasons of failures. */
export class SpecReporter implements Reporter {
  readonly #paint: Paint;
  #lastHeading = '';

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  call(reported: ReportedCall): string {
    const { file, environment, name, status, durationMs, line, reasons } = reported;
    const { tries, isUpdated } = reported;
    const heading = environment === undefined ? file : `${file} [${environment}]`;
    const above = heading === this.#lastHeading ? [] : [`- ${visibleText(heading, maxLineChars)}`];
    this.#lastHeading = heading;
    const [mark, colour] = marks[status];
    const retried = tries === undefined ? '' : `, call ${tries}`;
    const updated = isUpdated === true ? ', updated' : '';
    const took = this.#paint('dim', `${durationMs} ms${retried}${updated}`);
    const shown = visibleText(name, maxLineChars);
    return [
      ...above,
      `  ${this.#paint(colour, mark)} ${shown} ${took}`,
      ...reasons.flatMap((reason) => [
        `      ${visibleText(reason.sentence, maxLineChars)} ${this.#paint('dim', `(${visibleText(file, maxLineChars)}:${line})`)}`,
        ...this.#difference(reason),
      ]),
      '',
    ].join('\n');
  }

  end(summary: RunSummary): string {
    const { calls, differences, findings, durationMs, isStrict } = summary;
    const counts = statusCounts(calls).map(([status, text]) => this.#paint(marks[status][1], text));
    const locked = this.#list('The lock file differs', '≠', 'red', differences);
    const found = this.#list('Findings', '!', isStrict ? 'red' : 'yellow', findings);
    const covered = this.#list('Coverage', '·', 'dim', coverageLines(summary));
    const ending = endingLines(summary).map((line) => this.#paint('yellow', line));
    const totals = `${counts.join(', ')} (${durationMs} ms)`;
    return [...locked, ...found, ...covered, ...ending, '', totals, ''].join('\n');
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

  #difference(reason: ReportedReason): readonly string[] {
    const texts = comparedTexts(reason);
    if (texts === undefined) return [];
    return textDifference(texts.expected, texts.actual).map((line) => {
      const shown = `        ${visibleText(line, maxLineChars)}`;
      if (line.startsWith('-')) return this.#paint('red', shown);
      return line.startsWith('+') ? this.#paint('green', shown) : shown;
    });
  }
}

const maxLines = 30;
const around = 2;

/**
 * Shows the differences of two texts, with `-` for lines of the first and `+` for lines of the
 * second: from the first to the last different line, with two lines of context and at most 30 lines
 * of each text.
 */
export function textDifference(expected: string, actual: string): readonly string[] {
  const [one, other] = [expected.trimEnd().split('\n'), actual.trimEnd().split('\n')];
  let begin = 0;
  while (begin < one.length && one[begin] === other[begin]) begin += 1;
  let end = 0;
  const most = Math.min(one.length, other.length) - begin;
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [
    ...marked(one.slice(Math.max(0, begin - around), begin), ' '),
    ...marked(one.slice(begin, one.length - end), '-'),
    ...marked(other.slice(begin, other.length - end), '+'),
    ...marked(one.slice(one.length - end, one.length - end + around), ' '),
  ];
}

function marked(lines: readonly string[], mark: string): readonly string[] {
  const shown = lines.slice(0, maxLines).map((line) => `${mark} ${line}`);
  return lines.length > maxLines ? [...shown, `${mark} …`] : shown;
}
