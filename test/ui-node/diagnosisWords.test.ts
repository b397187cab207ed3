import assert from 'node:assert/strict';
import { McpError } from '../../src/core/errors';
import type { TlsErrorKind } from '../../src/core/http/probeHttp';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import type { Step, StepFact } from '../../src/host/diagnosis/steps';
import { diagnosisText } from '../../src/ui/diagnosis/formatDiagnosis';

const config: ServerConfig = {
  id: 'a',
  label: 'a `b`',
  source: { kind: 'setting' },
  transport: { kind: 'http', url: 'https://mcp.example', headers: {} },
};

function textOf(step: Partial<Step> & Pick<Step, 'name'>): string {
  return diagnosisText(config, [{ state: 'failed', facts: [], ...step }], ['Toolgate 1.2.3']);
}

describe('The document of a diagnosis', () => {
  const hostile = '[x](command:y) `z` <b>\u202E\n# heading';
  const certificate = {
    subject: hostile,
    issuer: hostile,
    validFrom: 'Jan  1 2020',
    validTo: 'Jan  1 2021',
    names: hostile,
  };
  const fixes: Record<TlsErrorKind, RegExp> = {
    selfSigned: /self-signed.* trust it on this machine/,
    unknownIssuer: /does not trust the issuer.* whole chain/,
    expired: /has expired.* clock/,
    notYetValid: /not valid yet.* clock/,
    wrongHost: /certificate is for `.*`, not `mcp\.example`\. Correct "url"/,
    notTls: /does not use TLS.*"http:\/\/"/,
    other: /no secure connection.* TLS versions/,
  };

  for (const trouble of ['selfSigned', 'unknownIssuer', 'expired', 'notYetValid'] as const) {
    it(`shows the certificate, and what to do about it: ${trouble}`, () => {
      const fact: StepFact = { kind: 'tlsTrouble', trouble, host: 'mcp.example', certificate };
      const error = new McpError('tlsError', { detail: 'what Node says' });
      const text = textOf({ name: 'tls', facts: [fact], error });
      assert.match(text, /- Fix: .*Details: `what Node says`/);
      assert.match(text, fixes[trouble]);
      assert.match(text, /- Valid from `Jan {2}1 2020` to `Jan {2}1 2021`\./);
    });
  }

  for (const trouble of ['wrongHost', 'notTls', 'other'] as const) {
    it(`says what to do about TLS, with or without a certificate: ${trouble}`, () => {
      const bare: StepFact = { kind: 'tlsTrouble', trouble, host: 'mcp.example' };
      for (const fact of [bare, { ...bare, certificate }]) {
        const text = textOf({ name: 'tls', facts: [fact], error: new McpError('tlsError') });
        assert.match(text, fixes[trouble]);
      }
    });
  }

  for (const [what, fact, fix] of [
    [
      'is not there',
      { kind: 'proxy', address: 'p:1' },
      /- `p:1`\n- Fix: the proxy cannot be reached/,
    ],
    [
      'wants a sign-in',
      { kind: 'proxy', address: 'p:1', status: 407 },
      /407\.\n- Fix: .*requires a login/,
    ],
    ['refuses', { kind: 'proxy', address: 'p:1', status: 403 }, /403\.\n- Fix: .*"http\.noProxy"/],
  ] as const) {
    it(`says what to do about a proxy that ${what}`, () => {
      const text = textOf({ name: 'proxy', facts: [fact], error: new McpError('unreachable') });
      assert.match(text, fix);
      assert.match(text, /First failed step: Proxy\./);
    });
  }

  it('contains text from outside only as code', () => {
    const facts: StepFact[] = [
      { kind: 'tlsTrouble', trouble: 'wrongHost', host: hostile, certificate },
      { kind: 'stderr', lines: 1, last: [hostile] },
      { kind: 'garbage', lines: 1, first: hostile },
      { kind: 'server', name: hostile, revision: '2025-11-25' },
      { kind: 'text', text: hostile },
      { kind: 'names', names: [hostile] },
      { kind: 'address', host: hostile, ip: hostile },
      { kind: 'proxy', address: hostile },
    ];
    const text = textOf({
      name: 'tls',
      facts,
      error: new McpError('tlsError', { detail: hostile }),
    });
    // Nothing is left of it when everything that is code is taken out.
    assert.doesNotMatch(text.replaceAll(/`[^`\n]*`/g, ''), /command:|<b>|\u202E|heading/u);
    assert.match(text, /^# Diagnosis of server `a 'b'`$/m);
  });

  it('says that everything works only if it does', () => {
    const passed: Step = { name: 'configuration', state: 'passed', facts: [] };
    const works = /^Everything works\. No tool was called\.$/m;
    assert.match(diagnosisText(config, [passed], []), works);
    for (const steps of [[], [passed, { ...passed, state: 'waiting' } as const]]) {
      assert.doesNotMatch(diagnosisText(config, steps, []), works);
      assert.match(diagnosisText(config, steps, []), /^Diagnosing…/m);
    }
  });

  it('does not say that everything works if some schemas were not checked', () => {
    const textAfter = (schemas: number): string => {
      const fact: StepFact = { kind: 'schemas', schemas, total: 1_500, broken: [] };
      return diagnosisText(config, [{ name: 'schemas', state: 'passed', facts: [fact] }], []);
    };
    const partly = textAfter(503);
    assert.doesNotMatch(partly, /Everything works/);
    assert.match(partly, /^No failure was found, but not all schemas were checked\./m);
    assert.match(partly, /^- Schemas: 503 of 1500 checked\.$/m);
    assert.match(textAfter(1_500), /^Everything works\.[^]*^- Schemas: 1500\.$/m);
  });

  it('has a time for steps that took one, and no characters that an editor would mark', () => {
    const passed: Step = { name: 'program', state: 'passed', facts: [], durationMs: 7 };
    const known: Step = { name: 'process', state: 'passed', facts: [] };
    const text = diagnosisText(config, [passed, known, { ...known, state: 'skipped' }], []);
    assert.match(text, /^## ✓ Pass: Program found \(7 ms\)$/m);
    assert.match(text, /^## ✓ Pass: Process runs$/m);
    assert.match(text, /^## Skipped: Process runs$/m);
    const stderr: StepFact = { kind: 'stderr', lines: 9, last: ['one', 'two'] };
    assert.match(
      textOf({ name: 'process', facts: [stderr] }),
      /^- Last of 9 stderr lines:\n {2}- `one`\n {2}- `two`\n- /m,
    );
  });

  it('says which step was cancelled, and that nothing is open', () => {
    const text = textOf({ name: 'handshake', error: new McpError('cancelled') });
    assert.match(text, /- Cancelled\./);
    assert.doesNotMatch(text, /Diagnosing…/);
  });
});
