import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { CliOutput } from '../../src/cli/cliOutput';
import { redactedResult } from '../../src/cli/redactedResult';
import { GithubReporter } from '../../src/cli/reporters/githubReporter';
import { JsonReporter } from '../../src/cli/reporters/jsonReporter';
import { JunitReporter } from '../../src/cli/reporters/junitReporter';
import {
  redactedCall,
  type ReportedCall,
  type Reporter,
  type RunSummary,
} from '../../src/cli/reporters/report';
import { SpecReporter } from '../../src/cli/reporters/specReporter';
import { TapReporter } from '../../src/cli/reporters/tapReporter';
import { exactJson } from '../../src/core/json/layOutJson';
import { parseFollowedJson } from '../../src/core/json/parseJson';
import { isObject } from '../../src/core/json/shapes';
import { recordedLine } from '../../src/core/recording/recordedLine';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { checkJunit } from './junitForm';

/** What a run with these secrets writes: its report, and what it tells. */
class Written {
  readonly secrets = new SecretValues();
  stdout = '';
  stderr = '';
  readonly output = new CliOutput(
    {
      stdout: { write: (text: string) => (this.stdout += text) },
      stderr: { write: (text: string) => (this.stderr += text) },
    },
    this.secrets,
    {},
  );

  constructor(...secrets: readonly string[]) {
    for (const secret of secrets) this.secrets.add(secret);
  }

  report(reporter: Reporter, { calls, ...rest }: RunSummary): string {
    const known = calls.map((call) => redactedCall(call, this.output.redact));
    const texts = [
      reporter.begin?.() ?? '',
      ...known.map((call) => reporter.call(call)),
      reporter.end({
        ...rest,
        calls: known,
        differences: rest.differences.map(this.output.redact),
        coverage: (rest.coverage ?? []).map((each) => ({
          ...each,
          server: this.output.redact(each.server),
          uncalled: each.uncalled.map(this.output.redact),
        })),
        findings: rest.findings.map(this.output.redact),
      }),
    ];
    for (const text of texts) {
      if (reporter.form === 'json') this.output.reportJson(text);
      else if (reporter.form === 'commands') this.output.reportCommands(text);
      else this.output.report(text);
    }
    return this.stdout;
  }
}

function resultOf(text: string): object {
  const value = parseFollowedJson(text);
  assert.ok(isObject(value));
  return value;
}

const reporters = {
  spec: () => new SpecReporter((_, text) => text),
  tap: () => new TapReporter(),
  junit: () => new JunitReporter(),
  json: () => new JsonReporter(),
};
/** Its lines are commands, all of them ours. */
const github = () => new GithubReporter('');
const callOf = (text: string): ReportedCall => ({
  file: text,
  line: 12345,
  environment: text,
  name: text,
  server: text,
  tool: text,
  status: 'failed',
  startedAt: '2026-01-02T03:04:05.678Z',
  durationMs: 12345,
  said: `${text}\n${text}`,
  reasons: [
    {
      sentence: text,
      place: `/values/${text}`,
      expected: `${text}\n${text}\nx`,
      actual: `${text}\ny\n${text}`,
    },
    { sentence: `${text} ${text}` },
  ],
});
const summaryOf = (text: string): RunSummary => ({
  calls: [
    callOf(text),
    { ...callOf(text), status: 'skipped' },
    { ...callOf(text), status: 'passed', reasons: [] },
  ],
  differences: [text],
  durationMs: 12345,
  ending: 'bailed',
  coverage: [{ server: text, offered: 12345, called: 1, uncalled: [text, text] }],
  findings: [text],
  isStrict: false,
});

/** Everything that reports and answers are made of, and values that tear JSON, XML and YAML apart. */
const made = [
  ...'version passed failed errored skipped durationMs lockDifferences calls file line environment name status reasons sentence expected actual'.split(
    ' ',
  ),
  ...'testsuites testsuite testcase classname failure message tests failures encoding 1.0" UTF-8 <?xml version= time= 12.345 &quot; &amp;'.split(
    ' ',
  ),
  ...'TAP version 14 duration_ms severity not ok ok 1 - 1..3 --- ... fail SKIP'.split(' '),
  ...'content structuredContent isError type text true false null image 12345 12345678 1.50 _meta jsonrpc method result params tools/call 2.0'.split(
    ' ',
  ),
  '": "',
  '",\n',
  '{\n  ',
  '</',
  '"/>',
  '    ',
  '\\u00',
  '":',
  '}}',
  '[]',
  '123456789012',
];
const secret = fc.oneof(fc.constantFrom(...made), fc.string({ minLength: 1, maxLength: 12 }));

