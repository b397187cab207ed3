import assert from 'node:assert/strict';
import { AutoExpand } from '../../src/ui/tree/autoExpand';
import type { ServerRow } from '../../src/ui/tree/treeRows';
import { StoppedClock } from '../core/stoppedClock';

const patienceMs = 3_000;
const quietMs = 1_000;

describe('The rows of servers that start together', () => {
  let isVisible: boolean;
  let starting: string[];
  let opened: string[][];
  let burst: AutoExpand;
  let clock: StoppedClock;

  beforeEach(() => {
    isVisible = true;
    starting = [];
    opened = [];
    clock = new StoppedClock();
    burst = new AutoExpand(
      {
        isVisible: () => isVisible,
        starting: () => starting,
        open: (rows) => opened.push(rows.map(({ serverId }) => serverId)),
      },
      patienceMs,
      quietMs,
    );
  });
  afterEach(() => {
    burst.dispose();
    clock.release();
  });

  const names = (count: number) => Array.from({ length: count }, (_, n) => `s${n}`);
  const begin = (ids: readonly string[]) => {
    starting.push(...ids);
    burst.look();
  };
  const ready = (id: string) => {
    starting = starting.filter((one) => one !== id);
    burst.add({ kind: 'server', serverId: id } as ServerRow);
    burst.look();
  };

  it('expand when the last of a few has started', () => {
    begin(names(3));
    for (const id of ['s1', 's0']) ready(id);
    assert.deepEqual(opened, []);
    ready('s2');
    assert.deepEqual(opened, [['s1', 's0', 's2']]);
  });

  it('stay collapsed if there are more than a few', () => {
    begin(names(40));
    for (const id of names(40)) ready(id);
    assert.deepEqual(opened, []);
  });

  it('stay collapsed if many list their tools only after the start', () => {
    begin(names(40));
    starting = [];
    burst.look();
    for (const id of names(40)) ready(id);
    assert.deepEqual(opened, []);
  });

  it('do not wait forever for a slow one, which expands when it has started', () => {
    begin(names(3));
    ready('s0');
    ready('s1');
    clock.advance(patienceMs - 1);
    assert.deepEqual(opened, []);
    clock.advance(1);
    assert.deepEqual(opened, [['s0', 's1']]);
    ready('s2');
    assert.deepEqual(opened, [['s0', 's1'], ['s2']]);
  });

  it('stay collapsed if there are more than a few, and slow ones', () => {
    begin(names(5));
    ready('s0');
    clock.advance(patienceMs);
    ready('s1');
    assert.deepEqual(opened, []);
  });

  it('wait until the view is visible, and keep the number they had before', () => {
    isVisible = false;
    begin(names(2));
    for (const id of names(2)) ready(id);
    assert.deepEqual(opened, []);
    isVisible = true;
    burst.look();
    assert.deepEqual(opened, [['s0', 's1']]);
  });

  it('are counted as another group after a while', () => {
    begin(names(5));
    for (const id of names(5)) ready(id);
    clock.advance(quietMs);
    begin(['late']);
    ready('late');
    assert.deepEqual(opened, [['late']]);
  });
});
