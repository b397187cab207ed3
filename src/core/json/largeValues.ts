import { randomUUID } from 'node:crypto';
import { isBinaryPlace } from './binaryPlace';
import { NotJson, parseJson } from './parseJson';

type Large = string | Uint8Array;
type Container = { [key: string]: unknown };

interface Place {
  readonly value: Container;
  readonly key: string | number;
  readonly parent: Place | undefined;
}

/**
 * The large strings that were taken out of one JSON text, and the marks that stand there instead:
 * no server can guess them.
 */
export class LargeValues {
  readonly #mark = randomUUID();
  readonly #values = new Map<string, Large>();

  /** What stands for `value`, between quotes. */
  add(value: Large): string {
    const mark = `${this.#mark}:${this.#values.size}`;
    this.#values.set(mark, value);
    return mark;
  }

  /** Parses the text that has marks; they are what they stand for again. @throws {NotJson} */
  parse(text: string): unknown {
    let root: unknown;
    try {
      root = parseJson(text);
    } catch (error) {
      throw error instanceof NotJson
        ? new NotJson(error.excerpt.split(this.#mark, 1)[0] ?? '')
        : error;
    }
    this.#restore(root);
    return root;
  }

  /** Without recursion, because `JSON.parse` has none: depth is for the server to choose. */
  #restore(root: unknown): void {
    let left = this.#values.size;
    const places: Place[] = isContainer(root) ? [{ value: root, key: '', parent: undefined }] : [];
    for (let place = places.pop(); place !== undefined && left > 0; place = places.pop()) {
      for (const key of Object.keys(place.value)) {
        const child = place.value[key];
        if (isContainer(child)) {
          places.push({ value: child, key: keyIn(place.value, key), parent: place });
        } else if (typeof child === 'string') {
          const large = this.#values.get(child);
          if (large === undefined) continue;
          place.value[key] = valueAt(place, key, large);
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

function valueAt(place: Place, key: string, large: Large): Large {
  if (typeof large === 'string') return large;
  const path: (string | number)[] = [keyIn(place.value, key)];
  const values: unknown[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) {
    values.unshift(at.value);
    if (at.parent !== undefined) path.unshift(at.key);
  }
  if (isBinaryPlace(path, values)) return large;
  return Buffer.from(large.buffer, large.byteOffset, large.byteLength).toString('base64');
}
