import type { MessageFraming } from '../errors';

/** The first member of a message, also of the first in a batch. */
const messageStart = /^\[?\s*\{\s*"(?:jsonrpc|id|result|error|method|params)"\s*:/;
/** Alone, or behind the message before. */
const lengthHeader = /(?:^|[}\]])content-length:\s*\d+\s*$/i;
const memberAlone = /^\s*"jsonrpc"\s*:\s*"2\.0"\s*,?\s*$/;

/** Notes how a server separates its messages, where that is not one JSON text per line. */
export class Misframing {
  #hasLengths = false;
  #hasMembers = false;

  /** A line that is no JSON. */
  take(line: string): void {
    this.#hasLengths ||= lengthHeader.test(line);
    this.#hasMembers ||= memberAlone.test(line);
  }

  /** `unfinished`: what came behind the last newline. */
  framing(unfinished: string): MessageFraming | undefined {
    if (messageStart.test(unfinished)) return this.#hasLengths ? 'contentLength' : 'noNewline';
    return this.#hasMembers ? 'severalLines' : undefined;
  }
}
