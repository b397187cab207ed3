import { McpError, toMcpError } from '../errors';
import { TooMuchJson } from '../json/jsonLimits';

/** What one message of a server may be. */
export interface MessageLimits {
  /** In bytes, as it comes. */
  readonly maxMessageBytes: number;
  /**
   * JSON values that are parsed at once; a name that was not in the message before counts as four.
   * Structured content of very many values is not parsed, and does not count.
   */
  readonly maxMessageValues: number;
}

/** The error of a message over its limits, or whatever else `error` is. */
export function tooLarge(code: 'messageTooLarge' | 'answerTooLarge', error: unknown): McpError {
  if (!(error instanceof TooMuchJson)) return toMcpError(error);
  return new McpError(code, { limit: error.limit, measure: error.measure });
}
