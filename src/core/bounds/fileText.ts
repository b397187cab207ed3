/**
 * Decodes a file in UTF-8, or in the UTF-16 that PowerShell and Windows editors write, and removes
 * the byte order mark. UTF-16 without one is recognized by its first character, because no text
 * begins with a zero byte.
 */
export function fileText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  const encoding = isLittle ? 'utf-16le' : isBig && bytes.length > 1 ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}