/** A line as the runner of GitHub Actions reads it (actions/runner, `ActionCommand.TryParseV2`). */
function annotationOf(line: string) {
  const [, kind = '', rest = ''] = /^::(\w+) (.*)$/.exec(line) ?? assert.fail(line);
  const end = rest.indexOf('::');
  assert.notEqual(end, -1, line);
  const unescaped = (text: string) =>
    decodeURIComponent(text.replaceAll(/%(?![0-9A-F]{2})/g, '%25'));
  const properties = Object.fromEntries(
    rest
      .slice(0, end)
      .split(',')
      .map((pair) => {
        const at = pair.indexOf('=');
        return [pair.slice(0, at), unescaped(pair.slice(at + 1))];
      }),
  );
  return { kind, properties, message: unescaped(rest.slice(end + 2)) };
}

describe('Machine-readable output of the command line', () => {
  it('is a complete report, whatever is secret', () => {
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 6 }), (secrets) => {
        const summary = summaryOf(`a ${secrets.join(' ')} z`);
        const json = JSON.parse(new Written(...secrets).report(reporters.json(), summary));
        assert.deepEqual(Object.keys(json), [
          'version',
          'passed',
          'failed',
          'errored',
          'skipped',
          'durationMs',
          'bailed',
          'lockDifferences',
          'findings',
          'coverage',
          'calls',
        ]);
        assert.deepEqual(
          json.calls.map(({ status, line, durationMs }: ReportedCall) => [
            status,
            line,
            durationMs,
          ]),
          [
            ['failed', 12345, 12345],
            ['skipped', 12345, 12345],
            ['passed', 12345, 12345],
          ],
        );
        assert.deepEqual(Object.keys(json.calls[0].reasons[0]), [
          'sentence',
          'place',
          'expected',
          'actual',
        ]);
        const cases = checkJunit(new Written(...secrets).report(reporters.junit(), summary));
        assert.deepEqual(
          cases.map(({ children, attributes }) => [children[0]?.name, attributes['time']]),
          [
            ['failure', '12.345'],
            ['skipped', '12.345'],
            [undefined, '12.345'],
            ['failure', '0.000'],
            ['system-out', '0.000'],
            ['system-out', '0.000'],
          ],
        );
        const tap = new Written(...secrets).report(reporters.tap(), summary).split('\n');
        assert.equal(tap[0], 'TAP version 14');
        assert.equal(tap.at(-2), '1..3');
        assert.deepEqual(tap.filter((line) => /^(?:not )?ok \d - /.test(line)).length, 3);
        assert.equal(tap.filter((line) => line === '  duration_ms: 12345').length, 3);
        for (const line of tap) {
          const [, yaml] =
            /^ +(?:- )?(?:message|at|server|tool|place|expected|actual): (.*)$/.exec(line) ?? [];
          if (yaml !== undefined) JSON.parse(yaml);
        }
        assert.equal(tap.filter((line) => /^ {4}- place: "/.test(line)).length, 1);
        const annotations = new Written(...secrets).report(github(), summary).split('\n');
        assert.deepEqual(annotations.pop(), '');
        assert.deepEqual(
          annotations.map((line) => {
            const { kind, properties } = annotationOf(line);
            return [kind, properties['line'] ?? properties['title']];
          }),
          [
            ['error', '12345'],
            ['warning', '12345'],
            ['error', 'Lock file'],
            ['warning', 'Finding'],
            ['warning', 'toolgate'],
            ['notice', 'Coverage'],
            ['notice', 'toolgate'],
          ],
        );
        const spec = new Written(...secrets).report(reporters.spec(), summary);
        assert.match(spec, /^1 passed, 1 failed, 1 skipped \(12345 ms\)$/m);
        // What is secret stands in none of them.
        const long = secrets.filter((each) => /^\w{8,}$/.test(each) && !made.includes(each));
        for (const each of long) assert.ok(!JSON.stringify(json).includes(each), each);
      }),
      { numRuns: 300 },
    );
  });

  it('is a complete answer, whatever is secret', () => {
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 6 }), (secrets) => {
        const { output } = new Written(...secrets);
        const free = Object.fromEntries(secrets.map((each, index) => [each, index]));
        const text = JSON.stringify({
          content: [{ type: 'text', text: secrets.join(' ') }],
          structuredContent: { ...free, n: 12345678, list: [12345, true, null] },
          isError: false,
        });
        const shown = JSON.parse(exactJson(redactedResult(resultOf(text), output.redact), 2) ?? '');
        assert.deepEqual(Object.keys(shown), ['content', 'structuredContent', 'isError']);
        assert.equal(shown.content[0].type, 'text');
        assert.equal(typeof shown.content[0].text, 'string');
        assert.equal(shown.isError, false);
        const own = JSON.parse(text).structuredContent;
        assert.equal(Object.keys(shown.structuredContent).length, Object.keys(own).length);
        const isNumber = secrets.some((each) => each.length >= 4 && '12345678'.includes(each));
        if (!isNumber) assert.equal(shown.structuredContent.n, 12345678);
      }),
      { numRuns: 300 },
    );
  });

  it('has a secret number as a text, and other numbers as received', () => {
    const text = '{"content":[],"structuredContent":{"pin":24682468,"other":1.50,"e":1e400}}';
    const { output } = new Written('24682468');
    assert.equal(
      exactJson(redactedResult(resultOf(text), output.redact)),
      text.replace('24682468', '"(secret)"'),
    );
  });

  it('has valid messages in a recording, whatever is secret', () => {
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 6 }), (secrets) => {
        const { output } = new Written(...secrets);
        const message = {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'a', arguments: { a: secrets.join(' ') } },
        };
        const record = { at: 1, server: 'a', to: 'server', message } as const;
        const { message: shown } = JSON.parse(recordedLine(record, output.redact, []));
        assert.deepEqual(
          [Object.keys(shown), shown.jsonrpc, shown.method, Object.keys(shown.params)],
          [Object.keys(message), '2.0', 'tools/call', ['name', 'arguments']],
        );
      }),
      { numRuns: 200 },
    );
  });
});

