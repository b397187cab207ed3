import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { startChild } from '../../src/core/stdio/startChild';

/** Node tells of every process that it makes. */
const channel = 'child_process';

describe('Programs that start together', () => {
  it('start in turns of the event loop of their own, with another turn between for other work', async () => {
    let round = 0;
    let isOver = false;
    const count = (): void => {
      round += 1;
      if (!isOver) setImmediate(count);
    };
    // The round in which they are asked for is the first one.
    const rounds: number[] = [round];
    const onProcess = (): void => void rounds.push(round);
    subscribe(channel, onProcess);
    count();
    try {
      const program = { file: process.execPath, args: ['-v'], env: {} };
      const children = await Promise.all(
        Array.from({ length: 6 }, async () => {
          const child = await startChild(program, undefined);
          child.stdout?.resume();
          return once(child, 'close');
        }),
      );
      assert.deepEqual(
        children.map(([code]) => code),
        [0, 0, 0, 0, 0, 0],
      );
    } finally {
      isOver = true;
      unsubscribe(channel, onProcess);
    }
    assert.equal(rounds.length, 7);
    const apart = rounds.slice(1).map((each, at) => each - (rounds[at] ?? each));
    assert.deepEqual(
      apart.filter((between) => between < 2),
      [],
    );
  });

  it('are not started if they are cancelled before their turn', async () => {
    let made = 0;
    const onProcess = (): void => void (made += 1);
    subscribe(channel, onProcess);
    try {
      const program = { file: process.execPath, args: ['-v'], env: {} };
      const source = new CancellationTokenSource();
      // Heard of from the beginning: it may be over before the other is.
      const first = startChild(program, undefined).then((child) => {
        child.stdout?.resume();
        return once(child, 'close');
      });
      const second = startChild(program, undefined, source.token);
      source.cancel();
      await assert.rejects(second, { code: 'cancelled' });
      await first;
    } finally {
      unsubscribe(channel, onProcess);
    }
    assert.equal(made, 1);
  });

  it('start even after one that could not', async () => {
    const missing = { file: '/no/such/program', args: [], env: {} };
    await assert.rejects(startChild(missing, undefined), { code: 'spawnFailed' });
    const child = await startChild({ file: process.execPath, args: ['-v'], env: {} }, undefined);
    child.stdout?.resume();
    assert.deepEqual((await once(child, 'close'))[0], 0);
  });
});
