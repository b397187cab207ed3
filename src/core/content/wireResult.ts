import { assertNever } from '../errors';
import { isObject } from '../json/shapes';
import type { BinaryData, ContentBlock, TextData, ToolResult } from '../types';
import { bufferOf } from '../json/bufferOf';
import { jsonTextOf } from '../json/jsonText';
import type { FilePart } from './contentParts';

/** How to represent texts and base64 in the output. */
export interface WireForms {
  readonly text: (text: TextData) => unknown;
  readonly data: (data: BinaryData) => unknown;
}

/**
 * Returns a result as a server would send it, with everything that was received: parsing it gives
 * the same result. Shares its unchanged parts.
 */
export function wireResult(result: ToolResult, forms: WireForms): object {
  const { content, structuredContent, isError, meta, rest } = result;
  const wire = {
    content: content.map((block) => wireBlock(block, forms)),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError,
    ...(meta === undefined ? {} : { _meta: meta }),
    ...rest,
  };
  return result.isOldForm === true ? { toolResult: wire } : wire;
}

function wireBlock(block: ContentBlock, { text, data }: WireForms): unknown {
  const { rest, ...known } = block;
  switch (known.type) {
    case 'unknown':
      return known.raw;
    case 'text':
      return { ...known, text: text(known.text), ...rest };
    case 'image':
    case 'audio':
      return { ...known, data: data(known.data), ...rest };
    case 'resource': {
      const { text: own, blob, ...others } = known.resource;
      const unknown = isObject(rest?.resource) ? rest.resource : {};
      const resource = {
        ...others,
        ...(own === undefined ? {} : { text: text(own) }),
        ...(blob === undefined ? {} : { blob: data(blob) }),
        ...unknown,
      };
      return { ...known, ...rest, resource };
    }
    case 'resource_link':
      return { ...known, ...rest };
    default:
      return assertNever(known);
  }
}

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
