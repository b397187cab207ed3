import { RawJson } from './rawJson';
import { WrittenNumber } from './writtenNumber';

/**
 * Everything that walks a value asks here what it may walk into. Bytes, in whatever form, JSON that
 * is kept as text, and numbers as they were written are one leaf each, as a string is: bytes may
 * have 512 Mi members, and none is a value of its own.
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

/** The same bytes as Node's, not a copy; `undefined` for what is none. */
export function bytesOf(value: unknown): Buffer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (ArrayBuffer.isView(value)) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  return value instanceof ArrayBuffer ? Buffer.from(value) : undefined;
}
