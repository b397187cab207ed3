import { bufferOf } from '../json/bufferOf';
import { jsonTextOf } from '../json/jsonText';
import type { FilePart } from './contentParts';

/**
 * Returns a part as the JSON that a server would send: a content block of a tool, or a resource. A
 * part that is JSON already is returned as it is.
 *
 * Spec: 2025-11-25 schema, TextContent, ImageContent, AudioContent, EmbeddedResource
 */
export function blockJson(part: FilePart, bytes: Uint8Array): string | undefined {
  const isText = part.excerpt !== undefined;
  const buffer = bufferOf(bytes);
  const { kind, mimeType, uri, annotations } = part;
  const more = annotations === undefined ? {} : { annotations };
  if (kind === 'image' || kind === 'audio') {
    return jsonTextOf({ type: kind, data: buffer.toString('base64'), mimeType, ...more });
  }
  const text = buffer.toString('utf8');
  if (kind === 'resource') {
    const content = isText ? { text } : { blob: buffer.toString('base64') };
    return jsonTextOf({ type: kind, resource: { uri, mimeType, ...content }, ...more });
  }
  return kind === 'text' ? jsonTextOf({ type: kind, text, ...more }) : text;
}
