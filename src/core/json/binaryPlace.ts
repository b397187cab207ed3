import { isObject } from '../parse/shapes';

/**
 * Whether what stands at `path` of a message is base64 that `types.ts` has as `BinaryData`: the
 * `data` or `blob` of content of a known type and the right shape. Everywhere else text is text,
 * whatever its key: in `structuredContent`, in content that is shown raw, in requests.
 *
 * Spec: 2025-11-25 schema, ImageContent, AudioContent, EmbeddedResource, ReadResourceResult
 *
 * @param path keys from the message down; an answer in a batch begins with its index
 * @param values the values at those keys, without that at the last one; the message comes first
 */
export function isBinaryPlace(
  path: readonly (string | number)[],
  values: readonly unknown[],
): boolean {
  if (typeof path[0] === 'number') return isBinaryPlace(path.slice(1), values.slice(1));
  const item = values[3];
  if (!isObject(item) || typeof path[2] !== 'number') return false;
  switch ([...path.slice(0, 2), ...path.slice(3)].join(' ')) {
    case 'result content data':
      return (item.type === 'image' || item.type === 'audio') && typeof item.mimeType === 'string';
    case 'result content resource blob': {
      const resource = values[4];
      return item.type === 'resource' && isObject(resource) && typeof resource.uri === 'string';
    }
    case 'result contents blob':
      return true;
    default:
      return false;
  }
}
