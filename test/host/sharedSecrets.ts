import { Emitter } from 'vscode-jsonrpc/node';
import { SecretAuthorizationStore } from '../../src/host/authorization/secretAuthorizationStore';
import type { AuthorizationProblem } from '../../src/host/authorization/secretAuthorizationStore';
import type { SharedSecretStore } from '../../src/host/authorization/secretRecords';
import { SecretValues } from '../../src/host/secrets/secretValues';
import type { ClientRegistration, TokenGrant } from '../../src/core/auth/ports';

/** The editor's store of secrets as several windows see it: what one changes, the others get later. */
export class SharedSecrets {
  readonly kept = new Map<string, string>();
  readonly #windows: SecretsOfWindow[] = [];
  /** Milliseconds until the other windows see a change. */
  lagMs = 0;

  window(): SecretsOfWindow {
    const window = new SecretsOfWindow(this.kept, (from, key) => this.#spread(from, key));
    this.#windows.push(window);
    return window;
  }

  #spread(from: SecretsOfWindow, key: string): void {
    from.hear(key, this.kept.get(key));
    const value = this.kept.get(key);
    for (const window of this.#windows.filter((each) => each !== from)) {
      if (this.lagMs === 0) window.hear(key, value);
      else setTimeout(() => window.hear(key, value), this.lagMs);
    }
  }
}

export class SecretsOfWindow implements SharedSecretStore {
  readonly #kept: Map<string, string>;
  readonly #seen: Map<string, string>;
  readonly #onChange: (from: SecretsOfWindow, key: string) => void;
  readonly #emitter = new Emitter<{ readonly key: string }>();
  readonly onDidChange = this.#emitter.event;
  /** As on a Linux without a keyring. */
  isBroken = false;
  /** Changes are there, and nobody is told. */
  isSilent = false;
  /** How often a value was asked for. */
  reads = 0;

  constructor(kept: Map<string, string>, onChange: (from: SecretsOfWindow, key: string) => void) {
    this.#kept = kept;
    this.#seen = new Map(kept);
    this.#onChange = onChange;
  }

  hear(key: string, value: string | undefined): void {
    if (value === undefined) this.#seen.delete(key);
    else this.#seen.set(key, value);
    if (!this.isSilent) this.#emitter.fire({ key });
  }

  get = (key: string) => {
    this.reads += 1;
    return this.#work(() => this.#seen.get(key));
  };
  keys = () => this.#work(() => [...this.#seen.keys()]);
  store = (key: string, value: string) =>
    this.#work(() => {
      this.#kept.set(key, value);
      this.#onChange(this, key);
    });
  delete = (key: string) =>
    this.#work(() => {
      this.#kept.delete(key);
      this.#onChange(this, key);
    });

  #work<T>(work: () => T): Promise<T> {
    return this.isBroken
      ? Promise.reject(new Error('no keyring'))
      : new Promise((resolve) => setImmediate(() => resolve(work())));
  }
}

/** A window: its own view of the store, its own redaction, its own objects. */
export interface AuthorizingWindow {
  readonly kept: SecretAuthorizationStore;
  readonly secrets: SecretsOfWindow;
  readonly values: SecretValues;
  readonly problems: AuthorizationProblem[];
}

/** Opens windows on one store and one folder; what they hold ends with the suite. */
export function useAuthorizingWindows(): (
  shared: SharedSecrets,
  lockFolder: string,
  workspace?: string,
) => AuthorizingWindow {
  const opened: SecretAuthorizationStore[] = [];
  after(() => {
    for (const kept of opened) kept.dispose();
  });
  return (shared, lockFolder, workspace) => {
    const values = new SecretValues();
    const secrets = shared.window();
    const problems: AuthorizationProblem[] = [];
    const kept = new SecretAuthorizationStore({
      secrets,
      values,
      lockFolder,
      settleMs: shared.lagMs * 4,
      ...(workspace === undefined ? {} : { workspace }),
      onProblem: (problem) => problems.push(problem),
    });
    opened.push(kept);
    return { kept, secrets, values, problems };
  };
}

export const serverUrl = 'https://docs.example.com/mcp';
export const issuer = 'https://login.example.com/tenant/';

/** With every member that a grant can have: one that is not kept is missing where it is compared. */
export function grantOf(facts: Partial<TokenGrant> = {}): Required<TokenGrant> {
  return {
    issuer,
    resource: serverUrl,
    account: 'a1',
    accountLabel: 'Account 1 at docs.example.com',
    accessToken: 'access-token-one',
    expiresAt: 1_800_000_000_000,
    refreshToken: 'refresh-token-one',
    proofKey: 'proof-key-one',
    askedScopes: ['files:read', 'files:write'],
    grantedScopes: ['files:read'],
    clientId: 'client-1',
    tokenEndpoint: 'https://login.example.com/tenant/token',
    revocationEndpoint: 'https://login.example.com/tenant/revoke',
    ...facts,
  };
}

export function registrationOf(
  facts: Partial<ClientRegistration> = {},
): Required<ClientRegistration> {
  return {
    issuer,
    clientId: 'client-1',
    clientSecret: 'client-secret-one',
    secretExpiresAt: 1_900_000_000_000,
    authentication: 'client_secret_basic',
    from: 'registered',
    redirectAddress: 'http://127.0.0.1:4711/callback',
    ...facts,
  };
}
