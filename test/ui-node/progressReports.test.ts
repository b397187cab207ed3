import assert from 'node:assert/strict';
import { ProgressReports } from '../../src/ui/activity/progressReports';
import { whileStopped } from '../core/stoppedClock';

describe('Progress of a call', () => {
  it('is shown at most ten times a second, and its last message always (R-460)', () =>
    whileStopped(async (clock) => {
      const shown: string[] = [];
      const reports = new ProgressReports({ report: ({ message }) => shown.push(message ?? '') });
      for (let n = 1; n <= 1_000; n++) reports.take({ progress: n, message: `${n}` });
      assert.deepEqual(shown, ['1']);
      clock.advance(100);
      assert.deepEqual(shown, ['1', '1000']);
      clock.advance(100);
      reports.take({ progress: 1_001, message: 'at once' });
      reports.take({ progress: 1_002, message: 'too late' });
      reports.dispose();
      clock.advance(1_000);
      assert.deepEqual(shown, ['1', '1000', 'at once']);
    }));

  it('never decreases, and never exceeds its total (R-459)', () =>
    whileStopped(async (clock) => {
      let percent = 0;
      const seen: number[] = [];
      const reports = new ProgressReports({
        report: ({ increment = 0 }) => (percent += increment),
      });
      for (const [progress, total] of [
        [1, 4],
        [0.5, 4],
        [3, undefined],
        [3, 4],
        [9, 4],
      ] as const) {
        reports.take(total === undefined ? { progress } : { progress, total });
        seen.push(percent);
        clock.advance(100);
      }
      reports.dispose();
      assert.deepEqual(seen, [25, 25, 25, 75, 100]);
    }));

  it('shows once why the call waits, and ends that', () => {
    const shown: string[] = [];
    const reports = new ProgressReports({ report: ({ message = '-' }) => shown.push(message) });
    for (const reason of ['', 'Waiting for sign-in', 'Waiting for sign-in', '']) {
      reports.setWaiting(reason);
    }
    reports.dispose();
    assert.deepEqual(shown, ['Waiting for sign-in', '']);
  });
});
