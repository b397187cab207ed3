import { visibleText } from '../../core/visibleText';
import { withoutCommands, xmlEscape } from '../runnerCommands';
import {
  comparedTexts,
  coverageLines,
  countOfStatus,
  type ReportedCall,
  type Reporter,
  type RunSummary,
} from './report';

const maxChars = 10_000;

/** The XML of JUnit that pipelines read: a suite for each file, a case for each call. */
export class JunitReporter implements Reporter {
  call(): string {
    return '';
  }

  end(summary: RunSummary): string {
    const { calls, differences, findings, isStrict, durationMs } = summary;
    const coverage = coverageLines(summary);
    const suites = new Map<string, ReportedCall[]>();
    for (const call of calls) {
      const { file, environment } = call;
      const name = environment === undefined ? file : `${file} [${environment}]`;
      suites.set(name, [...(suites.get(name) ?? []), call]);
    }
    const locked = noteSuite('lock file', differences, true);
    const found = noteSuite('findings', findings, isStrict);
    const noted = differences.length + findings.length + coverage.length;
    const failed = differences.length + (isStrict ? findings.length : 0);
    const all = [...suites].map(([name, own]) => suiteOf(name, own));
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites${totals(calls, noted, failed)} time="${seconds(durationMs)}">`,
      ...all,
      ...locked,
      ...found,
      ...noteSuite('coverage', coverage, false),
      '</testsuites>',
      '',
    ].join('\n');
  }
}

function totals(calls: readonly ReportedCall[], noted = 0, failed = 0): string {
  const count = (status: ReportedCall['status']) => countOfStatus(calls, status);
  return [
    ` tests="${calls.length + noted}"`,
    ` failures="${count('failed') + failed}"`,
    ` errors="${count('errored')}"`,
    ` skipped="${count('skipped')}"`,
  ].join('');
}

function suiteOf(name: string, calls: readonly ReportedCall[]): string {
  const time = seconds(calls.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const timestamp = calls[0]?.startedAt.replace(/\.\d+Z$/, '') ?? '';
  return [
    `  <testsuite name="${xml(name)}"${totals(calls)} time="${time}" timestamp="${timestamp}">`,
    ...calls.map((call) => caseOf(name, call)),
    '  </testsuite>',
  ].join('\n');
}

function caseOf(
  suite: string,
  { name, status, durationMs, reasons, file, line, said }: ReportedCall,
): string {
  const open = `    <testcase name="${xml(name)}" classname="${xml(suite)}" file="${xml(file)}" line="${line}" time="${seconds(durationMs)}"`;
  if (status === 'passed') return `${open}/>`;
  const message = xml(reasons.map(({ sentence }) => sentence).join(' '));
  if (status === 'skipped') {
    return `${open}>\n      <skipped message="${message}"/>\n    </testcase>`;
  }
  const tag = status === 'failed' ? 'failure' : 'error';
  const body = reasons.map((reason) => {
    const texts = comparedTexts(reason);
    if (texts === undefined) return reason.sentence;
    const [expected, actual] = [texts.expected, texts.actual].map((text) =>
      text.slice(0, maxChars),
    );
    return `${reason.sentence}\nExpected:\n${expected}\nActual:\n${actual}`;
  });
  const out = said === undefined ? '' : `\n      <system-out>${xml(said)}</system-out>`;
  return `${open}>\n      <${tag} message="${message}">${xml(body.join('\n'))}</${tag}>${out}\n    </testcase>`;
}

/** Puts lines about the run into a suite of their own; returns nothing without lines. */
function noteSuite(name: string, lines: readonly string[], isFailure: boolean): readonly string[] {
  if (lines.length === 0) return [];
  const cases = lines.map((line) => {
    const inner = isFailure
      ? `<failure message="${xml(line)}"/>`
      : `<system-out>${xml(line)}</system-out>`;
    return `    <testcase name="${xml(line)}" classname="${name}" time="0.000">\n      ${inner}\n    </testcase>`;
  });
  const failures = isFailure ? lines.length : 0;
  return [
    `  <testsuite name="${name}" tests="${lines.length}" failures="${failures}" errors="0" skipped="0" time="0.000">`,
    ...cases,
    '  </testsuite>',
  ];
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

/** Escapes text for XML. `visibleText` has escaped the characters that XML 1.0 cannot hold. */
function xml(text: string): string {
  const shown = text
    .split('\n')
    .map((line) => visibleText(line, maxChars))
    .join('\n');
  const escaped = shown
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  return withoutCommands(escaped, xmlEscape);
}
