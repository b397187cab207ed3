import assert from 'node:assert/strict';
import { assessUrl } from '../../src/core/input/elicitationUrl';

/** Host, refusal and warnings in one line. */
function picture(url: string): string {
  const { host, unicodeHost, refusal, warnings } = assessUrl(url);
  return [host, unicodeHost, refusal === undefined ? undefined : `NO ${refusal}`, ...warnings]
    .filter((part) => part !== undefined)
    .join(' ');
}

const addressOf = (length: number) => `https://example.org/${'x'.repeat(length - 20)}`;

describe('The URL of a web page that a server asks for', () => {
  it('is accepted with https, whatever its path and query are', () => {
    assert.deepEqual(
      ['https://example.org', 'https://a.example.org/x?next=http%3A%2F%2Fb#c@d'].map(picture),
      ['example.org', 'a.example.org'],
    );
  });

  it('is refused with any other scheme, except http on this machine', () => {
    const urls = ['http://example.org', 'ftp://a.org', 'file:///etc/passwd', 'command:x.y'];
    assert.deepEqual(
      [...urls, 'javascript:alert(1)', 'vscode://a.b/c', 'data:text/html,x'].map(
        (url) => assessUrl(url).refusal,
      ),
      Array.from({ length: 7 }, () => 'scheme'),
    );
    assert.deepEqual(
      [
        'http://localhost:3000/x',
        'http://127.0.0.1:1',
        'http://[::1]/',
        'http://a.localhost',
        'http://2130706433/',
        'http://localhost.example.org',
        'http://127.0.0.1.example.org',
      ].map(picture),
      [
        'localhost:3000 loopback',
        '127.0.0.1:1 loopback',
        '[::1] loopback',
        'a.localhost loopback',
        '127.0.0.1 loopback rewritten',
        'localhost.example.org NO scheme',
        '127.0.0.1.example.org NO scheme',
      ],
    );
  });

  it('is refused with a user name, which makes another host look like the target', () => {
    assert.deepEqual(
      ['https://github.com@evil.example/', 'https://a:b@evil.example', 'https://:b@e.org'].map(
        picture,
      ),
      ['evil.example NO userInfo', 'evil.example NO userInfo', 'e.org NO userInfo'],
    );
  });

  it('is refused if it is unreadable', () => {
    assert.deepEqual([addressOf(2_000), addressOf(2_001)].map(picture), [
      'example.org',
      'example.org NO tooLong',
    ]);
  });

  it('is shown with look-alike letters, an unusual port and a bare number', () => {
    assert.deepEqual(
      [
        'https://xn--pple-43d.com/',
        'https://\u0430pple.com/',
        'https://example.org:443/',
        'https://example.org:8443/',
        'https://203.0.113.7/',
        'https://[2001:db8::1]/',
      ].map(picture),
      [
        'xn--pple-43d.com \u0430pple.com punycode',
        'xn--pple-43d.com \u0430pple.com punycode',
        'example.org',
        'example.org:8443 port',
        '203.0.113.7 ipAddress',
        '[2001:db8::1] ipAddress',
      ],
    );
  });

  it('has a warning if a browser reads it differently', () => {
    assert.deepEqual(
      [
        'https:\\\\example.org\\a',
        'https://exa\tmple.org',
        'https://example.org/\u202E',
        'https:example.org',
        'https://0xCB007107/',
        'https://EXAMPLE.org/',
      ].map(picture),
      [
        'example.org rewritten',
        'example.org rewritten',
        'example.org rewritten',
        'example.org rewritten',
        '203.0.113.7 ipAddress rewritten',
        'example.org',
      ],
    );
  });

  it('has a warning if a browser converts the letters of its host', () => {
    const hosts = [
      'evil\u3002test',
      'evil\uFF0Etest',
      'evil\uFF61test',
      'login.evil\u3002test:443',
      '\uFF45\uFF56\uFF49\uFF4C.test',
      'evil.\uFF54est',
      '\u2460\u2461\u2466.\u24EA.\u24EA.\u2460',
      '\u2461\u2460\u2462\u2460.test',
      '\u{1D41E}vil.test',
      '\u212Aey.test',
      '\u017Ftripe.test',
      '\u210Bost.test',
      '\uFB01le.test',
      '%65vil.test',
      '0x7f.1',
      'mu\u0308nchen.test',
      'm\u00DCnchen.test',
      '\u212Bngstrom.test',
    ];
    for (const host of hosts) {
      for (const rest of ['', '/', '/a?b#c', '?b', '#c']) {
        const { warnings } = assessUrl(`https://${host}${rest}`);
        assert.ok(warnings.includes('rewritten'), `${host}${rest}`);
      }
    }
    for (const host of ['m\u00FCnchen.test', 'M\u00FCnchen.Test', '\u65E5\u672C.test', 'a.test.']) {
      assert.ok(!assessUrl(`https://${host}/`).warnings.includes('rewritten'), host);
    }
  });

  it('is shown as the browser opens it, in visible ASCII', () => {
    assert.equal(
      assessUrl('https://\u0430pple.com/\u202Ea b?q=\u{1F600}').address,
      'https://xn--pple-43d.com/%E2%80%AEa%20b?q=%F0%9F%98%80',
    );
  });
});
