export type DecodedBase64 =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'tooLarge' };

/**
 * The bytes of standard base64 with its padding, strictly: a character that does not belong,
 * a line break or a missing `=` makes it invalid. Never decodes more than `maxBytes`.
 */
export function decodeBase64(text: string, maxBytes: number): DecodedBase64 {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const expected = (text.length / 4) * 3 - padding;
  if (expected > maxBytes) return { kind: 'tooLarge' };
  // Node leaves out what it does not know and stops at the first `=`, so fewer bytes come out; the
  // URL alphabet is the one thing that it takes as well.
  if (text.length % 4 !== 0 || /[-_]/.test(text)) return { kind: 'invalid' };
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === expected ? { kind: 'bytes', bytes } : { kind: 'invalid' };
}

/**
 * The same for base64 as servers write it otherwise: as a data URI or a literal of a program, with
 * the alphabet of URLs, line breaks, or without padding. Whether it was meant, the bytes have to show.
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
