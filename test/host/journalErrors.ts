import { JournalError } from '../../src/host/journal/journalError';

export const isJournalError = (error: unknown): boolean => error instanceof JournalError;
