import type { ConnectionLog } from '../src/core/log';

const nothing = (): void => undefined;

/** For tests that do not look at what is logged. */
export const silentLog: ConnectionLog = {
  info: nothing,
  warn: nothing,
  error: nothing,
  stderr: nothing,
  trace: nothing,
  isTracing: () => false,
};
