import { RawJson } from './rawJson';
import { WrittenNumber } from './writtenNumber';

/**
 * True for a value whose members may be walked; every walk over values must use it. Bytes in any
 * form, JSON that is kept as text, and numbers as written are one leaf each, like strings: bytes
 * may have 512 Mi members, none of them a value of its own.
 */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isLeafObject(value);
}

function isLeafObject(value: object): boolean {
  return (
    ArrayBuffer.isView(value) ||
    value instanceof RawJson ||
    value instanceof WrittenNumber ||
    value instanceof ArrayBuffer
  );
}

/** Wraps the bytes in a Buffer without copying them; `undefined` for other values. */
export function bytesOf(value: unknown): Buffer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (ArrayBuffer.isView(value)) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined;
}
