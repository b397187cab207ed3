/**
 * Encodes text as the value of an `Mcp-Name` or `Mcp-Param-*` header: unchanged if it is visible
 * ASCII with inner spaces, or else as `=?base64?…?=` of its UTF-8 bytes. A plain value in that form
 * is encoded too, so that decoding is unambiguous.
 *
 * Spec: 2026-07-28 basic/transports/streamable-http.
 */
export function encodeHeaderValue(text: string): string {
  const isPlain = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(text);
  const looksEncoded = text.startsWith('=?base64?') && text.endsWith('?=');
  if (isPlain && !looksEncoded) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
