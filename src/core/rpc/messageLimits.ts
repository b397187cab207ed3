import { McpError, toMcpError } from '../errors';
import { TooMuchJson } from '../json/jsonLimits';

/** Limits for one message of a server. */
export interface MessageLimits {
  /** In bytes, as received. */
  readonly maxMessageBytes: number;
  /**
   * JSON values that are parsed at once; a name that is new in the message counts as four.
   * Structured content with very many values is not parsed, and does not count.
   */
  readonly maxMessageValues: number;
}

/** Converts the error of a message over its limits, or any other `error`. */
export function tooLarge(code: 'messageTooLarge' | 'answerTooLarge', error: unknown): McpError {
  if (!(error instanceof TooMuchJson)) return toMcpError(error);
  return new McpError(code, { limit: error.limit, measure: error.measure });
}
