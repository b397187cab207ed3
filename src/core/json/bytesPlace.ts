import { isObject } from './shapes';

/**
 * Number of keys down to the deepest place: index in a batch, result, content, index, resource,
 * blob.
 */
export const deepestBytesPlace = 6;

/**
 * Returns the form of a `BinaryData` or `TextData` (see `types.ts`) at `path` of a message: the
 * `data`, `blob` or `text` of content of a known type and the right shape, where a large value may
 * be bytes. Everywhere else text stays text, whatever its key: in `structuredContent`, in content
 * that is shown raw, in requests.
 *
 * Spec: 2025-11-25 schema, TextContent, ImageContent, AudioContent, EmbeddedResource,
 * ReadResourceResult
 *
 * @param path keys from the message down; an answer in a batch begins with its index
 * @param values the values at those keys except the last one; the message comes first
 */
export function bytesPlace(
  path: readonly (string | number)[],
  values: readonly unknown[],
): 'base64' | 'utf8' | undefined {
  if (path.length > deepestBytesPlace) return undefined;
  if (typeof path[0] === 'number') return bytesPlace(path.slice(1), values.slice(1));
  const item = values[3];
  if (!isObject(item) || typeof path[2] !== 'number') return undefined;
  const isMedia = item.type === 'image' || item.type === 'audio';
  const resource = values[4];
  const isResource =
    item.type === 'resource' && isObject(resource) && typeof resource.uri === 'string';
  switch ([...path.slice(0, 2), ...path.slice(3)].join(' ')) {
    case 'result content data':
      return isMedia && typeof item.mimeType === 'string' ? 'base64' : undefined;
    case 'result content text':
      return item.type === 'text' ? 'utf8' : undefined;
    case 'result content resource blob':
      return isResource ? 'base64' : undefined;
    case 'result content resource text':
      return isResource ? 'utf8' : undefined;
    case 'result contents blob':
      return 'base64';
    case 'result contents text':
      return 'utf8';
    default:
      return undefined;
  }
}
