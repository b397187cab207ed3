import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { classifyLink } from '../../src/core/content/linkTarget';
import {
  canonicalMediaType,
  extensionOfType,
  extensionOfUri,
  sniffMediaType,
} from '../../src/core/content/mediaTypes';
import { toPathSegment } from '../../src/core/content/documentNames';
import { guessedExtension } from '../../src/core/content/textKind';
import { assessUrl } from '../../src/core/input/elicitationUrl';
import { expandUriTemplate, readUriTemplate } from '../../src/core/resources/uriTemplate';
import { visibleText } from '../../src/core/visibleText';
import { parseCommandLine } from '../../src/host/adding/programDraft';
import {
  maxLinkChars,
  isLinkProblem,
  parseLink,
  draftFromInstallLink,
} from '../../src/host/adding/serverLinks';
import { recognize } from '../../src/host/adding/recognize';
import type { ServerDraft } from '../../src/host/adding/draft';
import { fuzz } from './fuzzing';
import { mutatedText } from './mutations';
import { configurations } from './samples';

const config = '{"command":"npx","args":["-y","pkg","--key=${input:k}"],"env":{"A":"b"}}';
const links = [
  `name=files&config=${encodeURIComponent(config)}`,
  `config=${Buffer.from(config).toString('base64')}`,
  `vscode:mcp/install?${encodeURIComponent(config)}`,
  `cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=${Buffer.from(config).toString('base64')}`,
];
const uris = [
  'https://a.example:8080/b/c.png?d=e#f',
  'http://127.0.0.1/',
  'file:///a/b%20c.txt',
  'data:text/plain,a',
  'command:a.b?%5B%5D',
  'vscode://a.b/c',
  'memo://x/{y}',
  'HTTPS://xn--bcher-kva.example/',
  'a/b.ipynb',
];

function isDraft({ entry }: ServerDraft): boolean {
  return entry.command === undefined || typeof entry.command === 'string';
}

describe('Any URI', () => {
  fuzz('as a link leads only to the web, the server or a refusal', 8, mutatedText(uris), (uri) => {
    const target = classifyLink(uri);
    if (target.kind === 'web') assert.match(uri, /^https?:/i);
    if (URL.canParse(uri)) assert.equal(typeof assessUrl(uri).address, 'string');
    assert.match(extensionOfUri(uri) ?? 'x', /^[a-z0-9]{1,10}$/);
  });

  const templates = ['a://{b}/{+c*}{?d,e:3}', 'x{/y}{;z}{#w}', 'plain', '{a}{b}{c}'];
  const values = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'd', '__proto__'),
    fc.string({ unit: 'binary', maxLength: 10 }),
  );
  fuzz(
    'as a template is expanded, or invalid',
    6,
    fc.tuple(mutatedText(templates), values),
    ([template, given]) => {
      const read = readUriTemplate(template);
      const expanded = expandUriTemplate(template, given);
      assert.equal(typeof expanded, 'string');
      if (read.kind === 'usable' && read.variables.length === 0)
        assert.ok(!/\{\w+\}/.test(expanded));
    },
  );

  const request = fc.tuple(fc.constantFrom('/add', '/add', '/x'), mutatedText(links));
  fuzz('as a link to Toolgate is a draft or a problem', 6, request, ([path, query]) => {
    const link = parseLink(path, query);
    assert.ok(isLinkProblem(link) || (isDraft(link) && query.length <= maxLinkChars));
    const draft = draftFromInstallLink(query);
    assert.ok(draft === undefined || isDraft(draft));
  });

  const pasted = [
    ...links,
    ...configurations,
    'npx -y @a/b --c "d e"',
    'claude mcp add x -e A=b -- node y.js',
    'docker run -i --rm a/b',
    'https://www.npmjs.com/package/@a/b',
    '```json\n{"mcpServers":{"a":{"command":"b"}}}\n```',
    'uvx a==1.0',
  ];
  fuzz('or other pasted text becomes drafts or nothing', 5, mutatedText(pasted), (text) => {
    for (const { drafts } of recognize(text)) assert.ok(drafts.every(isDraft));
    const line = parseCommandLine(text.slice(0, 2_000));
    assert.ok(line === undefined || Array.isArray(line.args));
  });
});

describe('Any name or bytes', () => {
  fuzz(
    'become a name of one file, and no path to another',
    6,
    mutatedText(['a b.txt', 'CON', '..', 'x'.repeat(300), 'a/b\\c:d']),
    (name) => {
      const segment = toPathSegment(name, 'fallback');
      assert.doesNotMatch(segment, /[/\\:*?"<>|\p{Cc}]/u);
      assert.ok(segment !== '' && segment !== '.' && segment !== '..' && segment.length <= 300);
    },
  );

  const types = [
    'text/plain; charset=utf-8',
    'image/svg+xml',
    'application/x-foo',
    'IMAGE/PNG',
    'a/b',
  ];
  fuzz('have one type', 5, mutatedText(types), (type) => {
    const canonical = canonicalMediaType(type);
    if (canonical === undefined) return;
    assert.equal(canonicalMediaType(canonical), canonical);
    assert.match(extensionOfType(canonical) ?? 'x', /^[a-z0-9]+$/);
  });

  const heads = [
    '89504e470d0a1a0a',
    'ffd8ff',
    '474946383961',
    '52494646',
    '255044462d',
    '504b0304',
    '00000018667479706d703432',
  ];
  const bytes = fc
    .tuple(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 40 }), fc.nat(12))
    .map(([head, rest, cut]) => Buffer.concat([Buffer.from(head, 'hex').subarray(0, cut), rest]));
  fuzz('are recognized as an image, audio, video, or nothing', 6, bytes, (given) => {
    const type = sniffMediaType(given);
    assert.ok(type === undefined || canonicalMediaType(type) === type, type);
  });

  const looks = [
    '{"a":[1]}',
    '<!doctype html><p>',
    '# Title\n\n- a',
    'a,b\n1,2\n',
    '#!/bin/sh\nls',
    '--- a\n+++ b\n@@ -1 +1 @@',
  ];
  fuzz('are recognized as a language of a short list', 5, mutatedText(looks), (text) => {
    assert.match(guessedExtension(text), /^[a-z0-9]{1,10}$/);
  });

  fuzz(
    'are shown with hidden characters visible, and bounded',
    5,
    fc.tuple(mutatedText(looks), fc.integer({ min: 1, max: 60 })),
    ([text, most]) => {
      const shown = visibleText(text, most);
      assert.doesNotMatch(shown, /[\p{Cc}\u202e\u200b\u2028]/u);
      assert.ok(shown.length <= most * 12 + 20, `${shown.length} of ${most}`);
    },
  );
});
