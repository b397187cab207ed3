import type { CancellationToken } from 'vscode-jsonrpc/node';
import type {
  AuthorizationStore,
  AuthorizationRefusal,
  AuthorizedRequest,
  RequestAuthorization,
  TokenGrant,
} from '../../core/auth/ports';
import { isMcpError, McpError } from '../../core/errors';
import type { HttpHeaders } from '../../core/http/httpMessage';
import { shownAccount, type SignInStates } from './signInTiming';

export interface ServerSignInOptions {
  readonly serverId: string;
  readonly serverUrl: string;
  readonly store: AuthorizationStore;
  readonly states: SignInStates;
  /**
   * Returns true if the current account must stay untouched because the user signs in with another
   * one.
   */
  readonly wantsAnother: () => boolean;
  /** Names an account if the server does not say whose it is. */
  readonly nameOf: (grant: TokenGrant) => Promise<string>;
  /** Called after a grant was received. `former` is the previous grant of the same account. */
  readonly onDidGrant: (grant: TokenGrant, former: TokenGrant | undefined) => void;
  /** Makes the authorization of requests, which uses the given store. */
  readonly make: (store: AuthorizationStore) => RequestAuthorization;
}

/** Thrown if another window signed in meanwhile. Its grant is used here too. */
export class SignedInElsewhere extends McpError {
  constructor() {
    super('signInNeeded');
  }
}

/**
 * Thrown if the user entered another client id instead of an answer. The sign-in starts again with
 * it.
 */
export class ClientReplaced extends McpError {
  constructor() {
    super('cancelled');
  }
}

/** After this many changes of the client id, the sign-in fails. */
const maxClients = 5;

/** The authorization of one server. It keeps the visible state of the sign-in up to date. */
export class ServerSignIn implements RequestAuthorization {
  readonly #options: ServerSignInOptions;
  readonly #inner: RequestAuthorization;
  #refused: AuthorizationRefusal | undefined;
  #issuer: string | undefined;

  constructor(options: ServerSignInOptions) {
    this.#options = options;
    this.#inner = options.make(this.#watchedStore());
  }

  /** The issuer of the last sign-in; undefined if there was none in this window. */
  get issuer(): string | undefined {
    return this.#issuer;
  }

  async headers(request: AuthorizedRequest, token?: CancellationToken): Promise<HttpHeaders> {
    try {
      return await this.#inner.headers(request, token);
    } catch (error) {
      if (isMcpError(error, 'signInNeeded')) this.#needed();
      throw error;
    }
  }

  async takeNonce(nonce: string, challenges: readonly string[]): Promise<boolean> {
    return (await this.#inner.takeNonce?.(nonce, challenges)) ?? false;
  }

  async refused(refusal: AuthorizationRefusal, token?: CancellationToken): Promise<void> {
    this.#refused = refusal;
    for (let clients = 1; ; clients++) {
      try {
        return await this.#inner.refused(refusal, token);
      } catch (error) {
        if (error instanceof ClientReplaced && clients < maxClients) continue;
        if (error instanceof SignedInElsewhere && (await this.#hasOther(refusal))) return;
        this.#failed(error);
        throw error;
      }
    }
  }

  /**
   * Signs in for the last refused request, because the user asked for it. Does nothing if no
   * request was refused. @throws as {@link refused}
   */
  async signIn(token?: CancellationToken): Promise<void> {
    const refused = this.#refused;
    if (refused === undefined) return;
    const { isBackground: _, ...rest } = refused;
    await this.refused({ ...rest, attempt: 0 }, token);
  }

  /**
   * Call this when stored sign-ins changed. If the account was signed out in the Accounts menu or
   * in another window, it becomes signed out here. Resolves with true in that case.
   */
  async noticeSignOut(): Promise<boolean> {
    const { states, serverId, serverUrl, store } = this.#options;
    const isSignedIn = () => 'account' in (states.of(serverId) ?? {});
    if (!isSignedIn() || (await store.grant(serverUrl)) !== undefined) return false;
    // A sign-in may have started meanwhile.
    if (!isSignedIn()) return false;
    states.set(serverId, { kind: 'signedOut' });
    return true;
  }

  /** Returns true if there is another token now than the refused one. */
  async #hasOther({ sent }: AuthorizationRefusal): Promise<boolean> {
    const { store, serverUrl } = this.#options;
    const grant = await store.grant(serverUrl);
    const used = Object.values(sent).join('\n');
    return grant !== undefined && !used.includes(grant.accessToken);
  }

  #needed(): void {
    const { states, serverId } = this.#options;
    if (states.of(serverId)?.kind !== 'signedOut') states.set(serverId, { kind: 'needed' });
  }

  #failed(error: unknown): void {
    const { states, serverId } = this.#options;
    if (isMcpError(error, 'unauthorized')) {
      if (error.facts.offersNoSignIn === true) states.forget(serverId);
      return;
    }
    const state = states.of(serverId);
    // Only scopes are missing, so the sign-in stays valid.
    if (state?.kind !== 'moreRights' && !isMcpError(error, 'scopeRefused')) this.#needed();
  }

  #watchedStore(): AuthorizationStore {
    const { store, states, serverId, onDidGrant, wantsAnother, nameOf } = this.#options;
    const signedIn = (grant: TokenGrant) =>
      states.set(serverId, { kind: 'signedIn', account: shownAccount(grant) });
    return {
      registration: (issuer) => {
        this.#issuer = issuer;
        return store.registration(issuer);
      },
      keepRegistration: (registration) => store.keepRegistration(registration),
      forgetRegistration: (issuer) => store.forgetRegistration(issuer),
      exclusively: (key, work) => store.exclusively(key, work),
      learnSecret: (text) => store.learnSecret(text),
      grant: async (url) => {
        const grant = wantsAnother() ? undefined : await store.grant(url);
        // A stored token may still be refused by the server, so a refused state stays.
        const kind = states.of(serverId)?.kind;
        if (grant !== undefined && (kind === undefined || kind === 'signedIn')) signedIn(grant);
        return grant;
      },
      keepGrant: async (url, grant) => {
        const former = await store.grant(url);
        const isSame = former?.account === grant.account && former.issuer === grant.issuer;
        const named =
          grant.accountLabel === '' ? { ...grant, accountLabel: await nameOf(grant) } : grant;
        await store.keepGrant(url, named);
        signedIn(named);
        onDidGrant(named, isSame ? former : undefined);
      },
      dropGrant: async (url, grant) => {
        // Set before the grant is dropped, so that it does not look like a sign-out.
        this.#needed();
        await store.dropGrant(url, grant);
      },
    };
  }
}
