import assert from 'node:assert/strict';
import path from 'node:path';
import * as fc from 'fast-check';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { parseRules, RuleBook } from '../../src/host/consent/rules/ruleBook';
import { fitsGlob, parseGlob, findPlaces, parsePointer } from '../../src/host/consent/rules/glob';
import { matchesHost, parseHostPattern } from '../../src/host/consent/rules/hosts';
import { candidatePaths } from '../../src/host/consent/rules/workspacePaths';
import { factsOf } from '../host/ruleCases';
import { fuzz } from './fuzzing';
import { mutatedText, mutatedValue } from './mutations';

const rules: readonly JsonObject[][] = [
  [
    {
      effect: 'allow',
      server: 'fi*',
      tool: 'read_?ile',
      when: { '/path': { insideWorkspace: true } },
    },
    { effect: 'ask', tool: 'send_*', risk: ['destructive', 'additive'] },
    { effect: 'deny', server: 'prod-*', risk: 'destructive', reason: 'Use the runbook.' },
  ],
  [{ effect: 'allow', when: { '/url': { hostIn: ['a.example', '*.b.example', 'c:8080'] } } }],
  [
    {
      effect: 'deny',
      when: { '/a/*/b': { matches: 'x+y', startsWith: 'z' }, '/c': { exists: true } },
    },
  ],
];
const given: readonly JsonObject[] = [
  { path: '/w/a', url: 'https://a.example/', a: [{ b: 'xy' }], c: null },
  { path: ['/w/a', '/etc/passwd'], url: 1, a: { x: { b: 'z' } } },
];

describe('Any rules', () => {
  fuzz('are read strictly, and only the user’s can allow', 8, mutatedValue(rules), (value) => {
    const folders = [{ folder: '/w', value }];
    const parsed = parseRules({ user: value, workspace: value, folders });
    for (const { effect, place } of parsed.rules) {
      assert.ok(effect !== 'allow' || place.scope === 'user');
    }
    assert.ok(parsed.rules.length <= 3_100 && parsed.problems.length <= 10_000);
    // Where nobody says anything nothing is unclear; what cannot be read does not vanish.
    if (value !== null && !Array.isArray(value))
      assert.ok(parsed.rules.every((rule) => rule.effect !== 'allow'));
  });

  const call = fc.tuple(mutatedValue(rules), mutatedValue(given));
  fuzz('decide about any arguments, and never reject', 2, call, async ([user, args]) => {
    const book = new RuleBook({ placeOfPath: async () => 'unclear' });
    book.setRules({ user, workspace: user, folders: [] });
    const matches = await book.matching(factsOf({ ...Object(args), a: args }));
    assert.ok(matches.every(({ effect }) => ['allow', 'ask', 'deny'].includes(effect)));
    book.dispose();
  });

  const signs = fc.constantFrom('a', 'b', '*', '?', '.', '\\', '(', 'A', '\n', 'é');
  const short = fc.array(signs, { maxLength: 8 }).map((all) => all.join(''));
  fuzz('match names as their pattern says', 6, fc.tuple(short, short), ([pattern, name]) => {
    const glob = parseGlob(pattern);
    if (glob === undefined) return;
    const escaped = pattern.replaceAll(/[\\^$.|+()[\]{}]/g, String.raw`\$&`);
    const expected = new RegExp(`^${escaped.replaceAll('*', '[^]*').replaceAll('?', '[^]')}$`);
    assert.equal(fitsGlob(glob, name, false), expected.test(name), `${pattern} ${name}`);
  });

  const pointer = mutatedText(['/a/*/b', '/a~1b/0', '', '/', '/a/b/c']);
  fuzz(
    'find values at their places, or none',
    4,
    fc.tuple(pointer, mutatedValue(given)),
    ([text, value]) => {
      const parsed = parsePointer(text);
      if (parsed !== undefined) findPlaces(value, parsed);
    },
  );

  const hosts = ['good.example', '*.good.example', '[::1]', 'local:8080'].flatMap(
    (text) => parseHostPattern(text) ?? [],
  );
  const address = mutatedText([
    'https://good.example/a?b#c',
    'http://[::1]:80/',
    'ws://local:8080',
    'good.example',
  ]);
  fuzz('for hosts are certain only about plain URLs', 6, address, (text) => {
    const verdict = matchesHost(text, hosts);
    if (verdict === 'yes')
      assert.match(text, /^(?:https?|wss?):\/\/(?:[\w.-]+|\[::1\])(?::\d*)?(?:[/?#]|$)/i);
    parseHostPattern(text);
  });

  const place = mutatedText([
    '/w/a/b.txt',
    'a/../b',
    'file:///w/a%20b',
    'C:\\w\\a',
    '\\\\s\\h\\a',
    './a',
  ]);
  fuzz('for paths accept none that hides something', 6, place, (text) => {
    for (const system of [path.posix, path.win32]) {
      for (const candidate of candidatePaths(text, [system.resolve('/w')], system) ?? []) {
        assert.ok(system.isAbsolute(candidate), candidate);
        assert.doesNotMatch(candidate, /[\p{Cc}\p{Cf}\p{Cs}]|%[0-9a-f]{2}/iu);
      }
    }
  });
});
