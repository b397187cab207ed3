import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { proposeRules, type ProposalSubject } from '../../src/host/consent/rules/proposeRules';
import { makeTemporaryFolder } from '../vscode/server';
import { bookOf, effectsOf, factsOf } from './ruleCases';

function proposed(given: JsonObject, more: Partial<ProposalSubject> = {}) {
  return proposeRules({
    server: 'files',
    tool: 'read_file',
    level: 'readOnly',
    arguments: given,
    hasSecrets: false,
    isBroad: true,
    ...more,
  });
}
const rules = (given: JsonObject, more?: Partial<ProposalSubject>): readonly unknown[] =>
  proposed(given, more).map(({ rule: { effect, server, tool, ...rest } }) => {
    assert.deepEqual([effect, server, tool], ['allow', 'files', 'read_file']);
    return rest;
  });

describe('Rules that Allow… proposes for a call', () => {
  const { folder, remove } = makeTemporaryFolder('proposed');
  mkdirSync(path.join(folder, 'notes'));
  after(() => remove());
  const risk = 'readOnly';

  it('name the arguments, the targets of paths and URLs, or the tool', () => {
    const given = { path: '/srv/notes/a.txt', url: 'https://Docs.example.com:8080/x', head: 3 };
    const when = { '/url': { hostIn: ['docs.example.com:8080'] } };
    assert.deepEqual(rules(given), [
      { when: { '': { equals: given } } },
      { risk, when: { '/path': { insideWorkspace: true }, ...when } },
      { risk, when: { '/path': { startsWith: '/srv/notes/' }, ...when } },
      { risk },
    ]);
    assert.deepEqual(rules({ n: 1, text: 'and/or' }), [
      { when: { '': { equals: { n: 1, text: 'and/or' } } } },
      { risk },
    ]);
  });

  it('cover all paths and URLs of lists together', () => {
    const given = {
      paths: ['/srv/a/b/1', '/srv/a/c/2'],
      edits: [{ file: '/srv/x/1' }, { file: '/srv/x/2' }],
    };
    const [, , below] = rules(given);
    assert.deepEqual(below, {
      risk,
      when: { '/paths': { startsWith: '/srv/a/' }, '/edits/*/file': { startsWith: '/srv/x/' } },
    });
    const urls = ['https://a.example/1', 'http://b.example/2', 'https://a.example/3'];
    assert.deepEqual(rules({ urls })[1], {
      risk,
      when: { '/urls': { hostIn: ['a.example', 'b.example'] } },
    });
    assert.equal(rules({ urls: ['https://a.example', 'whatever'] }).length, 2);
  });

  it('name no folder that contains everything, and no relative one', () => {
    for (const file of ['/a.txt', '/home/me', 'C:\\a.txt', 'C:\\Users\\me', 'notes/a.txt']) {
      const kept = JSON.stringify(rules({ file }));
      assert.doesNotMatch(kept, /startsWith/, file);
    }
    assert.match(JSON.stringify(rules({ file: 'C:\\Users\\me\\a' })), /"C:\\\\Users\\\\me\\\\"/);
  });

  it('name the same arguments only if more must not be allowed', () => {
    const given = { path: '/srv/notes/a.txt' };
    const level = 'destructive';
    assert.deepEqual(rules(given, { level, isBroad: false }), [
      { when: { '': { equals: given } } },
    ]);
    assert.deepEqual(rules(given, { level }).at(-1), {});
    assert.deepEqual(rules(given, { level: 'additive' }).at(-1), {
      risk: ['readOnly', 'additive'],
    });
  });

  it('contain no secret, and no names that would be patterns', () => {
    assert.deepEqual(rules({}, { hasSecrets: true }), [{ risk }]);
    assert.deepEqual(rules({}, { hasSecrets: true, isBroad: false }), []);
    for (const name of ['read_*', 'rea?']) {
      assert.deepEqual([proposed({}, { tool: name }), proposed({}, { server: name })], [[], []]);
    }
    const [, tool] = proposed({ '*': { path: '/srv/a/b' } });
    assert.equal(tool?.kind, 'tool');
  });

  it('are checked against the call: the ones that would not allow it are reported', async () => {
    const book = bookOf({}, [folder]);
    const kinds = async (given: JsonObject): Promise<readonly string[]> => {
      const all = proposed(given);
      const fits = await Promise.all(all.map((one) => book.wouldAllow(one.rule, factsOf(given))));
      return all
        .filter((_, index) => fits[index])
        .map(({ kind, isInWorkspace }) => (isInWorkspace === true ? 'workspace' : kind));
    };
    const inside = path.join(folder, 'notes', 'a.txt');
    assert.deepEqual(await kinds({ path: inside }), ['arguments', 'workspace', 'places', 'tool']);
    assert.deepEqual(await kinds({ path: '/srv/x/a' }), ['arguments', 'places', 'tool']);
    assert.deepEqual(await kinds({ path: '/srv/x/../a' }), ['arguments', 'tool']);
    assert.deepEqual(await kinds({ url: 'https://me@a.example/' }), ['arguments', 'tool']);
    const { __proto__: _, ...plain } = JSON.parse('{"__proto__":{"a":1},"b":1}');
    assert.deepEqual(await kinds(plain), ['arguments', 'tool']);
    assert.equal(await book.wouldAllow({ effect: 'allow', tol: 'x' }, factsOf()), false);
    assert.equal(await book.wouldAllow({ effect: 'ask' }, factsOf()), false);
  });

  it('allow only the same call if they name all arguments', async () => {
    const given = { path: 'a', list: [1, { b: null }], n: 0 };
    const [exact] = proposed(given);
    const user = [exact?.rule];
    assert.equal(
      await effectsOf(user, factsOf({ n: 0, list: [1, { b: null }], path: 'a' })),
      'allow',
    );
    const others: readonly JsonObject[] = [
      {},
      { ...given, more: true },
      { ...given, list: [1, { b: null, c: 1 }] },
      { ...given, n: '0' },
      { path: 'a', n: 0 },
    ];
    for (const other of others) {
      assert.equal(await effectsOf(user, factsOf(other)), '', JSON.stringify(other));
    }
  });

  it('no longer apply to a tool that has become riskier', async () => {
    const user = [proposed({}).at(-1)?.rule];
    assert.equal(await effectsOf(user, factsOf({ any: 1 })), 'allow');
    assert.equal(await effectsOf(user, factsOf({ any: 1 }, { level: 'destructive' })), '');
  });
});
