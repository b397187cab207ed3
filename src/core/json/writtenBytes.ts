import { bufferOf } from './jsonLimits';
import { deepestBytesPlace } from './largeValues';
import { bytesOf, isContainer } from './shapes';

/**
 * Returns the text that a server wrote for bytes: a large text below `text`, base64 elsewhere.
 * `key` names the member that holds them.
 */
export function writtenBytes(key: string, bytes: Uint8Array): string {
  return bufferOf(bytes).toString(key === 'text' ? 'utf8' : 'base64');
}

/**
 * Returns `value` with the server's text in place of bytes; the same object if it holds none.
 * Searches no deeper than bytes can occur.
 */
export function withWrittenBytes(value: unknown, key = '', depth = 0): unknown {
  const bytes = bytesOf(value);
  if (bytes !== undefined) return writtenBytes(key, bytes);
  if (!isContainer(value) || depth === deepestBytesPlace) return value;
  let copy: Record<string, unknown> | unknown[] | undefined;
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    const member: unknown = Reflect.get(value, name);
    if (typeof member !== 'object' || member === null) continue;
    const written = withWrittenBytes(member, name, depth + 1);
    if (written === member) continue;
    copy ??= Array.isArray(value) ? [...(value as unknown[])] : { ...value };
    Object.defineProperty(copy, name, { value: written });
  }
  return copy ?? value;
}
