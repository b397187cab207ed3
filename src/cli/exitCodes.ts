/** Exit codes, documented in docs/command-line.md. The most serious problem decides. */
export const exitCodes = {
  passed: 0,
  failed: 1,
  wrongUsage: 2,
  denied: 3,
  lockDiffers: 4,
  serverFailed: 5,
  callersBreak: 6,
  cancelled: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The user has to change the command; the message tells them how. */
export class UsageError extends Error {}
