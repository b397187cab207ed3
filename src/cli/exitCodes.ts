/** What the program says when it ends; documented in docs/command-line.md. The largest trouble counts. */
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

/** Something that the person who typed the command has to change; the message is for them. */
export class UsageError extends Error {}
