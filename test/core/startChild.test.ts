import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { startChild } from '../../src/core/stdio/startChild';

/** Node tells of every process that it makes. */
const channel = 'child_process';

describe('Programs that start together', () => {
  it('start one in each round of the loop, so that others have their turn between', async () => {
    let round = 0;
    let isOver = false;
    const count = (): void => {
      round += 1;
      if (!isOver) setImmediate(count);
    };
    const rounds: number[] = [];
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
    assert.equal(rounds.length, 6);
    assert.equal(new Set(rounds).size, 6);
  });

  it('are not started when they are cancelled before their turn', async () => {
    let made = 0;
    const onProcess = (): void => void (made += 1);
    subscribe(channel, onProcess);
    try {
      const program = { file: process.execPath, args: ['-v'], env: {} };
      const source = new CancellationTokenSource();
      const first = startChild(program, undefined);
      const second = startChild(program, undefined, source.token);
      source.cancel();
      await assert.rejects(second, { code: 'cancelled' });
      const child = await first;
      child.stdout?.resume();
      await once(child, 'close');
    } finally {
      unsubscribe(channel, onProcess);
    }
    assert.equal(made, 1);
  });

  it('start also after one that could not', async () => {
    const missing = { file: '/no/such/program', args: [], env: {} };
    await assert.rejects(startChild(missing, undefined), { code: 'spawnFailed' });
    const child = await startChild({ file: process.execPath, args: ['-v'], env: {} }, undefined);
    child.stdout?.resume();
    assert.deepEqual((await once(child, 'close'))[0], 0);
  });
});
