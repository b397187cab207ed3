import assert from 'node:assert/strict';
import { parseTool } from '../../src/core/parse/parseTool';
import { riskOf, riskOfTool, type Hint, type RiskOverride } from '../../src/core/risk';
import type { ToolAnnotations } from '../../src/core/types';

const marks = { declared: '', assumed: '?', overridden: '!' } as const;
const sign = (hint: Hint) => (hint.value ? '+' : '-') + marks[hint.basis];

/**
 * `destructive assumed; readOnly- destructive+ idempotent- openWorld+`, with `?` where assumed and
 * `!` where the person has set it.
 */
function picture(annotations: ToolAnnotations, override?: RiskOverride): string {
  const { level, basis, hints } = riskOf(annotations, override);
  const shown = Object.entries(hints).map(([name, hint]) => name + sign(hint));
  return `${level} ${basis}; ${shown.join(' ')}`;
}

describe('riskOf', () => {
  for (const [annotations, expected] of [
    // nothing said is the worst case, and is not said to be declared.
    [{}, 'destructive assumed; readOnly-? destructive+? idempotent-? openWorld+?'],
    [{ title: 'Safe!' }, 'destructive assumed; readOnly-? destructive+? idempotent-? openWorld+?'],
    [
      { readOnlyHint: false },
      'destructive assumed; readOnly- destructive+? idempotent-? openWorld+?',
    ],
    [
      { destructiveHint: true },
      'destructive declared; readOnly-? destructive+ idempotent-? openWorld+?',
    ],
    [
      { destructiveHint: false },
      'additive declared; readOnly-? destructive- idempotent-? openWorld+?',
    ],
    [
      { destructiveHint: false, idempotentHint: true, openWorldHint: false },
      'additive declared; readOnly-? destructive- idempotent+ openWorld-',
    ],
    [
      { idempotentHint: true },
      'destructive assumed; readOnly-? destructive+? idempotent+ openWorld+?',
    ],
    [
      { openWorldHint: false },
      'destructive assumed; readOnly-? destructive+? idempotent-? openWorld-',
    ],
    // the two do not count beside readOnlyHint: true.
    [{ readOnlyHint: true }, 'readOnly declared; readOnly+ destructive- idempotent+ openWorld+?'],
    [
      { readOnlyHint: true, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      'readOnly declared; readOnly+ destructive- idempotent+ openWorld-',
    ],
  ] as const) {
    it(`of ${JSON.stringify(annotations)} is ${expected.split(';')[0]}`, () => {
      assert.equal(picture(annotations), expected);
    });
  }

  const everything = {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: true,
  };
  for (const [override, annotations, expected] of [
    [
      { level: 'readOnly' },
      everything,
      'readOnly overridden; readOnly+! destructive-! idempotent+! openWorld+',
    ],
    [
      { level: 'additive' },
      everything,
      'additive overridden; readOnly-! destructive-! idempotent+ openWorld+',
    ],
    [
      { level: 'destructive' },
      {},
      'destructive overridden; readOnly-! destructive+! idempotent-? openWorld+?',
    ],
    [
      { level: 'readOnly', openWorld: false },
      everything,
      'readOnly overridden; readOnly+! destructive-! idempotent+! openWorld-!',
    ],
    [
      { level: 'destructive', openWorld: true },
      { readOnlyHint: true, openWorldHint: false },
      'destructive overridden; readOnly-! destructive+! idempotent-? openWorld+!',
    ],
    // beside readOnlyHint: true it said nothing.
    [
      { level: 'additive' },
      { readOnlyHint: true, idempotentHint: true },
      'additive overridden; readOnly-! destructive-! idempotent-? openWorld+?',
    ],
  ] as const) {
    const said = `${JSON.stringify(override)} over ${JSON.stringify(annotations)}`;
    it(`with ${said} is ${expected.split(';')[0]}`, () => {
      assert.equal(picture(annotations, override), expected);
    });
  }

  it('contains the values of its hints', () => {
    const risk = riskOf({ destructiveHint: false, idempotentHint: true, openWorldHint: false });
    assert.deepEqual(
      [risk.openWorld, risk.idempotent],
      [risk.hints.openWorld.value, risk.hints.idempotent.value],
    );
  });

  it('ignores similar keys (R-316)', () => {
    const lookAlikes: object = { readOnly: true, destructive: false, requiresConfirmation: false };
    assert.deepEqual(riskOf(lookAlikes), riskOf({}));
  });

  it('names the values that are no hints, however many there are', () => {
    const tool = (annotations: object) =>
      parseTool({ name: 'a', inputSchema: { type: 'object' }, annotations });
    const bare = tool({ readOnly: true, destructive: false, readOnlyHint: 'yes', audience: 1 });
    assert.deepEqual(riskOfTool(bare), {
      ...riskOf({}),
      ineffective: ['readOnly', 'destructive', 'readOnlyHint'],
    });
    const many = Array.from({ length: 200 }, (_, n) => [
      `${'-'.repeat(n % 30)}safe${'_'.repeat(n / 30)}`,
      1,
    ]);
    assert.equal(riskOfTool(tool(Object.fromEntries(many))).ineffective.length, 10);
    assert.deepEqual(riskOfTool(tool({})), riskOf({}));
  });
});
