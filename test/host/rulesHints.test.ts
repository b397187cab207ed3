import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/core/json/jsonValue';
import type { DecidedCallFacts } from '../../src/host/consent/facts/callFacts';
import { parseRules } from '../../src/host/consent/rules/ruleBook';
import {
  findRuleHints,
  type KnownServer,
  mayHaveArgument,
} from '../../src/host/consent/rules/ruleHints';
import { bookOf, factsOf } from './ruleCases';

const { tool } = factsOf().entry;
const inputSchema: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    items: { type: 'array', items: { type: 'object', properties: { url: {} } } },
    any: {},
  },
};
const files: KnownServer = {
  id: 'files',
  tools: [{ tool: { ...tool, inputSchema }, level: 'readOnly' }],
};
const stopped: KnownServer = { id: 'web' };

/** The hints about these user rules, with those of a workspace beside them. */
function hinted(user: unknown, servers = [files, stopped], workspace?: unknown): string[] {
  const { rules, problems } = parseRules({ user, workspace, folders: [] });
  const errors = problems.filter(({ scope }) => scope.scope === 'user');
  assert.deepEqual(errors, []);
  return findRuleHints(rules, servers).map(({ code, path, severity, winner }) => {
    assert.equal(severity, 'hint');
    const place = winner === undefined ? '' : ` ${winner.scope} ${winner.index}`;
    return `${code} ${path.join('.')}${place}`;
  });
}

describe('Hints about rules', () => {
  const allow = {
    effect: 'allow',
    server: 'files',
    tool: 'read_file',
    when: { '/path': { equals: 'a' } },
  };

  it('say that an allow never wins against an equal or wider deny or ask', () => {
    for (const wider of [
      {},
      { server: 'files' },
      { server: 'FILES', tool: 'read_*' },
      { when: { '/path': { equals: 'a' } } },
    ]) {
      for (const effect of ['ask', 'deny']) {
        const shown = JSON.stringify(wider);
        assert.deepEqual(hinted([allow, { effect, ...wider }]), ['neverWins 0 user 1'], shown);
      }
    }
    assert.deepEqual(hinted([allow], [files], [{ effect: 'ask' }]), ['neverWins 0 workspace 0']);
  });

  it('say nothing about an allow that sometimes wins', () => {
    for (const other of [
      { tool: 'read_?ile' },
      { risk: 'readOnly' },
      { when: { '/path': { equals: 'b' } } },
      { when: { '/path': { equals: 'a', startsWith: 'a' } } },
      { when: { '/any': { equals: 'a' } } },
    ]) {
      assert.deepEqual(hinted([allow, { effect: 'deny', ...other }]), [], JSON.stringify(other));
    }
    assert.deepEqual(hinted([allow, { ...allow, tool: 'read_*' }]), []);
  });

  it('name unknown servers, tools and arguments', () => {
    assert.deepEqual(hinted([{ effect: 'deny', server: 'file' }]), ['noSuchServer 0.server']);
    assert.deepEqual(hinted([{ effect: 'allow', server: 'Files' }]), ['noSuchServer 0.server']);
    assert.deepEqual(hinted([{ effect: 'deny', server: 'Files' }]), []);
    assert.deepEqual(hinted([{ effect: 'deny', server: 'files', tool: 'x*' }]), [
      'noSuchTool 0.tool',
    ]);
    const rule = {
      effect: 'deny',
      server: 'files',
      when: { '/pth': { equals: 1 }, '/path': { equals: 1 } },
    };
    assert.deepEqual(hinted([rule]), ['noSuchArgument 0.when./pth']);
  });

  it('say nothing about tools of servers that are not running', () => {
    assert.deepEqual(hinted([{ effect: 'deny', server: 'web', tool: 'x' }]), []);
    assert.deepEqual(hinted([{ effect: 'deny', tool: 'x' }]), []);
    assert.deepEqual(hinted([{ effect: 'deny', tool: 'x' }], [files]), ['noSuchTool 0.tool']);
    assert.deepEqual(hinted([{ effect: 'deny', tool: 'x' }], []), []);
  });

  it('accept any argument in an open schema', () => {
    const has = (pointer: string, schema: JsonObject = inputSchema): boolean =>
      mayHaveArgument(schema, pointer.split('/').slice(1));
    for (const there of ['', '/path', '/items/*/url', '/items/0/url', '/any/x/y', '/*']) {
      assert.equal(has(there), true, there);
    }
    for (const absent of ['/x', '/path/x', '/items/x', '/items/*/name', '/constructor']) {
      assert.equal(has(absent), false, absent);
    }
    const properties = { a: {} };
    assert.equal(has('/b', { type: 'object', properties, additionalProperties: {} }), true);
    assert.equal(has('/b', { type: 'object', properties, oneOf: [] }), true);
    assert.equal(has('/b', { $ref: '#/x', properties }), true);
    assert.equal(has('/b', { type: 'object' }), true);
    assert.equal(has('/b', { type: 'object', additionalProperties: false }), false);
  });
});

