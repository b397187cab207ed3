import { visibleText } from '../../core/visibleText';
import { withoutCommands, xmlEscape } from '../runnerCommands';
import { countOfStatus, type ReportedCall, type Reporter, type RunSummary } from './report';

const maxChars = 10_000;

/** JUnit's XML as pipelines read it: a suite for each file, a case for each call. */
export class JunitReporter implements Reporter {
  call(): string {
    return '';
  }

  end({ calls, differences, durationMs }: RunSummary): string {
    const suites = new Map<string, ReportedCall[]>();
    for (const call of calls) {
      const { file, environment } = call;
      const name = environment === undefined ? file : `${file} [${environment}]`;
      suites.set(name, [...(suites.get(name) ?? []), call]);
    }
    const locked = differences.length === 0 ? [] : [lockSuite(differences)];
    const all = [...suites].map(([name, own]) => suiteOf(name, own));
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites${totals(calls, differences.length)} time="${seconds(durationMs)}">`,
      ...all,
      ...locked,
      '</testsuites>',
      '',
    ].join('\n');
  }
}

function totals(calls: readonly ReportedCall[], more = 0): string {
  const count = (status: ReportedCall['status']) => countOfStatus(calls, status);
  return [
    ` tests="${calls.length + more}"`,
    ` failures="${count('failed') + more}"`,
    ` errors="${count('errored')}"`,
    ` skipped="${count('skipped')}"`,
  ].join('');
}

function suiteOf(name: string, calls: readonly ReportedCall[]): string {
  const time = seconds(calls.reduce((sum, { durationMs }) => sum + durationMs, 0));
  return [
    `  <testsuite name="${xml(name)}"${totals(calls)} time="${time}">`,
    ...calls.map((call) => caseOf(name, call)),
    '  </testsuite>',
  ].join('\n');
}

function caseOf(suite: string, { name, status, durationMs, reasons, file, line }: ReportedCall) {
  const open = `    <testcase name="${xml(name)}" classname="${xml(suite)}" file="${xml(file)}" line="${line}" time="${seconds(durationMs)}"`;
  if (status === 'passed') return `${open}/>`;
  const message = xml(reasons.map(({ sentence }) => sentence).join(' '));
  if (status === 'skipped') {
    return `${open}>\n      <skipped message="${message}"/>\n    </testcase>`;
  }
  const tag = status === 'failed' ? 'failure' : 'error';
  const body = reasons.map(({ sentence, expected, actual }) =>
    expected === undefined || actual === undefined
      ? sentence
      : `${sentence}\nExpected:\n${expected.slice(0, maxChars)}\nActual:\n${actual.slice(0, maxChars)}`,
  );
  return `${open}>\n      <${tag} message="${message}">${xml(body.join('\n'))}</${tag}>\n    </testcase>`;
}

function lockSuite(differences: readonly string[]): string {
  const count = differences.length;
  const cases = differences.map(
    (text) =>
      `    <testcase name="${xml(text)}" classname="lock file" time="0.000">\n      <failure message="${xml(text)}"/>\n    </testcase>`,
  );
  return [
    `  <testsuite name="lock file" tests="${count}" failures="${count}" errors="0" skipped="0" time="0.000">`,
    ...cases,
    '  </testsuite>',
  ].join('\n');
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

/** Without the characters that XML 1.0 cannot hold at all: `visibleText` writes them as escapes. */
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
