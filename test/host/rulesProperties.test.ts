import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import picomatch from 'picomatch';
import { decide } from '../../src/host/consent/consent';
import type { CallFacts, Effect } from '../../src/host/consent/facts/callFacts';
import { fitsGlob } from '../../src/host/consent/rules/glob';
import type { RuleSources } from '../../src/host/consent/rules/rule';
import { bookOf, factsOf } from './ruleCases';

const folder = '/somewhere/that/is/not';
const strictness: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

const glob = fc.constantFrom('*', 'files', 'FILES', 'f?les', 'read_*', 'read_file', 'w*', '**', '');
const level = fc.constantFrom('readOnly' as const, 'additive' as const, 'destructive' as const);
const text = fc.constantFrom(
  'a',
  'A',
  `${folder}/x`,
  `${folder}/../x`,
  '/etc/passwd',
  '~',
  'https://example.com/',
  'https://a@example.com/',
);
const value = fc.oneof(
  text,
  fc.constantFrom<unknown>(1, true, null, [], {}, [[]]),
  fc.array(text, { maxLength: 3 }),
  fc.array(fc.record({ b: text }, { requiredKeys: [] }), { maxLength: 3 }),
);
const condition = fc.record(
  {
    equals: value,
    matches: fc.constantFrom('a', '^/', '.', '^(a|A)$'),
    startsWith: fc.constantFrom('a', '/', folder, 'https://example.com'),
    insideWorkspace: fc.boolean(),
    hostIn: fc.constantFrom(['example.com'], ['*.example.com'], ['evil.net', 'example.com']),
    exists: fc.boolean(),
  },
  { requiredKeys: [] },
);
const pointer = fc.constantFrom('', '/a', '/b', '/a/*', '/a/0', '/a/*/b', '/*', '/a~1b');
const partsOfRule = {
  server: glob,
  tool: glob,
  risk: fc.oneof(level, fc.uniqueArray(level)),
  when: fc.dictionary(pointer, condition, { maxKeys: 3 }),
  reason: fc.constant('because'),
};
const ruleWith = (effect: fc.Arbitrary<unknown>) =>
  fc
    .tuple(effect, fc.record(partsOfRule, { requiredKeys: [] }))
    .map(([one, parts]) => ({ effect: one, ...parts }));
