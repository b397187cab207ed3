import {
  isSameJson,
  finiteNumberOrAbsent,
  isObject,
  restOf,
  stringOrAbsent,
  type UnknownObject,
  type Mutable,
} from '../json/shapes';
import type {
  BinaryData,
  ContentAnnotations,
  ContentBlock,
  ResourceContents,
  Role,
  TextData,
} from '../types';
import type { JsonObject } from '../json/jsonValue';

/**
 * Parses one content block. An unknown type or a malformed block is kept as received, with the
 * reason. Never throws.
 *
 * Spec: 2025-11-25 server/tools#tool-result
 */
export function parseContentBlock(value: unknown): ContentBlock {
  if (!isObject(value)) return unknownBlock(value, 'not an object');
  const known = parseKnownBlock(value);
  if (typeof known === 'string') return unknownBlock(value, known);
  const block = isRole(value.role) ? { ...known, role: value.role } : known;
  const annotations = parseContentAnnotations(value);
  const rest = restOfBlock(value, block, annotations);
  if (annotations === undefined && rest === undefined) return block;
  return {
    ...block,
    ...(annotations === undefined ? {} : { annotations }),
    ...(rest === undefined ? {} : { rest }),
  };
}

/** Keeps the members of a block that our type does not have, so that nothing gets lost. */
function restOfBlock(
  value: UnknownObject,
  block: ContentBlock,
  annotations: ContentAnnotations | undefined,
): JsonObject | undefined {
  const restOfOne = (raw: UnknownObject, parsed: object): JsonObject | undefined =>
    restOf(raw, (name) =>
      name === 'annotations'
        ? isSameJson(raw[name], annotations ?? {})
        : Object.hasOwn(parsed, name),
    );
  const rest = restOfOne(value, block);
  if (block.type !== 'resource' || !isObject(value.resource)) return rest;
  const resource = restOfOne(value.resource, block.resource);
  return resource === undefined ? rest : { ...rest, resource };
}

export function isRole(value: unknown): value is Role {
  return value === 'user' || value === 'assistant';
}

export function unknownBlock(raw: unknown, reason: string): ContentBlock {
  return { type: 'unknown', raw, reason };
}

/** Returns the block, or why it is malformed. */
function parseKnownBlock(value: UnknownObject): ContentBlock | string {
  switch (value.type) {
    case 'text':
      return isStringOrBytes(value.text)
        ? { type: 'text', text: value.text }
        : 'text is not a string';
    case 'image':
    case 'audio': {
      const { type, data, mimeType } = value;
      if (!isStringOrBytes(data)) return 'data is not a string';
      if (typeof mimeType !== 'string') return 'mimeType is not a string';
      return { type, data, mimeType };
    }
    case 'resource_link':
      return parseResourceLink(value);
    case 'resource': {
      const resource = parseResourceContents(value.resource);
      return typeof resource === 'string'
        ? `resource: ${resource}`
        : { type: 'resource', resource };
    }
    default:
      return typeof value.type === 'string' ? 'unknown type' : 'type is not a string';
  }
}

function parseResourceLink(value: UnknownObject): ContentBlock | string {
  if (typeof value.uri !== 'string') return 'uri is not a string';
  const link: Mutable<Extract<ContentBlock, { type: 'resource_link' }>> = {
    type: 'resource_link',
    uri: value.uri,
    // The specification requires a name, but the link works without it.
    name: stringOrAbsent(value.name) ?? value.uri,
  };
  const title = stringOrAbsent(value.title);
  if (title !== undefined) link.title = title;
  const description = stringOrAbsent(value.description);
  if (description !== undefined) link.description = description;
  const mimeType = stringOrAbsent(value.mimeType);
  if (mimeType !== undefined) link.mimeType = mimeType;
  const size = finiteNumberOrAbsent(value.size);
  if (size !== undefined && size >= 0) link.size = size;
  return link;
}

/**
 * Parses the contents of a resource, or says why they are malformed. Without text and blob the
 * resource is empty. `fallbackUri` replaces a missing URI.
 */
export function parseResourceContents(
  value: unknown,
  fallbackUri?: string,
): ResourceContents | string {
  if (!isObject(value)) return 'not an object';
  const uri = stringOrAbsent(value.uri) ?? fallbackUri;
  if (uri === undefined) return 'uri is not a string';
  const contents: Mutable<ResourceContents> = { uri };
  const mimeType = stringOrAbsent(value.mimeType);
  if (mimeType !== undefined) contents.mimeType = mimeType;
  const { text, blob } = value;
  if (isStringOrBytes(text)) contents.text = text;
  else if (isStringOrBytes(blob)) contents.blob = blob;
  else if (text !== undefined && text !== null) return 'text is not a string';
  else if (blob !== undefined && blob !== null) return 'blob is not a string';
  return contents;
}

/** The reader converts very large texts and base64 to bytes while they arrive. */
function isStringOrBytes(value: unknown): value is BinaryData | TextData {
  return typeof value === 'string' || value instanceof Uint8Array;
}

/**
 * Accepted beside the block or inside its resource, as in the specification's own examples.
 */
export function parseContentAnnotations(block: UnknownObject): ContentAnnotations | undefined {
  const inner = isObject(block.resource) ? block.resource.annotations : undefined;
  const value = isObject(block.annotations) ? block.annotations : inner;
  if (!isObject(value)) return undefined;
  const annotations: Mutable<ContentAnnotations> = {};
  const { audience, lastModified } = value;
  if (Array.isArray(audience)) {
    const roles = audience.filter(isRole);
    // Without a known role, the block is shown to everyone.
    if (roles.length > 0) annotations.audience = roles;
  }
  const priority = finiteNumberOrAbsent(value.priority);
  if (priority !== undefined && priority >= 0 && priority <= 1) annotations.priority = priority;
  if (typeof lastModified === 'string' && !Number.isNaN(Date.parse(lastModified))) {
    annotations.lastModified = lastModified;
  }
  return Object.keys(annotations).length === 0 ? undefined : annotations;
}
