/** Larger ones are read by nobody, and would fill the memory. */
export const maxRecordingBytes = 256 * 1024 * 1024;
/** Its first and last line among them. */
export const maxRecordingLines = 200_000;

/** The last line needs fewer. */
const bytesOfEnd = 100;

/** How much has gone into a recording: never more than is read back. */
export class RecordingRoom {
  #bytes: number;
  #messages = 0;

  /** `head`: the first line, with its line break. */
  constructor(head: Uint8Array) {
    this.#bytes = head.length;
  }

  /** Messages that were taken. */
  get messages(): number {
    return this.#messages;
  }

  /** Whether there is room for one more message, which has it then. */
  take({ length }: Uint8Array): boolean {
    if (this.#messages + 2 >= maxRecordingLines) return false;
    if (this.#bytes + length + bytesOfEnd > maxRecordingBytes) return false;
    this.#bytes += length;
    this.#messages += 1;
    return true;
  }
}