const anyEffect = fc.constantFrom<Effect>('allow', 'ask', 'deny');
/** Also rules that cannot be read, in every way that JSON can be wrong. */
const anyRule = fc.oneof(
  { weight: 4, arbitrary: ruleWith(anyEffect) },
  { weight: 1, arbitrary: ruleWith(fc.jsonValue()) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const rules = fc.array(anyRule, { maxLength: 5 });
const facts = fc
  .tuple(
    fc.record({ a: value, b: value, 'a/b': value }, { requiredKeys: [] }),
    fc.constantFrom('files', 'Files', 'web'),
    fc.constantFrom('read_file', 'READ_FILE', 'write_file'),
    level,
  )
  .map(([given, server, tool, risk]) => factsOf(given, { server, tool, level: risk }));

async function effectOf(sources: Partial<RuleSources>, call: CallFacts): Promise<Effect> {
  const matching = await bookOf(sources, [folder]).matching(call);
  return decide({ rules: matching, suspended: [], pin: { kind: 'known' } }).effect;
}

/** The second decision is at least as strict as the first. */
async function isNoLooser(
  call: CallFacts,
  first: Partial<RuleSources>,
  second: Partial<RuleSources>,
): Promise<void> {
  const [was, is] = [await effectOf(first, call), await effectOf(second, call)];
  assert.ok(strictness[is] >= strictness[was], `${was} became ${is}`);
}

describe('Arbitrary rules', () => {
  it('never allow a call because of one more deny', async () => {
    await fc.assert(
      fc.asyncProperty(
        rules,
        ruleWith(fc.constantFrom('deny', 'ask')),
        fc.nat(5),
        facts,
        (user, more, at, call) => isNoLooser(call, { user }, { user: user.toSpliced(at, 0, more) }),
      ),
    );
  });

  it('never turn ask or deny into allow from a workspace, whatever they contain', async () => {
    const sourcesOf = fc.oneof(
      { weight: 4, arbitrary: fc.array(ruleWith(anyEffect), { maxLength: 3 }) },
      { weight: 2, arbitrary: fc.constant(undefined) },
      rules,
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(rules, sourcesOf, sourcesOf, facts, async (user, workspace, other, call) => {
        const folders = [{ folder, value: other }];
        await isNoLooser(call, { user }, { user, workspace, folders });
        await isNoLooser(call, { user, workspace }, { user, workspace, folders });
        const alone = await effectOf({ workspace, folders }, call);
        assert.notEqual(alone, 'allow');
      }),
    );
  });

  it('have the same effect in every order', async () => {
    await fc.assert(
      fc.asyncProperty(
        rules.chain((given) =>
          fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
        ),
        facts,
        async ([user, shuffled], call) => {
          assert.equal(await effectOf({ user }, call), await effectOf({ user: shuffled }, call));
        },
      ),
    );
  });

  /** A rule in which one part, at any depth, is something else. */
  const breaking = fc.tuple(
    fc.constantFrom('effect', 'server', 'tool', 'risk', 'when', 'reason'),
    fc.oneof(fc.constantFrom<unknown>(null, 0, '', [], {}, true), fc.constant(undefined)),
    fc.boolean(),
  );
  /** Puts `broken` in place of the part, or of something inside it. */
  function broken(
    rule: Readonly<Record<string, unknown>>,
    [key, by, isInside]: [string, unknown, boolean],
  ): Record<string, unknown> {
    const part = rule[key];
    // A part that is left out is no broken part: it says "any".
    const bad = by === undefined ? { unknown: true } : by;
    if (!isInside || typeof part !== 'object' || part === null) return { ...rule, [key]: bad };
    const [first] = Object.keys(part);
    if (first === undefined) return { ...rule, [key]: bad };
    const inner = Array.isArray(part) ? [bad] : { ...part, [first]: bad };
    return { ...rule, [key]: inner };
  }

  it('never allow more because a part of an allow is invalid or empty', async () => {
    await fc.assert(
      fc.asyncProperty(
        rules,
        ruleWith(fc.constant('allow')),
        breaking,
        facts,
        async (others, allow, how, call) => {
          const user = [allow, ...others];
          await isNoLooser(call, { user }, { user: [broken(allow, how), ...others] });
        },
      ),
    );
  });

  it('never deny or ask less because a part of them is invalid or empty', async () => {
    const strict = ruleWith(fc.constantFrom('ask', 'deny'));
    await fc.assert(
      fc.asyncProperty(rules, strict, breaking, facts, async (others, rule, how, call) => {
        const user = [rule, ...others];
        await isNoLooser(call, { user }, { user: [broken(rule, how), ...others] });
      }),
    );
  });

  it('never allow more because an allow has one more condition', async () => {
    const allow = ruleWith(fc.constant('allow'));
    await fc.assert(
      fc.asyncProperty(
        rules,
        allow,
        pointer,
        condition,
        facts,
        async (others, rule, at, more, call) => {
          const when = { ...rule.when, [at]: { ...rule.when?.[at], ...more } };
          await isNoLooser(
            call,
            { user: [rule, ...others] },
            { user: [{ ...rule, when }, ...others] },
          );
        },
      ),
    );
  });

  it('match as a deny whatever they match as an allow', async () => {
    await fc.assert(
      fc.asyncProperty(ruleWith(fc.constant('allow')), facts, async (allow, call) => {
        const deny = { ...allow, effect: 'deny' };
        if ((await effectOf({ user: [allow] }, call)) !== 'allow') return;
        assert.equal(await effectOf({ user: [allow, deny] }, call), 'deny');
      }),
    );
  });
});

describe('Any pattern for names', () => {
  const sign = fc.constantFrom('a', 'b', 'A', '*', '?', '_');
  const word = (signs: fc.Arbitrary<string>) =>
    fc.string({ unit: signs, minLength: 1, maxLength: 8 });

  it('matches the same as picomatch, for names without path separators', () => {
    fc.assert(
      fc.property(word(sign), word(fc.constantFrom('a', 'b', 'A', '_')), (pattern, name) => {
        const isMatch = picomatch(pattern, { bash: true, dot: true });
        assert.equal(fitsGlob({ pattern }, name, false), isMatch(name));
      }),
      { numRuns: 1_000 },
    );
  });

  it('ignoring case matches whatever it matches otherwise', () => {
    fc.assert(
      fc.property(word(sign), fc.string({ unit: 'binary' }), (pattern, name) => {
        if (fitsGlob({ pattern }, name, false)) assert.ok(fitsGlob({ pattern }, name, true));
      }),
    );
  });
});
