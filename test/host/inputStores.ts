import {
  type PlainStore,
  RememberedInputs,
  type SecretStore,
} from '../../src/host/secrets/rememberedInputs';
import { SecretValues } from '../../src/host/secrets/secretValues';

/** The editor's store of secrets, or one on a machine without a keyring. */
export class Secrets implements SecretStore {
  readonly kept = new Map<string, string>();
  isBroken = false;

  get = (key: string) => this.#work(() => this.kept.get(key));
  store = (key: string, value: string) => this.#work(() => void this.kept.set(key, value));
  delete = (key: string) => this.#work(() => void this.kept.delete(key));
  keys = () => this.#work(() => [...this.kept.keys()]);

  #work<T>(work: () => T): Promise<T> {
    return this.isBroken ? Promise.reject(new Error('no keyring')) : Promise.resolve(work());
  }
}

/** The editor's memory. */
export class Plain implements PlainStore {
  readonly kept = new Map<string, unknown>();

  get = (key: string) => this.kept.get(key);
  keys = () => [...this.kept.keys()];
  update = (key: string, value: string | undefined) => {
    if (value === undefined) this.kept.delete(key);
    else this.kept.set(key, value);
    return Promise.resolve();
  };
}

/** Inputs in stores that can be looked into; `open` is what a restart makes. */
export function inputStores() {
  const secrets = new Secrets();
  const workspace = new Plain();
  const global = new Plain();
  const values = new SecretValues();
  const open = () => new RememberedInputs({ secrets, workspace, global, values });
  return { secrets, workspace, global, values, open, remembered: open() };
}
