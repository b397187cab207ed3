import * as l10n from '@vscode/l10n';
import type {
  AuthorizationStore,
  RequestAuthorization,
  SignInAgent,
  TokenGrant,
} from '../../core/auth/ports';
import type { SecretAuthorizationStore } from '../../host/authorization/secretAuthorizationStore';
import type { ServerAuthorizations } from '../../host/authorization/serverAuthorizations';
import { ServerSignIn, type ServerSignInOptions } from '../../host/authorization/serverSignIn';
import { SignInOccasions } from '../../host/authorization/signInTiming';
import type { DiagnosedSignIn } from '../../host/diagnosis/httpSteps';
import {
  hasAuthorizationHeader,
  type HttpServerTransport,
  type ServerConfig,
  serverKey,
} from '../../host/configuration/serverConfig';
import { openReceiver } from './browserAnswer';
import { UserSignInAgent, type UserSignInAgentOptions } from './signInAgent';
import { hostOf } from './formatSignIn';

/** The parts that authorize the requests to one server. */
interface AuthorizationMaterial {
  readonly config: ServerConfig;
  readonly transport: HttpServerTransport;
  readonly store: AuthorizationStore;
  readonly agent: SignInAgent;
  /** True if the user wants another account than the one in use. */
  readonly wantsAnother: () => boolean;
}

interface SignInsOptions extends Pick<
  UserSignInAgentOptions,
  'states' | 'occasions' | 'turns' | 'openSignIns'
> {
  readonly kept: SecretAuthorizationStore;
  readonly make: (parts: AuthorizationMaterial) => RequestAuthorization;
  /** Returns the setting, or nothing if it is not set. */
  readonly clientDocument: () => { readonly clientDocument?: string };
  /** Is called when scopes are granted to a server. */
  readonly onDidGrant: (
    config: ServerConfig,
    ...given: Parameters<ServerSignInOptions['onDidGrant']>
  ) => void;
}

/** A server that was contacted in this window and may need a sign-in. */
export interface KnownSignIn {
  /** The URL that was contacted, with the values of inputs. */
  readonly url: string;
  readonly store: ServerAuthorizations;
  readonly signIn: ServerSignIn;
}

/**
 * The sign-ins of all servers. It creates the authorization for transports and finds it again for
 * commands.
 */
export class SignIns {
  readonly #options: SignInsOptions;
  readonly #known = new Map<string, KnownSignIn>();
  /** Servers at which another account is about to sign in. */
  readonly #wantsAnother = new Set<string>();

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /**
   * Returns the authorization for a new connection. Returns `undefined` if the configuration sets
   * its own authorization header, because a sign-in would contradict it.
   */
  authorizationFor(
    config: ServerConfig,
    transport: HttpServerTransport,
  ): RequestAuthorization | undefined {
    const hasOwn = hasAuthorizationHeader(transport);
    if (hasOwn) {
      this.#known.delete(config.id);
      this.#options.states.forget(config.id);
      return undefined;
    }
    const { kept, states, occasions, turns, openSignIns, make, onDidGrant } = this.#options;
    const { id: serverId, label } = config;
    const store = kept.forServer(serverKey(config));
    const parts = { serverId, label, states, occasions, turns, openSignIns, store };
    const agent = new UserSignInAgent(parts);
    const wantsAnother = () => this.#wantsAnother.has(serverId);
    const signIn = new ServerSignIn({
      serverId,
      serverUrl: transport.url,
      store,
      states,
      wantsAnother,
      nameOf: (grant) => this.#nameOf(grant),
      onDidGrant: (...given) => {
        this.#wantsAnother.delete(serverId);
        onDidGrant(config, ...given);
      },
      make: (watched) => make({ config, transport, store: watched, agent, wantsAnother }),
    });
    this.#known.set(serverId, { url: transport.url, store, signIn });
    return signIn;
  }

  /** Until `work` is done, the current account is not used, so that another one can sign in. */
  async withAnotherAccount(serverId: string, work: () => Promise<unknown>): Promise<void> {
    this.#wantsAnother.add(serverId);
    try {
      await work();
    } finally {
      this.#wantsAnother.delete(serverId);
    }
  }

  /**
   * Call it after stored sign-ins were changed, here or in another window. Calls `end` for each
   * server at which no account is signed in any more.
   */
  noticeSignOuts(end: (serverId: string) => unknown): void {
    for (const [serverId, { signIn }] of this.#known) {
      void signIn.noticeSignOut().then((isSignedOut) => isSignedOut && end(serverId));
    }
  }

  /** Returns the authorization for Diagnose Server, which never starts a sign-in. */
  forDiagnosis(config: ServerConfig, transport: HttpServerTransport): DiagnosedSignIn {
    const { kept, states, turns, openSignIns, make, clientDocument } = this.#options;
    const { id: serverId, label } = config;
    const store = kept.forServer(serverKey(config));
    const occasions = new SignInOccasions();
    const parts = { serverId, label, states, occasions, turns, openSignIns, store };
    const agent = new UserSignInAgent(parts);
    return {
      store,
      ...clientDocument(),
      authorization: make({ config, transport, store, agent, wantsAnother: () => false }),
      redirectAddress: async () => {
        const receiver = await openReceiver(transport.oauth?.redirectPort);
        receiver.dispose();
        return receiver.address;
      },
    };
  }

  /**
   * Returns the store for the URL that was contacted last, or for the URL without inputs. Returns
   * `undefined` if it is not an HTTP server.
   */
  storeOf(config: ServerConfig): Omit<KnownSignIn, 'signIn'> | undefined {
    const { id, transport } = config;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    if (transport.kind === 'stdio') return undefined;
    return { url: transport.url, store: this.#options.kept.forServer(serverKey(config)) };
  }

  /** Uses the first number that no other account there has. */
  async #nameOf({ issuer, resource }: TokenGrant): Promise<string> {
    const accounts = await this.#options.kept.accounts();
    const own = accounts.filter((each) => each.issuer === issuer && each.resource === resource);
    for (let number = 1; ; number++) {
      const name = l10n.t('Account {0} at {1}', number, hostOf(issuer));
      if (!own.some(({ label }) => label === name)) return name;
    }
  }

  /** Finds a server that was contacted in this window. */
  find(serverId: string): KnownSignIn | undefined {
    return this.#known.get(serverId);
  }
}
