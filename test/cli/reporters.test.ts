import assert from 'node:assert/strict';
import { failureReason } from '../../src/cli/failureMessages';
import { CliOutput } from '../../src/cli/cliOutput';
import { JunitReporter } from '../../src/cli/reporters/junitReporter';
import { JsonReporter } from '../../src/cli/reporters/jsonReporter';
import {
  endingLines,
  redactedCall,
  type ReportedCall,
  type Reporter,
} from '../../src/cli/reporters/report';
import { SpecReporter, textDifference } from '../../src/cli/reporters/specReporter';
import { TapReporter } from '../../src/cli/reporters/tapReporter';
import type { ExpectationFailure } from '../../src/core/callFiles/expectations';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { checkJunit } from './junitForm';

const escape = '\u001b';
const startedAt = '2026-01-02T03:04:05.678Z';
const hostile = 'a<b>&"\'#\u0000\u001b[31m\u202e]]>';
const calls: readonly ReportedCall[] = [
  {
    file: 'a.mcpcall',
    line: 3,
    name: 'good',
    status: 'passed',
    startedAt,
    durationMs: 1_234,
    reasons: [],
  },
  {
    file: 'a.mcpcall',
    line: 9,
    name: hostile,
    status: 'failed',
    startedAt,
    durationMs: 5,
    reasons: [
      { sentence: `Expected ${hostile}.` },
      {
        sentence: 'The result differs from the expected one.',
        expected: 'one\n<two>\n',
        actual: 'one\n&\u0007\n',
      },
    ],
  },
  {
    file: 'a.mcpcall',
    line: 12,
    environment: 'staging',
    name: 'gone',
    status: 'errored',
    startedAt,
    durationMs: 0,
    reasons: [{ sentence: 'Server "x" did not start.' }],
  },
  {
    file: 'b.mcpcall',
    line: 1,
    name: 'asked',
    status: 'skipped',
    startedAt,
    durationMs: 0,
    reasons: [{ sentence: 'Not called: no rule # allows it.' }],
  },
];
const summary = {
  calls,
  differences: ['demo/x: it is not in the lock file.'],
  durationMs: 2_000,
  findings: ['Server "x" asked.'],
  isStrict: false,
};

function textOf(reporter: Reporter): string {
  const parts = calls.map((call) => reporter.call(call));
  return [reporter.begin?.() ?? '', ...parts, reporter.end(summary)].join('');
}

