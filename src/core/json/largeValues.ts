import { randomUUID } from 'node:crypto';
import { bufferOf } from './jsonLimits';
import type { LargeForm } from './largeString';
import type { RawJson } from './rawJson';
import { isContainer as isWalked, isObject } from './shapes';
import { NotJson, parseFollowedJson } from './parseJson';

interface Large {
  readonly value: string | Uint8Array;
  /** The text form that the bytes represent. */
  readonly form: LargeForm;
}

type Container = { [key: string]: unknown };

interface Place {
  readonly value: Container;
  readonly key: string | number;
  readonly parent: Place | undefined;
}

/**
 * The large strings, and the structured content of many values, that were extracted from one JSON
 * text, and the marks that replace them there: no server can guess the marks.
 */
export class LargeValues {
  readonly #mark = randomUUID();
  readonly #values = new Map<string, Large>();
  readonly #contents = new Map<unknown, RawJson>();

  /** Adds `value` and returns the mark that replaces it between quotes. */
  add(value: string | Uint8Array, form: LargeForm): string {
    const mark = `${this.#mark}:${this.#values.size}`;
    this.#values.set(mark, { value, form });
    return mark;
  }

  /** Adds the structured content of an answer and returns its mark. */
  addContent(content: RawJson): string {
    const mark = `${this.#mark}:content:${this.#contents.size}`;
    this.#contents.set(mark, content);
    return mark;
  }

  /** Parses the text with marks and puts the values back in their places. @throws {NotJson} */
  parse(text: string): unknown {
    let root: unknown;
    try {
      root = parseFollowedJson(text);
    } catch (error) {
      throw error instanceof NotJson ? new NotJson(this.beforeMarks(error.excerpt)) : error;
    }
    for (const message of Array.isArray(root) ? root : [root]) this.#restoreContent(message);
    this.#restore(root);
    return root;
  }

  /** Returns the beginning of `text` that has no marks, for a report. */
  beforeMarks(text: string): string {
    return text.split(this.#mark, 1)[0] ?? '';
  }

  #restoreContent(message: unknown): void {
    const result = isContainer(message) ? message['result'] : undefined;
    if (!isContainer(result)) return;
    const content = this.#contents.get(result['structuredContent']);
    if (content !== undefined) result['structuredContent'] = content;
  }

  /** Not recursive, because `JSON.parse` is not either: servers choose the depth. */
  #restore(root: unknown): void {
    let left = this.#values.size;
    const places: Place[] = isContainer(root) ? [{ value: root, key: '', parent: undefined }] : [];
    for (let place = places.pop(); place !== undefined && left > 0; place = places.pop()) {
      for (const key of Object.keys(place.value)) {
        const child = place.value[key];
        if (isContainer(child) && isWalked(child)) {
          places.push({ value: child, key: keyIn(place.value, key), parent: place });
        } else if (typeof child === 'string') {
          const large = this.#values.get(child);
          if (large === undefined) continue;
          // Not by assignment, which would set the prototype for `__proto__`.
          Object.defineProperty(place.value, key, { value: valueAt(place, key, large) });
          left -= 1;
        }
      }
    }
  }
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function keyIn(container: Container, key: string): string | number {
  return Array.isArray(container) ? Number(key) : key;
}

function valueAt(place: Place, key: string, { value, form }: Large): string | Uint8Array {
  if (typeof value === 'string') return value;
  const path: (string | number)[] = [keyIn(place.value, key)];
  const values: unknown[] = [];
  // The search ends below the deepest place of bytes, because servers choose the depth.
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) {
    if (path.length > deepestBytesPlace) break;
    values.unshift(at.value);
    if (at.parent !== undefined) path.unshift(at.key);
  }
  if (bytesPlace(path, values) === form) return value;
  return bufferOf(value).toString(form === 'base64' ? 'base64' : 'utf8');
}

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
function bytesPlace(
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
