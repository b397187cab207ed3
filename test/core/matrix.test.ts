import assert from 'node:assert/strict';
import { revisions } from '../../src/core/types';
import { Bench } from './matrixBench';
import type { Row } from './matrixBench';
import { features, transports, whyAbsent, whyNoRow } from './matrixCells';

// Every revision over every transport against real servers of both official SDKs. One connection
// for each row, one test for each cell; the table is printed at the end. What is not tried is
// named with its reason in matrixCells.ts.

const rows: readonly Row[] = revisions
  .toReversed()
  .flatMap((revision) =>
    transports.flatMap((transport) =>
      ([1, 2] as const).map((sdk): Row => ({ revision, transport, sdk })),
    ),
  );
const nameOf = ({ revision, transport, sdk }: Row) => `${revision}, ${transport}, SDK ${sdk}`;

const marks = new Map<string, string>();
const placeOf = (row: Row, feature: string) => `${nameOf(row)}: ${feature}`;

describe('Every revision and transport', () => {
  after(printTable);

  for (const row of rows.filter((it) => whyNoRow(it) === undefined)) {
    describe(nameOf(row), () => {
      const bench = new Bench(row);
      let failure: unknown;
      before(() => bench.connect().catch((error: unknown) => (failure = error)));
      after(() => bench.stop());
      for (const feature of features) {
        const place = placeOf(row, feature.name);
        const why = whyAbsent(row, feature);
        if (why !== undefined) {
          marks.set(place, '–');
          continue;
        }
        it(feature.fact, async () => {
          marks.set(place, 'FAIL');
          if (failure !== undefined) throw failure;
          await feature.check(bench);
          marks.set(place, 'ok');
        });
      }
    });
  }

  // In a suite of its own, because the tests of a suite run before those of its inner ones.
  describe('The matrix', () =>
    it('has a verdict in each cell', () => {
      const unseen = rows
        .filter((row) => whyNoRow(row) === undefined)
        .flatMap((row) => features.map(({ name }) => placeOf(row, name)))
        .filter((place) => !marks.has(place));
      assert.deepEqual(unseen, []);
      assert.ok([...marks.values()].filter((mark) => mark !== '–').length > 400);
    }));
});

const toCell = (feature: string, mark: string) => mark.padEnd(Math.max(feature.length, 4) + 1);

function printTable(): void {
  const width = Math.max(...rows.map((row) => nameOf(row).length)) + 1;
  const head = features.map(({ name }) => toCell(name, name)).join('');
  const lines = rows.map((row) => {
    const why = whyNoRow(row);
    const cells = features.map(({ name }) => toCell(name, marks.get(placeOf(row, name)) ?? '?'));
    return nameOf(row).padEnd(width) + (why === undefined ? cells.join('') : `– ${why}`);
  });
  const reasons = features.flatMap((feature) => {
    const whys = rows
      .filter((row) => whyNoRow(row) === undefined)
      .map((row) => whyAbsent(row, feature));
    return [...new Set(whys)].filter((why) => why !== undefined).map((why) => [feature.name, why]);
  });
  console.log(['', ''.padEnd(width) + head, ...lines].join('\n'));
  for (const [name, why] of reasons) console.log(`  – ${name}: ${why}`);
}
