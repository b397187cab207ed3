import type { SecretValues } from './secretValues';

/** Where values are kept that nobody may read: the editor's store of secrets. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
  keys(): PromiseLike<readonly string[]>;
}

/** Where values are kept that are no secrets: the editor's memory of a workspace, or of all. */
export interface PlainStore {
  get(key: string): unknown;
  update(key: string, value: string | undefined): PromiseLike<void>;
  keys(): readonly string[];
}

/** One input of one configuration or call file. */
export interface InputPlace {
  readonly kind: string;
  /** Of the file, or the URI of a call file; empty for a setting. */
  readonly path: string;
  readonly id: string;
}

export interface RememberedInput extends InputPlace {
  readonly isSecret: boolean;
}

export interface RememberedInputsOptions {
  readonly secrets: SecretStore;
  readonly workspace: PlainStore;
  readonly global: PlainStore;
  readonly values: Pick<SecretValues, 'add'>;
}

const prefix = 'input:';

/**
 * What the person answered when a configuration or a call file asked for a value: secrets in the
 * editor's store of secrets, the rest in its memory of this workspace, or of all where the asking
 * file belongs to none. Every secret that passes here is known to the values that logs leave out.
 */
export class RememberedInputs {
  readonly #options: RememberedInputsOptions;
  /** Secrets that the store did not take; gone with the window. */
  readonly #unstored = new Map<string, string>();

  constructor(options: RememberedInputsOptions) {
    this.#options = options;
  }

  /** Nothing too if the store cannot be read: then the person is asked, and can answer. */
  async get(place: InputPlace, isSecret: boolean): Promise<string | undefined> {
    const key = keyOf(place);
    if (!isSecret) {
      const value = this.#plain(place).get(key);
      return typeof value === 'string' ? value : undefined;
    }
    const value = this.#unstored.get(key) ?? (await this.#stored(key));
    if (value !== undefined) this.#options.values.add(value);
    return value;
  }

  /** Whether it is kept beyond this window; if not, it counts until the window closes. */
  async set(place: InputPlace, isSecret: boolean, value: string): Promise<boolean> {
    const key = keyOf(place);
    if (!isSecret) {
      await this.#plain(place).update(key, value);
      return true;
    }
    this.#options.values.add(value);
    try {
      await this.#options.secrets.store(key, value);
      this.#unstored.delete(key);
      return true;
    } catch {
      // Such as a Linux without a keyring; the caller says it.
      this.#unstored.set(key, value);
      return false;
    }
  }

  /** The next who needs it asks again. */
  async forget(place: InputPlace): Promise<void> {
    const key = keyOf(place);
    this.#unstored.delete(key);
    await this.#plain(place).update(key, undefined);
    await this.#options.secrets.delete(key);
  }

  /** Names and places, never values; secrets of every workspace, the rest of this one and of all. */
  async all(): Promise<readonly RememberedInput[]> {
    const { secrets, workspace, global } = this.#options;
    const secretKeys = new Set([...(await secrets.keys()), ...this.#unstored.keys()]);
    const plainKeys = new Set([...workspace.keys(), ...global.keys()]);
    return [
      ...[...secretKeys].flatMap((key) => toRemembered(key, true)),
      ...[...plainKeys].flatMap((key) => toRemembered(key, false)),
    ].toSorted((one, other) => order(one, other));
  }

  #plain({ kind }: InputPlace): PlainStore {
    const { workspace, global } = this.#options;
    return kind === 'workspaceFile' || kind === 'callFile' ? workspace : global;
  }

  async #stored(key: string): Promise<string | undefined> {
    try {
      return await this.#options.secrets.get(key);
    } catch {
      return undefined;
    }
  }
}

function keyOf({ kind, path, id }: InputPlace): string {
  return prefix + JSON.stringify([kind, path, id]);
}

function toRemembered(key: string, isSecret: boolean): RememberedInput[] {
  if (!key.startsWith(prefix)) return [];
  let parts: unknown;
  try {
    parts = JSON.parse(key.slice(prefix.length));
  } catch {
    return [];
  }
  if (!Array.isArray(parts)) return [];
  const [kind, path, id]: unknown[] = parts;
  if (typeof kind !== 'string' || typeof path !== 'string' || typeof id !== 'string') return [];
  return [{ kind, path, id, isSecret }];
}

function order(one: InputPlace, other: InputPlace): number {
  const [first, second] = [one, other].map(({ kind, path, id }) => [kind, path, id].join('\n'));
  return first === second ? 0 : (first ?? '') < (second ?? '') ? -1 : 1;
}
