/**
 * Text as the value of an `Mcp-Name` or `Mcp-Param-*` header: as it is where it is plain visible
 * ASCII with inner spaces, otherwise as `=?base64?…?=` over its UTF-8 bytes. A plain value that
 * looks like that form is encoded too, so that decoding is never ambiguous.
 *
 * Spec: 2026-07-28 basic/transports/streamable-http.
 */
export function encodeHeaderValue(text: string): string {
  const isPlain = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(text);
  const looksEncoded = text.startsWith('=?base64?') && text.endsWith('?=');
  if (isPlain && !looksEncoded) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
