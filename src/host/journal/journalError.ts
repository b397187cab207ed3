import { codeOf } from './segments';

/** An entry could not be written; what was written before stands. */
export class JournalError extends Error {
  constructor(
    /** What the system said; names a path. */
    readonly detail: string,
    /** The system's code, `ENOSPC` for a full disk; `disposed` once the journal is closed. */
    readonly code?: string,
    cause?: unknown,
  ) {
    super(`The journal cannot be written: ${detail}`, { cause });
    this.name = 'JournalError';
  }
}

/** `error` as a JournalError. Never throws. */
export function toJournalError(error: unknown): JournalError {
  if (error instanceof JournalError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new JournalError(detail, codeOf(error), error);
}
