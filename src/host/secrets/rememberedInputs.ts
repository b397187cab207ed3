import type { SecretValues } from './secretValues';
import { anyValue, parseText } from '../../core/parse/parsers';

/** The editor's secret storage. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
  keys(): PromiseLike<readonly string[]>;
}

/** The editor's memory for other values, of a workspace or of all. */
export interface PlainStore {
  get(key: string): unknown;
  update(key: string, value: string | undefined): PromiseLike<void>;
  keys(): readonly string[];
}

/** An input of one configuration or call file. */
export interface InputPlace {
  readonly kind: string;
  /** Path of the file, or URI of a call file; empty for a setting. */
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
 * The user's answers for inputs of configurations and call files: secrets in secret storage, others
 * in the memory of this workspace, or in the global memory if the file belongs to no workspace.
 * Every secret is registered with the redaction.
 */
export class RememberedInputs {
  readonly #options: RememberedInputsOptions;
  /** Secrets that the storage did not accept; lost when the window closes. */
  readonly #unstored = new Map<string, string>();

  constructor(options: RememberedInputsOptions) {
    this.#options = options;
  }

  /** Also returns `undefined` if the storage cannot be read, so that the user is asked. */
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

  /**
   * Resolves with true if the value is stored beyond this window; otherwise it lasts until the
   * window closes.
   */
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
      // For example on Linux without a keyring; the caller reports it.
      this.#unstored.set(key, value);
      return false;
    }
  }

  /** Removes the value, so that it is asked for again. */
  async forget(place: InputPlace): Promise<void> {
    const key = keyOf(place);
    this.#unstored.delete(key);
    await this.#plain(place).update(key, undefined);
    await this.#options.secrets.delete(key);
  }

  /**
   * Returns names and places, but no values: secrets of every workspace, others of this workspace
   * and the global ones.
   */
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
  const parts = parseText(key.slice(prefix.length), anyValue);
  if (!Array.isArray(parts)) return [];
  const [kind, path, id]: unknown[] = parts;
  if (typeof kind !== 'string' || typeof path !== 'string' || typeof id !== 'string') return [];
  return [{ kind, path, id, isSecret }];
}

function order(one: InputPlace, other: InputPlace): number {
  const [first, second] = [one, other].map(({ kind, path, id }) => [kind, path, id].join('\n'));
  return first === second ? 0 : (first ?? '') < (second ?? '') ? -1 : 1;
}
