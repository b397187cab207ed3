import { JournalError } from '../../src/host/journal/journalError';

export function isJournalError(error: unknown): boolean {
  return error instanceof JournalError;
}
