import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Tool } from '../../src/core/types';
import { toolFingerprint } from '../../src/host/consent/facts/fingerprints';
import type { Pins } from '../../src/host/consent/pins/pins';
import { acceptAll, listOf, PinWindows } from './pinFixtures';
import { toolOf } from './treeFixtures';

const tool = fc
  .record({
    name: fc.constantFrom('a', 'b', '__proto__'),
    description: fc.constantFrom('one', 'two', 'three'),
    isReadOnly: fc.boolean(),
    callable: fc.constantFrom(true, true, true, false),
  })
  .map(({ name, description, isReadOnly, callable }) =>
    toolOf(name, { description, annotations: { readOnlyHint: isReadOnly }, callable }),
  );

type Step =
  | { readonly kind: 'lists'; readonly tools: readonly Tool[]; readonly isCut: boolean }
  | { readonly kind: 'stops' }
  | { readonly kind: 'agrees'; readonly tool: Tool }
  | { readonly kind: 'agreesToAll' }
  | { readonly kind: 'otherWindow' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('lists' as const),
    tools: fc.uniqueArray(tool, { maxLength: 4, selector: ({ name }) => name }),
    isCut: fc.boolean(),
  }),
  fc.constant({ kind: 'stops' as const }),
  fc.record({ kind: fc.constant('agrees' as const), tool }),
  fc.constant({ kind: 'agreesToAll' as const }),
  fc.constant({ kind: 'otherWindow' as const }),
);

/** What a person has agreed to, kept as simply as can be. */
class Agreed {
  readonly #fingerprints = new Map<string, string>();
  isBegun = false;

  add({ name, ...rest }: Tool): void {
    if (rest.callable) this.#fingerprints.set(name, toolFingerprint({ name, ...rest }));
  }

  covers(one: Tool): boolean {
    return this.#fingerprints.get(one.name) === toolFingerprint(one);
  }
}

describe('After any changes of a server', () => {
  it('only tools that are exactly as accepted are known', async () => {
    let looked = 0;
    const follow = async (steps: readonly Step[]): Promise<void> => {
      const windows = new PinWindows();
      const open: [Pins, Pins] = [windows.open(), windows.open()];
      const agreed = new Agreed();
      let listed = listOf([]);
      try {
        for (const each of steps) {
          const pins = open[0];
          switch (each.kind) {
            case 'lists': {
              const listProblems = each.isCut
                ? [{ code: 'pageFailed' as const, detail: 'cut' }]
                : [];
              listed = listOf(each.tools, { listProblems });
              if (!agreed.isBegun && !each.isCut && each.tools.length > 0) {
                agreed.isBegun = true;
                for (const one of each.tools) agreed.add(one);
              }
              await pins.observe(listed);
              break;
            }
            case 'stops':
              await pins.observe(listOf([], { state: { kind: 'stopped' } }));
              break;
            case 'agrees':
              agreed.isBegun = true;
              agreed.add(each.tool);
              await pins.accept(listed.config, each.tool);
              break;
            case 'agreesToAll':
              agreed.isBegun ||= listed.tools.length > 0;
              for (const entry of listed.tools) agreed.add(entry.tool);
              await acceptAll(pins, listed);
              break;
            case 'otherWindow':
              open.reverse();
              break;
          }
          for (const window of open) {
            for (const { tool: one } of listed.tools.filter((entry) => entry.tool.callable)) {
              const { kind } = await window.stateOf(listed.config, one);
              // A tool whose end was accepted is new when it comes back.
              if (kind === 'known') assert.ok(agreed.covers(one), `${one.name} is known`);
              looked += 1;
            }
          }
        }
      } finally {
        windows.remove();
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), follow), {
      numRuns: 150,
    });
    assert.ok(looked > 500, `looked at ${looked} tools`);
  });
});
