import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import {
  matchesHost,
  parseHostPattern,
  type ConditionResult,
} from '../../src/host/consent/rules/hosts';
import { placeInWorkspace, candidatePaths } from '../../src/host/consent/rules/workspacePaths';

const patterns = (texts: readonly string[]) =>
  texts.map((text) => parseHostPattern(text) ?? assert.fail(text));
const good = patterns(['good.example', '*.good.example', '127.0.0.1']);

describe('A host that programs may read differently', () => {
  const verdicts: readonly (readonly [string, ConditionResult])[] = [
    // Plain web addresses.
    ['https://good.example/a,b;c(d)"e"?x=1#@y', 'yes'],
    ['wss://www.good.example:443/', 'yes'],
    ['https://evil.example/', 'no'],
    ['https://evil.example/?u=https://good.example/', 'no'],
    ['https://good.example/?u=https://evil.example/', 'yes'],
    // Other schemes say nothing about the web.
    ['file://good.example/etc/passwd', 'unclear'],
    ['gopher://good.example/', 'unclear'],
    ['ftp://good.example/', 'unclear'],
    ['git+ssh://good.example/', 'unclear'],
    ['gopher://GOOD.example./', 'unclear'],
    ['gopher://evil.example/', 'no'],
    // Where the host ends.
    ['https://good.example#@evil.example', 'unclear'],
    ['https://good.example?@evil.example/', 'unclear'],
    ['https://good.example#.evil.example/', 'unclear'],
    ['https://good.example?x\\@evil.example/', 'unclear'],
    ['https://evil.example#@good.example', 'unclear'],
    ['https://evil.example?@good.example', 'unclear'],
    ['https://good.example;@evil.example/', 'unclear'],
    ['https://good.example%2f@evil.example/', 'unclear'],
    ['https://good.example,evil.example/', 'unclear'],
    ['https://good.example&evil.example/', 'unclear'],
    ['https://.good.example/', 'unclear'],
    ['https://a..good.example/', 'unclear'],
    // In quotes, brackets and blanks.
    ['"https://good.example/"', 'unclear'],
    ["'https://good.example/'", 'unclear'],
    ['<https://good.example/>', 'unclear'],
    ['`https://good.example`', 'unclear'],
    ['(https://good.example)', 'unclear'],
    ['"good.example"', 'unclear'],
    ['"//good.example/x"', 'unclear'],
    ['\u00a0https://good.example\n', 'unclear'],
    ['"https://evil.example/"', 'no'],
    [' https://evil.example/ ', 'no'],
    // Several addresses.
    ['https://good.example/,https://evil.example/', 'unclear'],
    ['https://evil.example/,https://good.example/', 'unclear'],
    ['https://evil.example/|//good.example/', 'unclear'],
    ['https://evil.example/;\\\\good.example', 'unclear'],
    ['https://evil.example/ https://good.example/', 'unclear'],
    ['["https://evil.example/","https://good.example/"]', 'unclear'],
    ['{"url":"https://good.example/"}', 'unclear'],
    ['https://evil.example/,https://worse.example/', 'no'],
    // Addresses by numbers.
    ['http://127.0.0.1/', 'yes'],
    ['http://2130706433/', 'unclear'],
    ['http://0x7f000001/', 'unclear'],
    ['http://0177.0.0.1/', 'unclear'],
    ['http://127.1/', 'unclear'],
    ['http://127.0.0.1./', 'unclear'],
    ['http://[::ffff:127.0.0.1]/', 'unclear'],
    ['http://[::ffff:7f00:1]/', 'unclear'],
    ['http://[::7f00:1]/', 'unclear'],
    ['http://[64:ff9b::7f00:1]/', 'unclear'],
    ['http://[::1]/', 'no'],
    // Letters.
    ['https://GOOD.example/', 'yes'],
    ['https://good。example/', 'unclear'],
    ['https://ｇood.example/', 'unclear'],
    ['https://good.example\u200b/', 'unclear'],
    ['https://go\nod.example/', 'unclear'],
    ['https:\\\\good.example', 'unclear'],
    ['\\\\good.example', 'unclear'],
    ['/\\good.example', 'unclear'],
  ];
  for (const [text, verdict] of verdicts) {
    it(`is ${verdict} in ${JSON.stringify(text)}`, () => {
      assert.equal(matchesHost(text, good), verdict);
    });
  }

  it('as an IPv6 address equals its IPv4 address', () => {
    const mapped = patterns(['[::ffff:7f00:1]']);
    assert.equal(matchesHost('http://127.0.0.1/', mapped), 'unclear');
    assert.equal(matchesHost('http://127.0.0.2/', mapped), 'no');
  });

  it('is found in linear time, whatever the text repeats', () => {
    for (const piece of [')', '"', '.', ':', '"//', '\\', '@', ',//a', 'a.', '[', '?']) {
      for (const text of [
        piece.repeat(16_000 / piece.length),
        `a:${piece.repeat(8_000 / piece.length)}x`,
      ]) {
        matchesHost(text, good);
        matchesHost(`https://${text.slice(0, 16_000)}`, good);
      }
    }
  });

  /** How programs find a host in a text, each in its own way. */
  const readers: Readonly<Record<string, (text: string) => string | undefined>> = {
    whatwg: (text) => (URL.canParse(text) ? new URL(text).hostname : undefined),
    rfc3986: (text) => hostOf(/^[a-z][\w+.-]*:\/\/([^/?#]*)/i.exec(text)?.[1]),
    upToSlash: (text) => hostOf(/^[a-z][\w+.-]*:\/\/([^/]*)/i.exec(text)?.[1]),
    firstAt: (text) => /^[a-z][\w+.-]*:\/\/[^/@]*@([^/?#:@]*)/i.exec(text)?.[1],
    backslashes: (text) => readers.rfc3986?.(text.replaceAll('\\', '/')),
    lenient: (text) => readers.rfc3986?.(text.replaceAll(/[\s\p{Cc}\p{Cf}]/gu, '')),
    unquoted: (text) => readers.whatwg?.(text.replaceAll(/^["'<\s]+|["'>\s]+$/g, '')),
    anyAddress: (text) => readers.rfc3986?.(/["',;|\s<](https?:\/\/.*)$/is.exec(text)?.[1] ?? ''),
    withoutScheme: (text) =>
      /^[\w.-]+(?::\d|\/|$)/.test(text) ? hostOf(text.split('/')[0]) : undefined,
  };
  function hostOf(authority: string | undefined): string | undefined {
    return authority?.split('@').at(-1)?.split(/[?#]/).at(0)?.replace(/:\d*$/, '');
  }
  const isGood = (host: string): boolean => {
    const name = host.toLowerCase().replace(/\.$/, '');
    return name === 'good.example' || (name.endsWith('.good.example') && name !== '.good.example');
  };
  const piece = fc.constantFrom(
    'good.example',
    'evil.example',
    'www.good.example',
    'GOOD.EXAMPLE',
    'good',
    '.example',
    'https://',
    'http:',
    '//',
    '/',
    '\\',
    '@',
    ':',
    '#',
    '?',
    '.',
    ',',
    ';',
    '"',
    "'",
    '<',
    '>',
    '\t',
    '\n',
    ' ',
    '\u200b',
    '%2e',
    '%40',
    ':80',
    ':443',
    'user',
    'file://',
    'gopher://',
    '|',
  );
  const address = fc.array(piece, { maxLength: 4 }).map((more) => `https://${more.join('')}`);
  const text = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((all) => all.join('')),
    address,
  );

  it('is certain only if all readings agree, and none overlooks it', () => {
    const some = patterns(['good.example', '*.good.example']);
    fc.assert(
      fc.property(text, (given) => {
        const verdict = matchesHost(given, some);
        for (const [name, read] of Object.entries(readers)) {
          const host = read(given);
          if (host === undefined || host === '') continue;
          if (isGood(host)) assert.notEqual(verdict, 'no', `${name} reads ${host}`);
          else assert.notEqual(verdict, 'yes', `${name} reads ${host}`);
        }
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('A path that resolves differently in another process', () => {
  let root: string;
  let garden: string;
  const here = process.cwd();

  before(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-readings-')));
    garden = path.join(root, 'garden');
    mkdirSync(`${garden}/beds/rose`, { recursive: true });
    mkdirSync(`${root}/shed/tools`, { recursive: true });
    writeFileSync(`${garden}/plan.txt`, '');
    writeFileSync(`${root}/shed/key.txt`, '');
    symlinkSync('/proc/self/cwd', `${garden}/current`);
    symlinkSync('current', `${garden}/also`);
    symlinkSync('/dev/fd', `${garden}/open`);
    symlinkSync('../shed', `${garden}/out`);
    symlinkSync('../garden/beds', `${root}/shed/in`);
    symlinkSync('../../shed/tools', `${garden}/beds/deep`);
    symlinkSync('.', `${garden}/same`);
    process.chdir(garden);
  });
  after(() => {
    process.chdir(here);
    rmSync(root, { recursive: true, force: true });
  });

  it('is unclear, whatever it resolves to here', async () => {
    const { pid } = process;
    for (const given of [
      '/proc/self/cwd/plan.txt',
      '/proc/self/cwd',
      `/proc/${pid}/cwd/plan.txt`,
      `/proc/self/root${garden}/plan.txt`,
      `/proc/1/root${garden}/plan.txt`,
      `/proc/thread-self/cwd/plan.txt`,
      `/proc/self/task/${pid}/cwd/plan.txt`,
      '/proc/self/fd/0',
      '/dev/fd/3',
      '/dev/fd/../fd/3',
      '/dev/stdin',
      '/dev/stdout',
      '/dev/tty',
      '/PROC/self/cwd/plan.txt',
      '/./proc//self/cwd/plan.txt',
      `${garden}/../../../../../../../proc/self/cwd/plan.txt`,
      `${garden}/current/plan.txt`,
      `${garden}/also/plan.txt`,
      'current/plan.txt',
      'also',
      'open/3',
      'beds/../current/plan.txt',
      'file:///proc/self/cwd/plan.txt',
    ]) {
      assert.equal(await placeInWorkspace(given, [garden]), 'unclear', given);
      if (/^(?:\/|file:)/.test(given)) {
        assert.equal(await placeInWorkspace(given, ['/']), 'unclear', given);
      }
    }
    assert.equal(await placeInWorkspace('plan.txt', [`${garden}/current`]), 'unclear');
    assert.equal(await placeInWorkspace('plan.txt', [garden], '/proc/self/cwd'), 'unclear');
  });

  it('is unclear if it is more than a path, or one for some programs', async () => {
    for (const given of [
      '"/etc/passwd"',
      "'/etc/passwd'",
      '--config=/etc/passwd',
      '-r',
      '@/etc/passwd',
      'plan.txt /etc/passwd',
      'plan.txt:/etc/passwd',
      'plan.txt,../shed/key.txt',
      'me@host:/etc/passwd',
      'host:plan.txt',
      '`cat /etc/passwd`',
      '{plan.txt,x}',
      'plan.txt;x',
      'plan.txt|x',
      '*.txt',
      'plan.?xt',
      '//server/share',
      '．．/shed/key.txt',
      '..／shed',
      '…/x',
      'a%c0%ae',
      '%41',
      'pl\ud800an',
    ]) {
      assert.equal(await placeInWorkspace(given, [garden]), 'unclear', given);
    }
    for (const given of [
      'a [1].txt',
      "it's.txt",
      'R&D (new)/x',
      'a-b@c',
      'app/[slug]/p.tsx',
      'ä',
    ]) {
      assert.equal(await placeInWorkspace(given, [garden]), 'inside', given);
    }
  });

  it('is unclear if only its Unicode normalization differs', async () => {
    const composed = path.join(root, 'g\u00e4rten');
    const taken = path.join(root, 'ga\u0308rten');
    assert.equal(await placeInWorkspace(`${taken}/x`, [composed]), 'unclear');
    assert.equal(await placeInWorkspace(`${root}/GA\u0308RTEN/x`, [composed]), 'unclear');
  });

  it('has more special forms on Windows', () => {
    const read = (given: string) => candidatePaths(given, ['D:\\ws'], path.win32);
    for (const given of [
      'C:foo',
      'd:',
      '\\\\?\\D:\\ws\\a',
      '//?/D:/ws/a',
      '\\??\\D:\\ws',
      '\\\\.\\D:\\ws',
      'D:\\ws\\SECRET~1\\a',
      'PROGRA~1',
      'a.txt::$DATA',
      'a.txt:x',
      'a. ',
      'a.',
      'a .\\b',
      'D:\\ws\\..  \\b',
      'conin$',
      'COM\u00b9',
      'nul .txt',
      'a\\aux.c',
      'D：\\ws',
      'a＼..＼b',
      'file:///D|/ws',
      'file://localhost/D:/ws',
      'file:D:/ws/a',
      '%TEMP%\\x',
      '~\\x',
    ]) {
      assert.equal(read(given), undefined, given);
    }
    assert.deepEqual(read('D:\\ws/a\\b'), ['D:\\ws\\a\\b']);
  });

  it('is inside only if every reading says so, and outside likewise', async () => {
    const segment = fc.constantFrom(
      '..',
      '.',
      '',
      'beds',
      'rose',
      'deep',
      'out',
      'in',
      'same',
      'shed',
      'tools',
      'garden',
      'plan.txt',
      'new',
      'key.txt',
      'current',
      'GARDEN',
      '~',
      '-x',
      '%2e%2e',
      'a\\..\\..',
    );
    const given = fc
      .tuple(fc.constantFrom('', './', '../', 'abs'), fc.array(segment, { maxLength: 8 }))
      .map(([start, all]) => (start === 'abs' ? `${garden}/` : start) + all.join('/'));
    await fc.assert(
      fc.asyncProperty(given, async (text) => {
        const place = await placeInWorkspace(text, [garden]);
        if (place === 'unclear') return;
        for (const way of [text, path.normalize(text)]) {
          const end = systemEnd(path.isAbsolute(way) ? way : `${garden}/${way}`);
          if (end === undefined) continue;
          const isInside = end === garden || end.startsWith(`${garden}/`);
          assert.equal(place, isInside ? 'inside' : 'outside', `${way} is ${end}`);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  /** Where the system ends, for as much of the path as is there. */
  function systemEnd(text: string): string | undefined {
    const segments = text.split('/');
    for (let count = segments.length; count > 0; count -= 1) {
      const rest = segments.slice(count);
      // Nothing is behind a folder that is not there.
      if (rest.includes('..')) return undefined;
      try {
        const begin = realpathSync.native(segments.slice(0, count).join('/') || '/');
        return path.join(begin, ...rest);
      } catch {
        // Not there yet.
      }
    }
    return undefined;
  }
});
