import assert from 'node:assert/strict';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { Completion } from '../../src/core/types';
import { Completions } from '../../src/ui/arguments/completions';
import { StoppedClock } from '../core/stoppedClock';
import { assertEach } from '../assertions';

interface Asked {
  readonly text: string;
  readonly token: CancellationToken;
  answer(completion: Completion): void;
  fail(): void;
}

describe('Completions while the user types', () => {
  let clock: StoppedClock;
  let asked: Asked[];
  let changes: number;
  let completions: Completions;
  beforeEach(() => {
    clock = new StoppedClock();
    asked = [];
    changes = 0;
    completions = new Completions(
      (text, token) =>
        new Promise((resolve, reject) =>
          asked.push({ text, token, answer: resolve, fail: () => reject(new Error('no')) }),
        ),
      () => (changes += 1),
    );
  });
  afterEach(() => {
    completions.dispose();
    clock.release();
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('are requested once after a pause, for the newest text', () => {
    completions.typed('a');
    clock.advance(149);
    completions.typed('ab');
    clock.advance(149);
    assert.deepEqual(asked, []);
    clock.advance(1);
    assertEach(asked, ({ text }) => text, ['ab']);
  });

  it('ignore an answer that arrives late, and cancel its request', async () => {
    void completions.ask('a');
    void completions.ask('ab');
    const [late, newest] = asked;
    assert.equal(late?.token.isCancellationRequested, true);
    newest?.answer({ values: ['abc'], hasMore: true });
    await turn();
    late?.answer({ values: ['axe'], hasMore: false });
    await turn();
    assert.deepEqual(completions.current, { values: ['abc'], hasMore: true });
    assert.equal(completions.isBusy, false);
  });

  it('keep the last values during a request, even if it never returns', async () => {
    void completions.ask('');
    asked[0]?.answer({ values: ['north'], hasMore: false });
    await turn();
    void completions.ask('x');
    await turn();
    assert.deepEqual([completions.current.values, completions.isBusy], [['north'], true]);
    completions.dispose();
    assert.equal(asked[1]?.token.isCancellationRequested, true);
    const before = changes;
    asked[1]?.answer({ values: ['late'], hasMore: false });
    await turn();
    assert.equal(changes, before);
  });

  it('are empty after an error, and are requested again with the next text', async () => {
    void completions.ask('a');
    asked[0]?.fail();
    await turn();
    assert.deepEqual([completions.current.values, completions.isBusy], [[], false]);
    completions.typed('ab');
    clock.advance(150);
    assert.equal(asked.length, 2);
  });
});
