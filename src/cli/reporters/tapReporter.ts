import { visibleText } from '../../core/visibleText';
import { jsonEscape, withoutCommands } from '../runnerCommands';
import {
  coverageLines,
  endingLines,
  reportedTitle,
  type ReportedCall,
  type ReportedReason,
  type Reporter,
  type RunSummary,
} from './report';

const maxChars = 500;
const maxQuotedChars = 10_000;

/** TAP 14 (https://testanything.org/tap-version-14-specification.html). */
export class TapReporter implements Reporter {
  #count = 0;

  begin(): string {
    return 'TAP version 14\n';
  }

  call(reported: ReportedCall): string {
    const { status, durationMs, tries, reasons, file, line } = reported;
    this.#count += 1;
    const isOk = status === 'passed' || status === 'skipped';
    // A `#` would begin a directive.
    const title = visibleText(reportedTitle(reported), maxChars).replaceAll(/[\\#]/g, '\\$&');
    const [first] = reasons;
    const directive = status === 'skipped' ? ` # SKIP ${lineOf(first?.sentence)}`.trimEnd() : '';
    const facts = [
      `  ---`,
      `  duration_ms: ${durationMs}`,
      ...(['server', 'tool', 'resource', 'prompt'] as const).flatMap((key) => {
        const name = reported[key];
        return name === undefined ? [] : [`  ${key}: ${quoted(name)}`];
      }),
      ...(tries === undefined ? [] : [`  tries: ${tries}`]),
      ...(reasons.length === 0 || status === 'skipped'
        ? []
        : [
            `  message: ${quoted(reasons.map(({ sentence }) => sentence).join(' '))}`,
            `  severity: ${status === 'failed' ? 'fail' : 'error'}`,
            `  at: ${quoted(`${file}:${line}`)}`,
            ...failureLines(reasons),
          ]),
      `  ...`,
    ];
    return [`${isOk ? 'ok' : 'not ok'} ${this.#count} - ${title}${directive}`, ...facts, ''].join(
      '\n',
    );
  }

  end(summary: RunSummary): string {
    const { differences, findings } = summary;
    const all = [...differences, ...findings, ...coverageLines(summary), ...endingLines(summary)];
    const notes = all.map((line) => `# ${lineOf(line)}\n`);
    return `${notes.join('')}1..${this.#count}\n`;
  }
}

/** Writes expectations that were not met as a sequence of YAML. */
function failureLines(reasons: readonly ReportedReason[]): readonly string[] {
  const failures = reasons.flatMap(({ place, expected, actual }) => {
    if (place === undefined) return [];
    const both = Object.entries({ expected, actual }).flatMap(([key, text]) =>
      text === undefined ? [] : [`      ${key}: ${quoted(text)}`],
    );
    return [`    - place: ${quoted(place)}`, ...both];
  });
  return failures.length === 0 ? [] : ['  failures:', ...failures];
}

/** YAML; its escapes are those of JSON, which `visibleText` does not write. */
function quoted(text: string): string {
  return withoutCommands(JSON.stringify(visibleText(text, maxQuotedChars)), jsonEscape);
}

function lineOf(text = ''): string {
  return visibleText(text, maxChars).replaceAll('#', '\\#');
}
