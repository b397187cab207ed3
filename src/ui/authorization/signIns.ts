import * as l10n from '@vscode/l10n';
import type {
  AuthorizationStore,
  RequestAuthorization,
  SignInAgent,
  TokenGrant,
} from '../../core/auth/ports';
import type { KeptAuthorizations } from '../../host/authorization/keptAuthorizations';
import type { ServerAuthorizations } from '../../host/authorization/serverAuthorizations';
import { ServerSignIn, type ServerSignInOptions } from '../../host/authorization/serverSignIn';
import type { SignInStates } from '../../host/authorization/signInState';
import { type SignInTurns, SignInOccasions } from '../../host/authorization/signInTiming';
import type { DiagnosedSignIn } from '../../host/diagnosis/signInSteps';
import {
  type HttpServerTransport,
  type ServerConfig,
  serverKey,
} from '../../host/configuration/serverConfig';
import { openReceiver } from './browserReceiver';
import type { OpenSignIns } from './openSignIns';
import { PersonAgent } from './signInAgent';
import { hostOf } from './formatSignIn';

/** What authorizes the requests to one server is made of. */
export interface AuthorizationMaterial {
  readonly config: ServerConfig;
  readonly transport: HttpServerTransport;
  readonly store: AuthorizationStore;
  readonly agent: SignInAgent;
  /** Whether the person wants another account than the one in use. */
  readonly wantsAnother: () => boolean;
}

export interface SignInsOptions {
  readonly kept: KeptAuthorizations;
  readonly states: SignInStates;
  readonly occasions: SignInOccasions;
  readonly turns: SignInTurns;
  readonly openSignIns: OpenSignIns;
  readonly make: (parts: AuthorizationMaterial) => RequestAuthorization;
  /** What the setting says; absent where it says nothing. */
  readonly clientDocument: () => { readonly clientDocument?: string };
  /** Told of rights that were given to a server. */
  readonly onDidGrant: (
    config: ServerConfig,
    ...given: Parameters<ServerSignInOptions['onDidGrant']>
  ) => void;
}

/** One server that was reached in this window and may want a sign-in. */
export interface KnownSignIn {
  /** With the values of inputs, as it was reached. */
  readonly url: string;
  readonly store: ServerAuthorizations;
  readonly signIn: ServerSignIn;
}

/** The sign-ins of all servers: makes what the transports ask, and finds it again for commands. */
export class SignIns {
  readonly #options: SignInsOptions;
  readonly #known = new Map<string, KnownSignIn>();
  /** Servers at which another account is about to sign in. */
  readonly #wantsAnother = new Set<string>();

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /**
   * For the connection that is about to be made; `undefined` for a server whose configuration says
   * itself who asks: a sign-in beside that would be for somebody else.
   */
  authorizationFor(
    config: ServerConfig,
    transport: HttpServerTransport,
  ): RequestAuthorization | undefined {
    const hasOwn = Object.keys(transport.headers).some((name) => /^authorization$/i.test(name));
    if (hasOwn) {
      this.#known.delete(config.id);
      this.#options.states.forget(config.id);
      return undefined;
    }
    const { kept, states, occasions, turns, openSignIns, make, onDidGrant } = this.#options;
    const { id: serverId, label } = config;
    const store = kept.forServer(serverKey(config));
    const parts = { serverId, label, states, occasions, turns, openSignIns, store };
    const agent = new PersonAgent(parts);
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

  /** Until `work` is done, the account in use at the server is left alone, and another signs in. */
  async withAnotherAccount(serverId: string, work: () => Promise<unknown>): Promise<void> {
    this.#wantsAnother.add(serverId);
    try {
      await work();
    } finally {
      this.#wantsAnother.delete(serverId);
    }
  }

  /**
   * For when something was changed that is kept of sign-ins, here or in another window. `end` is told
   * of each server that nobody is signed in at any more.
   */
  noticeSignOuts(end: (serverId: string) => unknown): void {
    for (const [serverId, { signIn }] of this.#known) {
      void signIn.noticeSignOut().then((isSignedOut) => isSignedOut && end(serverId));
    }
  }

  /** For a look at the way to the server, which signs nobody in. */
  forDiagnosis(config: ServerConfig, transport: HttpServerTransport): DiagnosedSignIn {
    const { kept, states, turns, openSignIns, make, clientDocument } = this.#options;
    const { id: serverId, label } = config;
    const store = kept.forServer(serverKey(config));
    const occasions = new SignInOccasions();
    const parts = { serverId, label, states, occasions, turns, openSignIns, store };
    const agent = new PersonAgent(parts);
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

  /** As it was reached last, or would be without inputs; absent for what is no HTTP server. */
  storeOf(config: ServerConfig): Omit<KnownSignIn, 'signIn'> | undefined {
    const { id, transport } = config;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    if (transport.kind === 'stdio') return undefined;
    return { url: transport.url, store: this.#options.kept.forServer(serverKey(config)) };
  }

  /** The first number that no other account there has. */
  async #nameOf({ issuer, resource }: TokenGrant): Promise<string> {
    const accounts = await this.#options.kept.accounts();
    const own = accounts.filter((each) => each.issuer === issuer && each.resource === resource);
    for (let number = 1; ; number++) {
      const name = l10n.t('Account {0} at {1}', number, hostOf(issuer));
      if (!own.some(({ label }) => label === name)) return name;
    }
  }

  /** Of a server that was reached in this window. */
  find(serverId: string): KnownSignIn | undefined {
    return this.#known.get(serverId);
  }
}
