import assert from 'node:assert/strict';
import { type Risk, riskOf } from '../../src/core/risk';
import type { ToolAnnotations } from '../../src/core/types';
import { colors } from '../../src/ids';
import {
  briefRiskWords,
  hintLines,
  riskIcon,
  riskSentence,
  riskWords,
} from '../../src/ui/words/riskWords';

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
  return hintLines(riskOf(given)).map(({ hint, words }) => `${hint}: ${words}`);
}

describe('Risk in words and signs', () => {
  it('has a shape and a colour of its own for each level, assumed ones apart', () => {
    const looks = eachRisk((risk) => {
      const { id, color } = riskIcon(risk);
      return [id, color?.id];
    });
    assert.deepEqual(looks, {
      readOnly: ['eye', colors.readOnly],
      additive: ['diff-added', colors.additive],
      declared: ['flame', colors.destructive],
      assumed: ['warning', colors.assumed],
    });
  });

  it('says in words what the icon shows', () => {
    assert.deepEqual(eachRisk(riskWords), {
      readOnly: 'read-only',
      additive: 'adds only',
      declared: 'destructive',
      assumed: 'destructive (assumed)',
    });
    assert.deepEqual(eachRisk(briefRiskWords), {
      readOnly: 'read-only',
      additive: 'adds only',
      declared: 'destructive',
      assumed: 'destructive?',
    });
  });

  it('says in sentences what a dialog and a screen reader tell', () => {
    assert.deepEqual(eachRisk(riskSentence), {
      readOnly:
        'Read-only: the server says that this tool changes nothing. May reach outside systems (assumed).',
      additive:
        'Adds only: the server says that this tool deletes and overwrites nothing. May reach outside systems (assumed).',
      declared:
        'Destructive: the server says that this tool may delete or overwrite. May reach outside systems (assumed).',
      assumed:
        'Destructive: the server says nothing, so assume that it may delete or overwrite. May reach outside systems (assumed).',
    });
    assert.equal(
      riskSentence(riskOf({ idempotentHint: true, openWorldHint: false })),
      'Destructive: the server says nothing, so assume that it may delete or overwrite. ' +
        'Repeating a call with the same arguments changes nothing more. ' +
        'Reaches no outside systems, the server says.',
    );
  });

  it('lists the four hints, each with how it is known', () => {
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
});