describe('Rules on past calls', () => {
  const call = (more: Partial<DecidedCallFacts> = {}): DecidedCallFacts => ({
    at: 1,
    server: 'files',
    tool: 'read_file',
    risk: { level: 'readOnly', openWorld: false, idempotent: true },
    decision: 'ask',
    ...more,
  });
  const tried = async (user: unknown, ...calls: readonly DecidedCallFacts[]): Promise<string[]> => {
    const sources = { user, workspace: undefined, folders: [] };
    const { changes } = await bookOf({}).tryOn(calls, sources);
    return changes.map(({ before, now, rule }) =>
      [before, now, ...(rule === undefined ? [] : [rule.place.index])].join(' '),
    );
  };
  const when = { '/path': { equals: 'a' } };

  it('show for each rule which calls it matches, and how many it may match', async () => {
    const user = [
      { effect: 'deny', when },
      { effect: 'ask', tool: 'read_*' },
    ];
    const calls = [
      call({ arguments: { path: 'a' } }),
      call({ arguments: { path: 'b' } }),
      call(),
      call({ tool: 'write' }),
    ];
    const { matches } = await bookOf({}).tryOn(calls, { user, workspace: undefined, folders: [] });
    assert.deepEqual(
      matches.map(({ calls: matched, unclear }) => [
        matched.map((one) => calls.indexOf(one)),
        unclear,
      ]),
      [
        [[0], 2],
        [[0, 1, 2], 0],
      ],
    );
  });

  it('list only the calls that the rules would decide differently', async () => {
    const allow = [{ effect: 'allow', tool: 'read_*' }];
    assert.deepEqual(await tried(allow, call()), ['none allow 0']);
    assert.deepEqual(await tried(allow, call({ ruleEffect: 'allow', decision: 'allow' })), []);
    assert.deepEqual(await tried(allow, call({ ruleEffect: 'deny' })), ['deny allow 0']);
    assert.deepEqual(await tried([], call({ ruleEffect: 'deny' }), call()), ['deny none']);
    assert.deepEqual(await tried([...allow, 5], call()), ['none deny 1']);
  });

  it('are compared with recorded arguments', async () => {
    const rules = [{ effect: 'deny', when }];
    assert.deepEqual(await tried(rules, call({ arguments: { path: 'a' } })), ['none deny 0']);
    assert.deepEqual(await tried(rules, call({ arguments: { path: 'b' } })), []);
  });

  it('are undecided if a pattern takes too long, and thousands of calls do not block', async () => {
    const rules = [{ effect: 'deny', when: { '/path': { matches: '^(a+)+$' } } }];
    const slow = call({ arguments: { path: `${'a'.repeat(60)}b` } });
    assert.deepEqual(await tried(rules, slow), ['none unclear 0']);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    const all = await tried(rules, ...Array.from({ length: 3_000 }, () => slow));
    clearInterval(timer);
    assert.equal(all.length, 3_000);
    assert.ok(turns > 3, `${turns}`);
  });

  it('are undecided without the arguments that they need, unless it makes no difference', async () => {
    assert.deepEqual(await tried([{ effect: 'allow', when }], call()), ['none unclear 0']);
    assert.deepEqual(await tried([{ effect: 'allow', when, tool: 'x' }], call()), []);
    const deny = { effect: 'deny' };
    assert.deepEqual(await tried([{ effect: 'ask', when }, deny], call()), ['none deny 1']);
    assert.deepEqual(await tried([{ effect: 'deny', when }, deny], call()), ['none deny 1']);
    assert.deepEqual(await tried([{ effect: 'deny', when }, { effect: 'ask' }], call()), [
      'none unclear 0',
    ]);
  });
});
