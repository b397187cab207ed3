/// <reference lib="es2024.arraybuffer" />

/** By how much the memory grows, in bytes. */
const growthBytes = 1024 * 1024;

/** Bytes that are added at the end, in memory that grows where it is: nothing is held twice. */
export class GrowingBytes {
  readonly #memory: ArrayBuffer;
  #bytes: Buffer;
  /** How many were written; whoever writes counts them. */
  length = 0;

  /** @throws {RangeError} when the system has no room for an address range of that size */
  constructor(maxBytes: number) {
    this.#memory = new ArrayBuffer(0, { maxByteLength: maxBytes });
    this.#bytes = Buffer.from(this.#memory);
  }

  /** Where to write, with room for `count` bytes after `length`; undefined when that is too much. */
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

  /** What was written; nothing can be added any more. */
  finish(): Uint8Array {
    this.#memory.resize(this.length);
    return new Uint8Array(this.#memory, 0, this.length);
  }
}
