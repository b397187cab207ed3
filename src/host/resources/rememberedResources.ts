import { dropOldest } from '../../core/bounds/dropOldest';
import { isDocumentName } from '../../core/content/documentNames';
import { isObject } from '../../core/json/shapes';

/** What outlives the window; a `Memento` of the editor is one. */
interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** A resource whose documents are open: enough to read it again at the place that they have. */
export interface RememberedResource {
  readonly serverId: string;
  readonly uri: string;
  /** The folder of its documents. */
  readonly path: string;
  /** Their names. */
  readonly files: readonly string[];
}

const memoryKey = 'openResources';
/** More tabs than anybody has; the oldest are forgotten. */
const maxResources = 100;
/** A resource of more documents comes back with the first of them. */
const maxFiles = 50;
/** A longer address is not worth its place among what the editor loads with each window. */
const maxUriChars = 8_000;
const maxNameChars = 500;

/**
 * The resources that are open in this workspace, so that their tabs come back with the window. What
 * they hold is not written down, and an address that holds a secret is not either.
 */
export class RememberedResources {
  readonly #memory: Memory;
  readonly #redact: (text: string) => string;
  /** By path, oldest first. */
  readonly #resources: Map<string, RememberedResource>;

  /** @param redact takes secrets out of a text */
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
    // What is lost with it is where a tab was: nothing that a person has to hear of.
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
