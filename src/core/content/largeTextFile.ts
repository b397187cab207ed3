import { maxExcerptChars } from './contentParts';
import type { FileDraft, FileKind } from './contentParts';
import { beginningOf } from './textData';
import { extensionByLooks, maxLookedAtChars } from './textKind';

/**
 * Makes a file of a text of any size, byte for byte, by reading only its beginning and last byte.
 * Without an extension, text that begins and ends like JSON counts as JSON.
 */
export function largeTextFile(kind: FileKind, bytes: Uint8Array, extension?: string): FileDraft {
  const known = extension ?? extensionOf(bytes);
  return {
    kind,
    extension: known,
    content: { kind: 'text', extension: known },
    notes: [],
    size: bytes.length,
    excerpt: beginningOf(bytes, maxExcerptChars),
    read: () => bytes,
  };
}

function extensionOf(bytes: Uint8Array): string {
  const head = beginningOf(bytes, maxLookedAtChars);
  const end = beginningOf(bytes.subarray(-64), 64).trimEnd().at(-1);
  const isObject = /^\s*\{\s*"/.test(head) && end === '}';
  const isArray = /^\s*\[\s*(["[{\d-]|true|false|null)/.test(head) && end === ']';
  if (isObject || isArray) return 'json';
  return extensionByLooks(head);
}
