import assert from 'node:assert/strict';
import { riskOf, type Hint } from '../../src/core/risk';
import type { ToolAnnotations } from '../../src/core/types';

const sign = (hint: Hint) => (hint.value ? '+' : '-') + (hint.basis === 'assumed' ? '?' : '');

/** `destructive assumed; readOnly- destructive+ idempotent- openWorld+`, with `?` where assumed. */
function picture(annotations: ToolAnnotations): string {
  const { level, basis, hints } = riskOf(annotations);
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

  it('has the values of its hints', () => {
    const risk = riskOf({ destructiveHint: false, idempotentHint: true, openWorldHint: false });
    assert.deepEqual(
      [risk.openWorld, risk.idempotent],
      [risk.hints.openWorld.value, risk.hints.idempotent.value],
    );
  });

  it('lets no look-alike key count (R-316)', () => {
    const lookAlikes: object = { readOnly: true, destructive: false, requiresConfirmation: false };
    assert.deepEqual(riskOf(lookAlikes), riskOf({}));
  });
});
