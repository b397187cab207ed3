/// <reference lib="es2024.arraybuffer" />

/** Growth of the memory at each step, in bytes. */
const growthBytes = 1024 * 1024;

/** A buffer for appending, whose memory grows in place: nothing is held twice. */
export class GrowingBytes {
  readonly #memory: ArrayBuffer;
  #bytes: Buffer;
  /** Number of bytes written; updated by the writer. */
  length = 0;

  /** @throws {RangeError} when the system cannot reserve an address range of that size */
  constructor(maxBytes: number) {
    this.#memory = new ArrayBuffer(0, { maxByteLength: maxBytes });
    this.#bytes = Buffer.from(this.#memory);
  }

  /**
   * Returns the buffer with room for `count` bytes after `length`; undefined if that exceeds the
   * maximum.
   */
  withRoom(count: number): Buffer | undefined {
    const needed = this.length + count;
    const { byteLength, maxByteLength } = this.#memory;
    if (needed > maxByteLength) return undefined;
    if (needed > byteLength) {
      this.#memory.resize(Math.min(Math.max(needed, byteLength + growthBytes), maxByteLength));
      this.#bytes = Buffer.from(this.#memory, 0, this.#memory.byteLength);
    }
    return this.#bytes;
  }

  toString(encoding: 'base64' | 'utf8'): string {
    return this.#bytes.toString(encoding, 0, this.length);
  }

  /** Returns the written bytes; nothing can be appended afterwards. */
  finish(): Uint8Array {
    this.#memory.resize(this.length);
    return new Uint8Array(this.#memory, 0, this.length);
  }
}
