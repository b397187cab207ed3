import type { CallLimits } from '../../src/host/calls/timeLimits';

/** As the settings have it by default, but for what the test is about. */
export function callLimits(callTimeoutMs: number, more: Partial<CallLimits> = {}): CallLimits {
  return {
    callTimeoutMs,
    callTimeouts: new Map(),
    callCeilingMs: 3_600_000,
    maxCallsPerServer: 8,
    ...more,
  };
}
