import assert from 'node:assert/strict';
import { assertNever } from '../../src/core/errors';
import { classifyLink } from '../../src/core/content/linkTarget';

const shown = (uri: string): string => {
  const target = classifyLink(uri);
  switch (target.kind) {
    case 'refused':
      return `refused ${target.reason}`;
    case 'file':
      return `file ${target.path}`;
    case 'web': {
      const { host, refusal, warnings } = target.assessment;
      const said = [
        ...(target.isPlain ? ['plain'] : []),
        ...warnings,
        ...(refusal ? [refusal] : []),
      ];
      return ['web', host, ...said].join(' ');
    }
    case 'server':
      return 'server';
    default:
      return assertNever(target);
  }
};

const cases: Record<string, readonly string[]> = {
  'refused runs': [
    'command:workbench.action.terminal.new',
    'COMMAND:x',
    ' command:x',
    'com\tmand:x',
    'java\nscript:alert(1)',
    '\u0000javascript:alert(1)',
    '\u200Bjavascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'javascript%3Aalert(1)',
    '%6Aavascript:alert(1)',
    '%256Aavascript:alert(1)',
    'ｊavascript:alert(1)',
    'vbscript:x',
  ],
  'refused editor': [
    'vscode:extension/evil',
    'vscode-insiders://evil.ext/run',
    'vscode-file://x',
    'VSCode-Remote://x',
    'vscodium://x',
    'code-oss://x',
    'cursor://x',
    'toolgate:/server/calls/x',
    'toolgate-arguments:/x',
    'ms-settings:privacy',
    'search-ms:query=x',
  ],
  'refused inline': ['data:text/html,<script>', 'DATA:x', 'blob:https://x/1', 'about:blank'],
  server: [
    'garden://pond',
    'git://example.com/repo.git',
    'git+ssh://example.com/repo.git',
    'demo://resource/1?x=command:y',
    'ftp://example.com/x',
    'mailto:a@example.com',
    'no scheme at all',
    '',
    '/etc/passwd',
    'commands:x',
    'https://example.com/a b',
    ' https://example.com/',
    'https://',
    // Other machines, and what is no path.
    'file://host/share/x',
    'file://host',
    'file:////host/share',
    'file:\\\\host\\share',
    'file:///%5C%5Chost/share',
    'file:///etc%2Fpasswd',
    'file:///a%00b',
    'file:///a%E2%80%AEb',
    'file:///a?x',
  ],
  'file /etc/passwd': [
    'file:///etc/passwd',
    'FILE:///etc/passwd',
    'file://localhost/etc/passwd',
    'file:///work/../etc/passwd',
    'file:///etc/%70asswd',
  ],
  'web example.com': ['https://example.com/a?b#c', 'HTTPS://example.com/a'],
  'web example.com plain': ['http://example.com/'],
  'web localhost:8080 loopback': ['http://localhost:8080/'],
  'web evil.example userInfo': ['https://good.example@evil.example/'],
  'web evil.example plain userInfo': ['http://good.example:pw@evil.example/'],
  'web xn--e1awd7f.com punycode': ['https://еріс.com/'],
  'web 10.0.0.1:99 plain port ipAddress': ['http://10.0.0.1:99/'],
  'web evil.example rewritten': ['https:\\\\evil.example\\good.example'],
};

describe('The target of a server’s link', () => {
  for (const [expected, uris] of Object.entries(cases)) {
    for (const uri of uris) {
      it(`${JSON.stringify(uri)}: ${expected}`, function () {
        if (expected.startsWith('file ') && process.platform === 'win32') return;
        assert.equal(shown(uri), expected);
      });
    }
  }

  it('is evaluated at any length', () => {
    assert.equal(classifyLink(`https://example.com/${'x'.repeat(1_000_000)}`).kind, 'server');
    assert.equal(classifyLink(`${' '.repeat(1_000)}command:x`).kind, 'refused');
  });
});
