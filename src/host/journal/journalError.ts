import { systemErrorCode } from '../../core/bounds/systemError';

/** An entry could not be written; earlier entries stay. */
export class JournalError extends Error {
  constructor(
    /** The system's message; contains a path. */
    readonly detail: string,
    /**
     * The system's code, such as `ENOSPC` for a full disk; `disposed` once the journal is closed.
     */
    readonly code?: string,
    cause?: unknown,
  ) {
    super(`The journal cannot be written: ${detail}`, { cause });
    this.name = 'JournalError';
  }
}

/** Converts `error` to a JournalError. Never throws. */
export function toJournalError(error: unknown): JournalError {
  if (error instanceof JournalError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new JournalError(detail, systemErrorCode(error), error);
}
