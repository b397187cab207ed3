/** Larger recordings are not useful, and would fill the memory. */
export const maxRecordingBytes = 256 * 1024 * 1024;
/** Includes the first and last line. */
export const maxRecordingLines = 200_000;

/** Enough for the last line. */
const bytesOfEnd = 100;

/** Tracks the size of a recording, so that it never exceeds what can be read back. */
export class RecordingRoom {
  #bytes: number;
  #messages = 0;

  /** @param head The first line with its line break. */
  constructor(head: Uint8Array) {
    this.#bytes = head.length;
  }

  /** The number of messages that were added. */
  get messages(): number {
    return this.#messages;
  }

  /** Reserves space for a message. Returns false if there is not enough. */
  take({ length }: Uint8Array): boolean {
    if (this.#messages + 2 >= maxRecordingLines) return false;
    if (this.#bytes + length + bytesOfEnd > maxRecordingBytes) return false;
    this.#bytes += length;
    this.#messages += 1;
    return true;
  }
}