const commands = [
  '::error::x',
  '  ::set-output name=a::b',
  '\u00a0\u3000::warning::x',
  ':::error::x',
  '##vso[task.setvariable variable=a]b',
  'x ##vso[task.complete]',
  '##teamcity[buildStop]',
  '##TeamCity[buildStop]',
  '##[error]x',
  '###[error]x',
  '\u001b[31m::error::x',
  '--- a group',
  '+++ an open group',
  '~~~ a quiet group',
  '^^^ +++',
  'section_start:1:a\r\u001b[0Kb',
  '\u001b]1338;url=http://a.test/b.png\u0007',
];
/** A line that GitHub Actions, Azure Pipelines, TeamCity, Buildkite or GitLab obeys. */
const obeyed =
  // oxlint-disable-next-line no-control-regex -- colours may stand before it
  /^\s*(?:\u001b\[\d+m)*::|##(?:\[|\w+\[)|^(?:---|\+\+\+|~~~|\^\^\^) |\r\u001b\[0K|\u001b\]/m;

describe('A CI runner', () => {
  it('gets the annotations of a github report, and no command from its content', () => {
    for (const command of [...commands, '%0A::error::x', 'a,line=1::x', '::stop-commands::x']) {
      const all = [command, `a\n${command}`, `a\r\n${command}`, `a\u2028${command}`];
      for (const text of all) {
        const written = new Written().report(github(), summaryOf(text));
        const lines = written.trimEnd().split('\n');
        assert.equal(lines.length, 7, written);
        assert.doesNotMatch(written, /\r|##(?:\[|\w+\[)/);
        const { kind, properties, message } = annotationOf(lines[0] ?? '');
        assert.deepEqual([kind, Object.keys(properties)], ['error', ['file', 'line', 'title']]);
        assert.equal(properties['line'], '12345');
        // Neither a part of the form nor of the text is lost.
        const letters = (shown: string) => shown.replaceAll(/\\u\{\w+\}|\\r|%0D|[^a-z]/g, '');
        assert.ok(letters(message).includes(letters(text)), message);
      }
    }
  });

  for (const [name, make] of Object.entries(reporters)) {
    it(`gets no command from a ${name} report`, () => {
      for (const command of commands) {
        const all = [command, `a\n${command}`, `a\r\n${command}`, `a\u2028${command}`];
        for (const text of all) {
          const written = new Written().report(make(), summaryOf(text));
          assert.doesNotMatch(written, obeyed, JSON.stringify(text));
          for (const line of written.split('\n')) {
            assert.ok(!line.trim().startsWith(text.trim()), line);
          }
        }
      }
    });
  }

  it('gets an answer of many line separators, which are no commands', async () => {
    const text = '\u2028'.repeat(1_000_000);
    const written = new Written();
    await written.output.reportJsonPieces([JSON.stringify(text), JSON.stringify('\u2028::x')]);
    assert.equal(written.stdout, `"${text}""\u2028\\u003a:x"\n`);
  });

  it('reads the same values as any other reader', () => {
    // oxlint-disable-next-line no-control-regex -- those are written as escapes
    for (const command of commands.filter((each) => !/[\u0000-\u001f]/.test(each))) {
      const text = `a\n${command}`;
      const json = JSON.parse(new Written().report(reporters.json(), summaryOf(text)));
      assert.equal(json.calls[0].reasons[0].sentence, text);
      const [first] = checkJunit(new Written().report(reporters.junit(), summaryOf(command)));
      assert.ok(first?.attributes['name']?.endsWith(command.trim().replace(/^\W*?(?=:|#)/, '')));
    }
  });

  it('gets no command from messages', () => {
    for (const command of commands) {
      const written = new Written();
      written.output.notify(command);
      written.output.notify(`a\n${command}`);
      assert.doesNotMatch(written.stderr, obeyed, command);
      for (const line of written.stderr.trimEnd().split('\n')) assert.match(line, /^toolgate: /);
    }
  });
});