describe('Reports of a run', () => {
  it('show expected and actual values, also for an invalid schema', () => {
    const reasonOf = (code: ExpectationFailure['code'], detail: string) =>
      failureReason({ code, pointer: '/schema', detail }, (text) => text);
    const { sentence: _, ...unusable } = reasonOf('schemaUnusable', 'type must be a string');
    assert.deepEqual(unusable, {
      place: '/schema',
      expected: 'valid',
      actual: 'type must be a string',
    });
    const { sentence: __, ...absent } = reasonOf('noStructuredContent', '');
    assert.deepEqual(absent, { place: '/schema', expected: 'structured content' });
  });

  it('are complete after a cancelled run, and say so', () => {
    const end = { ...summary, ending: 'cancelled' } as const;
    const endOf = (reporter: Reporter) => reporter.end(end);
    assert.equal(JSON.parse(endOf(new JsonReporter())).cancelled, true);
    assert.equal(checkJunit(endOf(new JunitReporter())).length, 6);
    for (const reporter of [new TapReporter(), new SpecReporter((_, text) => text)])
      assert.ok(endOf(reporter).includes(endingLines(end).join()));
    assert.match(endOf(new TapReporter()), /^1\.\.0$/m);
  });

  it('are valid JUnit, whatever they contain', () => {
    const cases = checkJunit(textOf(new JunitReporter()));
    assert.deepEqual(
      cases.map(({ attributes, children }) => [
        attributes['classname'],
        attributes['time'],
        children.map(({ name }) => name).join(' '),
      ]),
      [
        ['a.mcpcall', '1.234', ''],
        ['a.mcpcall', '0.005', 'failure'],
        ['a.mcpcall [staging]', '0.000', 'error'],
        ['b.mcpcall', '0.000', 'skipped'],
        ['lock file', '0.000', 'failure'],
        ['findings', '0.000', 'system-out'],
      ],
    );
    const strict = checkJunit(new JunitReporter().end({ ...summary, isStrict: true }));
    assert.equal(strict.at(-1)?.children[0]?.name, 'failure');
    const failure = cases[1]?.children[0]?.text ?? '';
    assert.match(failure, /Expected:\none\n<two>\n\nActual:\none\n&/);
  });

  it('are TAP 14: a plan at the end, and a block of facts after each line', () => {
    const lines = textOf(new TapReporter()).split('\n');
    assert.equal(lines[0], 'TAP version 14');
    assert.deepEqual(
      lines.filter((line) => /^(?:not )?ok/.test(line)).map((line) => line.slice(0, 30)),
      [
        'ok 1 - a.mcpcall: good',
        'not ok 2 - a.mcpcall: a<b>&"\'\\',
        'not ok 3 - a.mcpcall: gone [st',
        'ok 4 - b.mcpcall: asked # SKIP',
      ],
    );
    assert.deepEqual(lines.slice(-2), ['1..4', '']);
    const known =
      /^(?:TAP version 14|(?:not )?ok \d+ - .+|1\.\.4|# .+| {2}(?:---|\.\.\.|\w+: .+)|)$/;
    assert.deepEqual(
      lines.filter((line) => !known.test(line)),
      [],
    );
  });

  it('show where two answers differ, with colors on a terminal only', () => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const stream = (isTTY: boolean) => ({ stdout: { write, isTTY }, stderr: { write } });
    const reportOn = (isTTY: boolean, env: Readonly<Record<string, string>> = {}): string => {
      const output = new CliOutput(stream(isTTY), new SecretValues(), env);
      return textOf(new SpecReporter(output.paint));
    };
    const plain = reportOn(false);
    for (const hidden of [escape, '\0', '\u202e']) assert.ok(!plain.includes(hidden));
    assert.match(plain, /^ {8} {2}one\n {8}- <two>\n {8}\+ &/m);
    assert.match(plain, /^1 passed, 1 failed, 1 errored, 1 skipped \(2000 ms\)$/m);
    const off = [{ NO_COLOR: '1' }, { TERM: 'dumb' }, { FORCE_COLOR: '0' }];
    for (const env of off) assert.equal(reportOn(true, env), plain, JSON.stringify(env));
    const coloured = reportOn(true);
    for (const env of [{ NO_COLOR: '' }, { TERM: 'xterm' }]) {
      assert.equal(reportOn(true, env), coloured, JSON.stringify(env));
    }
    assert.equal(reportOn(false, { FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' }), coloured);
    assert.ok(coloured.includes(`${escape}[32m✓${escape}[0m good`));
    assert.equal(
      coloured
        .split(escape)
        .map((part, index) => (index === 0 ? part : part.replace(/^\[\d+m/, '')))
        .join(''),
      plain,
    );
  });

  it('contain no secret', () => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const secrets = new SecretValues();
    secrets.add('very-secret');
    const output = new CliOutput({ stdout: { write }, stderr: { write } }, secrets, {});
    const reasons = [
      { sentence: 'is very-secret', expected: 'very-secret', actual: 'very-secret' },
    ];
    const reported = {
      file: 'very-secret',
      line: 1,
      name: 'very-secret',
      startedAt,
      durationMs: 0,
    };
    const environment = 'very-secret';
    const call = { ...reported, environment, reasons, status: 'failed' } as const;
    assert.doesNotMatch(JSON.stringify(redactedCall(call, output.redact)), /very/);
    output.notify('and very-secret there');
    assert.deepEqual(written, ['toolgate: and (secret) there\n']);
  });
});

describe('The difference of two texts', () => {
  it('is the part between the common beginning and end, and is bounded', () => {
    assert.deepEqual(textDifference('a\nb\nc\nd\n', 'a\nb\nX\nd\n'), [
      '  a',
      '  b',
      '- c',
      '+ X',
      '  d',
    ]);
    assert.deepEqual(textDifference('a\na\n', 'a\n'), ['  a', '- a']);
    assert.deepEqual(textDifference('', 'x'), ['- ', '+ x']);
    const many = Array.from({ length: 1_000 }, (_, index) => String(index)).join('\n');
    assert.equal(textDifference(many, 'x').length, 32);
  });
});
