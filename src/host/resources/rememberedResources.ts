import { dropOldest } from '../../core/bounds/dropOldest';
import { isDocumentName } from '../../core/content/documentNames';
import { isObject } from '../../core/json/shapes';

/** Storage that outlives the window, such as an editor `Memento`. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** A resource with open documents: enough to read it again at the same path. */
export interface RememberedResource {
  readonly serverId: string;
  readonly uri: string;
  /** The folder of its documents. */
  readonly path: string;
  /** File names of the documents. */
  readonly files: readonly string[];
}

const memoryKey = 'openResources';
/** The oldest are removed above this number. */
const maxResources = 100;
/** Maximum number of restored documents of one resource; the first ones are restored. */
const maxFiles = 50;
/** Longer addresses are not stored, because the editor loads this memory with each window. */
const maxUriChars = 8_000;
const maxNameChars = 500;

/**
 * The open resources of this workspace, so that their tabs are restored with the window. Their
 * content is not stored, and neither is an address that contains a secret.
 */
export class RememberedResources {
  readonly #memory: Memory;
  readonly #redact: (text: string) => string;
  /** Keyed by path, oldest first. */
  readonly #resources: Map<string, RememberedResource>;

  /** @param redact removes secrets from a text */
  constructor(memory: Memory, redact: (text: string) => string) {
    this.#memory = memory;
    this.#redact = redact;
    const stored = memory.get(memoryKey);
    const items: unknown[] = Array.isArray(stored) ? stored.slice(-maxResources) : [];
    const resources = items.filter(isRemembered);
    this.#resources = new Map(resources.map((resource) => [resource.path, resource]));
  }

  get all(): readonly RememberedResource[] {
    return [...this.#resources.values()];
  }

  at(path: string): RememberedResource | undefined {
    return this.#resources.get(path);
  }

  remember({ serverId, uri, path, files: all }: RememberedResource): void {
    const files = all.slice(0, maxFiles);
    const resource = { serverId, uri, path, files };
    if (!isRemembered(resource) || this.#redact(uri) !== uri) return;
    if (isSame(this.#resources.get(path), resource)) return;
    this.#resources.delete(path);
    this.#resources.set(path, resource);
    dropOldest(this.#resources, maxResources);
    this.#write();
  }

  forget(path: string): void {
    if (this.#resources.delete(path)) this.#write();
  }

  #write(): void {
    // Only the position of a tab is lost, which needs no message.
    this.#memory.update(memoryKey, this.all).then(undefined, () => undefined);
  }
}

function isSame(one: RememberedResource | undefined, other: RememberedResource): boolean {
  return (
    one?.serverId === other.serverId &&
    one.uri === other.uri &&
    one.files.join('\n') === other.files.join('\n')
  );
}

function isRemembered(value: unknown): value is RememberedResource {
  if (!isObject(value)) return false;
  const { serverId, uri, path, files } = value;
  return (
    typeof serverId === 'string' &&
    typeof uri === 'string' &&
    uri.length <= maxUriChars &&
    typeof path === 'string' &&
    /^\/[^/]+\/resources\/[^/]+$/.test(path) &&
    Array.isArray(files) &&
    files.length <= maxFiles &&
    files.every((name) => typeof name === 'string' && isFileName(name))
  );
}

function isFileName(name: string): boolean {
  return isDocumentName(name) && name.length <= maxNameChars && !name.includes('/');
}
