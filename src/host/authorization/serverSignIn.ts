import type { CancellationToken } from 'vscode-jsonrpc/node';
import type {
  AuthorizationStore,
  Refusal,
  RequestAuthorization,
  TokenGrant,
} from '../../core/auth/ports';
import { isMcpError, McpError } from '../../core/errors';
import type { HttpHeaders } from '../../core/http/httpEndpoint';
import { shownAccount, type SignInStates } from './signInState';

export interface ServerSignInOptions {
  readonly serverId: string;
  readonly serverUrl: string;
  readonly store: AuthorizationStore;
  readonly states: SignInStates;
  /** Whether the account in use is to be left alone, and another one signs in. */
  readonly wantsAnother: () => boolean;
  /** What to call an account of which the server does not say whose it is. */
  readonly nameOf: (grant: TokenGrant) => Promise<string>;
  /** Told after rights were given: `former` is what the same account had before. */
  readonly onDidGrant: (grant: TokenGrant, former: TokenGrant | undefined) => void;
  /** What authorizes the requests, over the store that it is handed. */
  readonly make: (store: AuthorizationStore) => RequestAuthorization;
}

/** Thrown where another window signed in meanwhile: what it has got counts here too. */
export class SignedInElsewhere extends McpError {
  constructor() {
    super('signInNeeded');
  }
}

/** Thrown where the person gave another client id instead of an answer: it begins again with that. */
export class ClientReplaced extends McpError {
  constructor() {
    super('cancelled');
  }
}

/** A person who gives one client id after the other is asked no more. */
const maxClients = 5;

/** The authorization of one server, with what a person sees of it kept up to date. */
export class ServerSignIn implements RequestAuthorization {
  readonly #options: ServerSignInOptions;
  readonly #inner: RequestAuthorization;
  #refused: Refusal | undefined;
  #issuer: string | undefined;

  constructor(options: ServerSignInOptions) {
    this.#options = options;
    this.#inner = options.make(this.#watchedStore());
  }

  /** Where the last sign-in was to be; absent: there was none in this window. */
  get issuer(): string | undefined {
    return this.#issuer;
  }

  async headers(token?: CancellationToken): Promise<HttpHeaders> {
    try {
      return await this.#inner.headers(token);
    } catch (error) {
      if (isMcpError(error, 'signInNeeded')) this.#needed();
      throw error;
    }
  }

  async refused(refusal: Refusal, token?: CancellationToken): Promise<void> {
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
   * Does what the last refused request would have needed, for a person who asks for that; nothing
   * if no request was refused. @throws as {@link refused}
   */
  async signIn(token?: CancellationToken): Promise<void> {
    const refused = this.#refused;
    if (refused === undefined) return;
    const { isBackground: _, ...rest } = refused;
    await this.refused({ ...rest, attempt: 0 }, token);
  }

  /**
   * For when something was changed that is kept of sign-ins: whoever was signed in here, and was
   * signed out in the Accounts menu or in another window, is so here. Resolves with whether that is so.
   */
  async noticeSignOut(): Promise<boolean> {
    const { states, serverId, serverUrl, store } = this.#options;
    const isSignedIn = () => 'account' in (states.of(serverId) ?? {});
    if (!isSignedIn() || (await store.grant(serverUrl)) !== undefined) return false;
    // Somebody may be signing in by now.
    if (!isSignedIn()) return false;
    states.set(serverId, { kind: 'signedOut' });
    return true;
  }

  /** Whether there is another token by now than the one that was refused. */
  async #hasOther({ sent }: Refusal): Promise<boolean> {
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
    // Rights are missing, and nothing else: the sign-in counts as before.
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
        // That there is a token does not mean that it is taken; what was refused stays so.
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
        // Before it is gone, so that it does not look as if somebody had signed out.
        this.#needed();
        await store.dropGrant(url, grant);
      },
    };
  }
}
