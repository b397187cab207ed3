import assert from 'node:assert/strict';
import type { RuleProblem } from '../../src/host/consent/rules/rule';
import { bookOf, effectsOf, factsOf } from './ruleCases';
import { assertEach } from '../assertions';

const told = ({ code, path, outcome }: RuleProblem): string =>
  [code, path.join('.'), outcome].filter((each) => each !== undefined).join(' ');

/** The problems of these user settings, and the effects of what applies to an ordinary call. */
async function read(user: unknown): Promise<[string[], string]> {
  const { problems } = bookOf({ user });
  return [problems.map(told), await effectsOf(user, factsOf({ path: 'a' }))];
}

describe('Reading rules', () => {
  it('accepts every property in the schema of the setting', async () => {
    const whole = {
      server: 'f*',
      tool: 'read_?ile',
      risk: ['readOnly', 'additive'],
      when: {
        '/path': { equals: 'a', matches: '^a$', startsWith: 'a', exists: true },
        '/url': { exists: false },
      },
      reason: 'because',
    };
    const effects = ['allow', 'ask', 'deny'];
    const user = effects.map((effect) => ({ effect, ...whole }));
    assert.deepEqual(await read(user), [[], 'allow ask deny']);
    const [match] = await bookOf({ user }).matching(factsOf({ path: 'a' }));
    assert.deepEqual(match, {
      effect: 'allow',
      place: { scope: 'user', index: 0 },
      reason: 'because',
      isReadStrictly: false,
    });
  });

  it('asks about every call if the setting is not a list', async () => {
    for (const user of [null, {}, 'deny', 0, { effect: 'allow' }]) {
      assert.deepEqual(await read(user), [['notAList  asksAlways'], 'ask'], JSON.stringify(user));
    }
    assert.deepEqual(await read(undefined), [[], '']);
    assert.deepEqual(await read([]), [[], '']);
  });

  it('denies if the effect is invalid', async () => {
    const cases: [unknown, string][] = [
      [null, 'notAnObject 0 deniesInstead'],
      ['deny', 'notAnObject 0 deniesInstead'],
      [[], 'notAnObject 0 deniesInstead'],
      [{}, 'invalidEffect 0 deniesInstead'],
      [{ effect: 'Allow' }, 'invalidEffect 0.effect deniesInstead'],
      [{ effect: ['allow'] }, 'invalidEffect 0.effect deniesInstead'],
    ];
    for (const [rule, problem] of cases) {
      assert.deepEqual(await read([rule]), [[problem], 'deny'], JSON.stringify(rule));
    }
    assert.deepEqual(await read([{ effect: 'alow', tool: 'other' }]), [
      ['invalidEffect 0.effect deniesInstead'],
      '',
    ]);
  });

  /** A part that cannot be read, and the problem without its outcome. */
  const broken: [object, string][] = [
    [{ colour: 'red' }, 'unknownKey 0.colour'],
    [JSON.parse('{"__proto__": {}}'), 'unknownKey 0.__proto__'],
    [{ server: '' }, 'invalidGlob 0.server'],
    [{ server: 1 }, 'invalidGlob 0.server'],
    [{ tool: ['x'] }, 'invalidGlob 0.tool'],
    [{ tool: 'x'.repeat(257) }, 'invalidGlob 0.tool'],
    [{ risk: 'high' }, 'invalidRisk 0.risk'],
    [{ risk: [] }, 'invalidRisk 0.risk'],
    [{ risk: ['destructive', 'high'] }, 'invalidRisk 0.risk.1'],
    [{ when: {} }, 'invalidWhen 0.when'],
    [{ when: [] }, 'invalidWhen 0.when'],
    [{ when: { path: { exists: false } } }, 'invalidPointer 0.when.path'],
    [{ when: { '/~2': { exists: false } } }, 'invalidPointer 0.when./~2'],
    [{ when: { '/path': {} } }, 'invalidCondition 0.when./path'],
    [{ when: { '/path': 'x' } }, 'invalidCondition 0.when./path'],
    [{ when: { '/path': { is: 'x' } } }, 'unknownKey 0.when./path.is'],
    [{ when: { '/path': { matches: '(' } } }, 'invalidRegex 0.when./path.matches'],
    [{ when: { '/path': { matches: 1 } } }, 'invalidRegex 0.when./path.matches'],
    [{ when: { '/path': { startsWith: '' } } }, 'invalidCondition 0.when./path.startsWith'],
    [{ when: { '/path': { exists: 'no' } } }, 'invalidCondition 0.when./path.exists'],
    [
      { when: { '/path': { insideWorkspace: 1 } } },
      'invalidCondition 0.when./path.insideWorkspace',
    ],
    [{ when: { '/path': { hostIn: [] } } }, 'invalidCondition 0.when./path.hostIn'],
    [{ when: { '/path': { hostIn: ['a.b', 'x/y'] } } }, 'invalidHost 0.when./path.hostIn.1'],
    [{ reason: 5 }, 'invalidReason 0.reason'],
  ];
  for (const [part, problem] of broken) {
    it(`disables an allow with ${JSON.stringify(part)}, and widens a deny or ask`, async () => {
      assert.deepEqual(await read([{ effect: 'allow', ...part }]), [
        [`${problem} neverAllows`],
        '',
      ]);
      const outcome = problem.startsWith('invalidReason') ? '' : ' fitsMore';
      for (const effect of ['ask', 'deny']) {
        const user = [{ effect, ...part }];
        assert.deepEqual(await read(user), [[`${problem}${outcome}`], effect]);
        const [match] = await bookOf({ user }).matching(factsOf({ path: 'a' }));
        assert.equal(match?.isReadStrictly, true);
      }
    });
  }

  it('keeps valid rules beside invalid ones', async () => {
    const when = { '/path': { startsWith: 'b', is: 1 }, nowhere: {} };
    assert.equal(await effectsOf([{ effect: 'deny', when }], factsOf({ path: 'a' })), '');
    assert.equal(await effectsOf([{ effect: 'deny', when }], factsOf({ path: 'b' })), 'deny');
  });

  it('accepts an allow only from the user', async () => {
    const rules = [{ effect: 'allow', tool: 5 }, { effect: 'ask' }, { effect: 'deny' }];
    const book = bookOf({ workspace: rules, folders: [{ folder: '/w/a', value: rules }] });
    assertEach(await book.matching(factsOf()), ({ effect, place }) => [effect, place], [
      ['ask', { scope: 'workspace', index: 1 }],
      ['deny', { scope: 'workspace', index: 2 }],
      ['ask', { scope: 'folder', folder: '/w/a', index: 1 }],
      ['deny', { scope: 'folder', folder: '/w/a', index: 2 }],
    ]);
    assertEach(book.problems, (problem) => [told(problem), problem.scope], [
      ['allowIgnored 0.effect neverAllows', { scope: 'workspace' }],
      ['allowIgnored 0.effect neverAllows', { scope: 'folder', folder: '/w/a' }],
    ]);
  });

  it('reads a maximum of rules, and denies for the rest', async () => {
    const maxRules = 1_000;
    const rules = Array.from({ length: maxRules }, () => ({ effect: 'allow', tool: 'no' }));
    assert.deepEqual(await read(rules), [[], '']);
    assert.deepEqual(await read([...rules, { effect: 'allow' }]), [
      [`tooManyRules ${maxRules} deniesInstead`],
      'deny',
    ]);
  });

  it('notifies about every change, and drops the previous rules', async () => {
    const book = bookOf({ user: [{ effect: 'deny' }, 1] });
    let changes = 0;
    book.onDidChange(() => changes++);
    book.setRules({ user: undefined, workspace: undefined, folders: [] });
    assert.equal(changes, 1);
    assert.deepEqual([book.problems, await book.matching(factsOf())], [[], []]);
  });
});
