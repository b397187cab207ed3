import assert from 'node:assert/strict';
import { type Risk, type RiskLevel, riskOf, type RiskOverride } from '../../src/core/risk';
import type { ToolAnnotations } from '../../src/core/types';
import { colors } from '../../src/ids';
import {
  formatBriefRisk,
  hintLines,
  riskIconFacts,
  riskSentence,
  formatRisk,
} from '../../src/ui/format/formatRisk';
import { assertEach } from '../assertions';

const annotations = {
  readOnly: { readOnlyHint: true },
  additive: { readOnlyHint: false, destructiveHint: false },
  declared: { destructiveHint: true },
  assumed: {},
} satisfies Record<string, ToolAnnotations>;

function eachRisk<T>(look: (risk: Risk) => T): Record<string, T> {
  return Object.fromEntries(
    Object.entries(annotations).map(([name, given]) => [name, look(riskOf(given))]),
  );
}

function lines(given: ToolAnnotations): string[] {
  return hintLines(riskOf(given)).map(({ hint, text }) => `${hint}: ${text}`);
}

describe('The icon and the text of a risk', () => {
  it('have a shape and a color for each level, and different ones if it is assumed', () => {
    const looks = eachRisk((risk) => {
      const { icon, color } = riskIconFacts(risk);
      return [icon, color];
    });
    assert.deepEqual(looks, {
      readOnly: ['eye', colors.readOnly],
      additive: ['diff-added', colors.additive],
      declared: ['flame', colors.destructive],
      assumed: ['warning', colors.assumed],
    });
  });

  it('say the same', () => {
    assert.deepEqual(eachRisk(formatRisk), {
      readOnly: 'read-only',
      additive: 'adds only',
      declared: 'destructive',
      assumed: 'destructive (assumed)',
    });
    assert.deepEqual(eachRisk(formatBriefRisk), {
      readOnly: 'read-only',
      additive: 'adds only',
      declared: 'destructive',
      assumed: 'destructive?',
    });
    const checked = riskOf({}, { level: 'readOnly' });
    assert.deepEqual(
      [formatRisk(checked), formatBriefRisk(checked), riskIconFacts(checked).icon],
      ['read-only (set by you)', 'read-only (set by you)', 'eye'],
    );
    assert.equal(riskIconFacts(riskOf({}, { level: 'destructive' })).icon, 'flame');
  });

  it('say level and outside systems in one sentence, each with its source', () => {
    const levels: readonly (readonly [ToolAnnotations, RiskLevel | undefined, string])[] = [
      [{ readOnlyHint: true }, undefined, 'Only reads (declared)'],
      [{ destructiveHint: false }, undefined, 'Adds only; never deletes or overwrites (declared)'],
      [{ destructiveHint: true }, undefined, 'Deletes or overwrites (declared)'],
      [{}, undefined, 'May delete or overwrite (assumed: the server does not declare it)'],
      [
        { readOnlyHint: false },
        undefined,
        'May delete or overwrite (assumed: the server does not declare how it changes things)',
      ],
      [{}, 'readOnly', 'Only reads (set by you)'],
      [{}, 'additive', 'Adds only; never deletes or overwrites (set by you)'],
      [{}, 'destructive', 'Deletes or overwrites (set by you)'],
    ];
    const worlds: readonly (readonly [ToolAnnotations, boolean | undefined, string])[] = [
      [
        { openWorldHint: true },
        undefined,
        'reaches outside systems, such as the network (declared)',
      ],
      [{ openWorldHint: false }, undefined, 'reaches no outside systems (declared)'],
      [{}, undefined, 'may reach outside systems (assumed)'],
      [{}, true, 'reaches outside systems, such as the network (set by you)'],
      [{}, false, 'reaches no outside systems (set by you)'],
    ];
    for (const [annotated, level, first] of levels) {
      for (const [world, openWorld, second] of worlds) {
        // Only together with a level can the reach be set.
        if (openWorld !== undefined && level === undefined) continue;
        const override = level && { level, ...(openWorld === undefined ? {} : { openWorld }) };
        assert.equal(
          riskSentence(riskOf({ ...annotated, ...world }, override)),
          `${first}; ${second}.`,
        );
      }
    }
  });

  it('say in a second sentence that a tool is safe to repeat, if the server declares that', () => {
    const again = ' Safe to repeat (declared).';
    const said = (given: ToolAnnotations, override?: RiskOverride) =>
      riskSentence(riskOf({ ...given, idempotentHint: true }, override)).endsWith(again);
    assert.deepEqual(
      [said({}), said({ destructiveHint: false }), said({}, { level: 'additive' })],
      [true, true, true],
    );
    assert.deepEqual(
      [said({ readOnlyHint: true }), said({}, { level: 'readOnly' })],
      [false, false],
    );
    assert.equal(riskSentence(riskOf({ idempotentHint: false })).includes('second call'), false);
  });

  it('list the four hints, each with its source', () => {
    assert.deepEqual(lines({ destructiveHint: true }), [
      'readOnlyHint: no (assumed)',
      'destructiveHint: yes (declared by the server)',
      'idempotentHint: no (assumed)',
      'openWorldHint: yes (assumed)',
    ]);
    assert.deepEqual(lines({ readOnlyHint: true, destructiveHint: true, openWorldHint: false }), [
      'readOnlyHint: yes (declared by the server)',
      'destructiveHint: no (follows from read-only)',
      'idempotentHint: yes (follows from read-only)',
      'openWorldHint: no (declared by the server)',
    ]);
  });

  it('say that hints outside of annotations have no effect, with the right name', () => {
    const names = [
      'destructive',
      'Read_Only',
      'requiresConfirmation',
      'openWorldHint',
      'safe\n\u202E',
    ];
    const shown = hintLines(riskOf({}, undefined, names)).slice(4);
    assertEach(shown, ({ hint, text }) => `${hint}: ${text}`, [
      'destructive: has no effect; the MCP annotation is “destructiveHint”',
      'Read_Only: has no effect; the MCP annotation is “readOnlyHint”',
      'requiresConfirmation: has no effect; MCP has no such annotation',
      'openWorldHint: has no effect because it is neither true nor false',
      'safe\\n\\u{202E}: has no effect; MCP has no such annotation',
    ]);
  });

  it('say for each hint that the user has set it', () => {
    const risk = riskOf({ readOnlyHint: true }, { level: 'additive', openWorld: false });
    assertEach(hintLines(risk), ({ hint, text }) => `${hint}: ${text}`, [
      'readOnlyHint: no (set by you)',
      'destructiveHint: no (set by you)',
      'idempotentHint: no (assumed)',
      'openWorldHint: no (set by you)',
    ]);
  });
});
