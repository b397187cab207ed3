export type DecodedBase64 =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'tooLarge' };

/**
 * Decodes standard base64 with padding, strictly: a foreign character, a line break or a missing
 * `=` makes it invalid. Never decodes more than `maxBytes`.
 */
export function decodeBase64(text: string, maxBytes: number): DecodedBase64 {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const expected = (text.length / 4) * 3 - padding;
  if (expected > maxBytes) return { kind: 'tooLarge' };
  // Node skips unknown characters and stops at the first `=`, so fewer bytes come out; only the URL
  // alphabet is accepted by Node too.
  if (text.length % 4 !== 0 || /[-_]/.test(text)) return { kind: 'invalid' };
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === expected ? { kind: 'bytes', bytes } : { kind: 'invalid' };
}

/**
 * Decodes base64 in the variants that servers write: as a data URI or a program literal, in the URL
 * alphabet, with line breaks, or without padding. The caller must check the bytes, because any text
 * may look like base64.
 */
export function decodeLooseBase64(text: string, maxBytes: number): DecodedBase64 {
  const plain = text
    .replace(/^\s*data:[^,]{0,200},/i, '')
    .replace(/^\s*b?(['"])(.*)\1\s*$/s, '$2')
    .replaceAll(/\s|\\[rn]/g, '')
    .replaceAll(/%(2b|2f|3d)/gi, (escaped) => decodeURIComponent(escaped))
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '');
  return decodeBase64(plain + '='.repeat((4 - (plain.length % 4)) % 4), maxBytes);
}
