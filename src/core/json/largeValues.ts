import { randomUUID } from 'node:crypto';
import { bufferOf } from './bufferOf';
import { bytesPlace, deepestBytesPlace } from './bytesPlace';
import type { LargeForm } from './largeString';
import type { RawJson } from './rawJson';
import { isContainer as isWalked } from './leaves';
import { NotJson, parseFollowedJson } from './parseJson';

interface Large {
  readonly value: string | Uint8Array;
  /** What bytes stand for. */
  readonly form: LargeForm;
}

type Container = { [key: string]: unknown };

interface Place {
  readonly value: Container;
  readonly key: string | number;
  readonly parent: Place | undefined;
}

/**
 * The large strings, and the structured content of many values, that were taken out of one
 * JSON text, and the marks that stand there instead: no server can guess them.
 */
export class LargeValues {
  readonly #mark = randomUUID();
  readonly #values = new Map<string, Large>();
  readonly #contents = new Map<unknown, RawJson>();

  /** What stands for `value`, between quotes. */
  add(value: string | Uint8Array, form: LargeForm): string {
    const mark = `${this.#mark}:${this.#values.size}`;
    this.#values.set(mark, { value, form });
    return mark;
  }

  /** The same for the structured content of an answer. */
  addContent(content: RawJson): string {
    const mark = `${this.#mark}:content:${this.#contents.size}`;
    this.#contents.set(mark, content);
    return mark;
  }

  /** Parses the text that has marks; they are what they stand for again. @throws {NotJson} */
  parse(text: string): unknown {
    let root: unknown;
    try {
      root = parseFollowedJson(text);
    } catch (error) {
      throw error instanceof NotJson
        ? new NotJson(error.excerpt.split(this.#mark, 1)[0] ?? '')
        : error;
    }
    for (const message of Array.isArray(root) ? root : [root]) this.#restoreContent(message);
    this.#restore(root);
    return root;
  }

  #restoreContent(message: unknown): void {
    const result = isContainer(message) ? message['result'] : undefined;
    if (!isContainer(result)) return;
    const content = this.#contents.get(result['structuredContent']);
    if (content !== undefined) result['structuredContent'] = content;
  }

  /** Without recursion, because `JSON.parse` has none: depth is for the server to choose. */
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
          // Not by setting it, which `__proto__` takes for something else.
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
  // Deeper than any place of bytes, nothing is looked for: depth is for the server to choose.
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) {
    if (path.length > deepestBytesPlace) break;
    values.unshift(at.value);
    if (at.parent !== undefined) path.unshift(at.key);
  }
  if (bytesPlace(path, values) === form) return value;
  return bufferOf(value).toString(form === 'base64' ? 'base64' : 'utf8');
}
