import type { MessageFraming } from '../errors';

/** Matches the first member of a message, also of the first in a batch. */
const messageStart = /^\[?\s*\{\s*"(?:jsonrpc|id|result|error|method|params)"\s*:/;
/** Matches a length header alone or behind the previous message. */
const lengthHeader = /(?:^|[}\]])content-length:\s*\d+\s*$/i;
const memberAlone = /^\s*"jsonrpc"\s*:\s*"2\.0"\s*,?\s*$/;

/** Detects how a server separates its messages, if it does not write one JSON text per line. */
export class FramingDetector {
  #hasLengths = false;
  #hasMembers = false;

  /** Takes a line that is not JSON. */
  take(line: string): void {
    this.#hasLengths ||= lengthHeader.test(line);
    this.#hasMembers ||= memberAlone.test(line);
  }

  /** @param unfinished the data after the last newline */
  framing(unfinished: string): MessageFraming | undefined {
    if (messageStart.test(unfinished)) return this.#hasLengths ? 'contentLength' : 'noNewline';
    return this.#hasMembers ? 'severalLines' : undefined;
  }
}
