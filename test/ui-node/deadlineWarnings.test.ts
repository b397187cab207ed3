import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { CallDeadline } from '../../src/core/rpc/callDeadline';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import { DeadlineWarnings } from '../../src/ui/activity/deadlineWarnings';
import { whileStopped } from '../core/stoppedClock';

const { token } = new CancellationTokenSource();

/** Presses the first button of everything that is asked. */
function pressing(asked: string[], sentence: string, button?: string): Promise<string | undefined> {
  asked.push(sentence);
  return Promise.resolve(button);
}

interface Warned {
  readonly asked: string[];
  readonly given: number[];
  readonly pass: (ms: number) => void;
  readonly setLeft: (ms: number | undefined) => void;
}

describe('The end of a time limit', () => {
  const warn = (limitMs: number, act: (parts: Warned) => Promise<void>) =>
    whileStopped(async (clock) => {
      const calls = new RunningCalls();
      const asked: string[] = [];
      const given: number[] = [];
      let leftMs: number | undefined = limitMs;
      const warnings = new DeadlineWarnings({
        calls,
        cancel: () => Promise.resolve(),
        ask: (sentence, button) => pressing(asked, sentence, button),
        say: () => undefined,
      });
      const call = calls.begin('1', { server: 's', tool: 't', origin: 'api' }, token);
      const deadline = new CallDeadline(limitMs, limitMs);
      deadline.follow({
        remainingMs: () => leftMs,
        extend: (ms) => given.push(ms),
        isAtCeiling: () => false,
      });
      call.sending(deadline, () => true);
      calls.sent(call);
      const pass = (ms: number) => {
        for (let passed = 0; passed < ms; passed += 500) {
          if (leftMs !== undefined) leftMs -= 500;
          clock.advance(500);
        }
      };
      await act({ asked, given, pass, setLeft: (ms) => (leftMs = ms) });
      calls.end(call, { kind: 'cancelled', durationMs: 0 });
      warnings.dispose();
      calls.dispose();
    });

  it('is announced once, in the last fifth, and again when it approaches again', () =>
    warn(60_000, async ({ asked, given, pass, setLeft }) => {
      pass(47_500);
      assert.deepEqual(asked, []);
      pass(1_000);
      assert.match(asked[0] ?? '', /^“t” on “s” will be cancelled unless it answers within 12 s/);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(given, [60_000]);
      pass(3_000);
      assert.equal(asked.length, 1);
      setLeft(60_000);
      pass(2_000);
      pass(47_500);
      assert.equal(asked.length, 2);
    }));

  it('is not announced for short limits, or while the clock is paused', async () => {
    await warn(14_999, async ({ asked, pass }) => {
      pass(14_500);
      assert.deepEqual(asked, []);
    });
    await warn(60_000, async ({ asked, pass, setLeft }) => {
      setLeft(undefined);
      pass(100_000);
      assert.deepEqual(asked, []);
    });
  });
});
