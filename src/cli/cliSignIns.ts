import { homedir } from 'node:os';
import path from 'node:path';
import { isMachineGrant } from '../core/auth/signInWithoutBrowser';
import { OAuthAuthorization } from '../core/auth/oauthAuthorization';
import type {
  OAuthConfiguration,
  RequestAuthorization,
  SignInAgent,
  TokenGrant,
} from '../core/auth/ports';
import { McpError } from '../core/errors';
import type { ConnectionLog } from '../core/log';
import { SecretAuthorizationStore } from '../host/authorization/secretAuthorizationStore';
import { LoopbackReceiver } from '../host/authorization/loopbackReceiver';
import { FileSecretStore, MemorySecretStore } from '../host/authorization/secretStores';
import type { ServerAuthorizations } from '../host/authorization/serverAuthorizations';
import {
  hasAuthorizationHeader,
  serverKey,
  type HttpServerTransport,
  type ServerConfig,
} from '../host/configuration/serverConfig';
import type { DiagnosedSignIn } from '../host/diagnosis/httpSteps';
import type { SecretValues } from '../host/secrets/secretValues';
import type { ProcessEnvironment } from './cliValues';
import { inLine } from './errorMessage';

export interface CliSignInsOptions {
  /** The folder of sign-ins. Absent: none is read or kept. */
  readonly folder?: string | undefined;
  readonly secrets: SecretValues;
  readonly log: ConnectionLog;
  readonly notify: (line: string) => void;
}

/** Signs in at one server when it asks; other servers cannot ask the user. */
export interface AskedSignIn {
  readonly serverId: string;
  readonly agent: SignInAgent;
  /** Replaces members of the configuration. */
  readonly chosen: OAuthConfiguration;
}

/**
 * The sign-ins of this user. Each belongs to one entry of one configuration file and to one address, so
 * that an entry of the same name elsewhere does not get its token.
 */
export class CliSignIns {
  readonly kept: SecretAuthorizationStore;
  readonly #log: ConnectionLog;
  /** Holds grants of servers that ask no user; the next run gets new ones. */
  readonly #granted: SecretAuthorizationStore;
  readonly #stores = new Map<string, { store: ServerAuthorizations; url: string }>();
  #asked: AskedSignIn | undefined;
  #hasFailed = false;

  constructor({ folder, secrets, log, notify }: CliSignInsOptions) {
    this.#log = log;
    const onProblem = ({ detail }: { readonly detail: string }): void => {
      this.#hasFailed = true;
      notify(`Sign-ins are neither read nor kept: ${inLine(detail)}`);
    };
    const own = folder === undefined ? inMemory() : inFiles(folder);
    this.kept = new SecretAuthorizationStore({ ...own, values: secrets, onProblem });
    this.#granted = new SecretAuthorizationStore({ ...inMemory(), values: secrets, onProblem });
  }

  /** The files could not be read or written. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** From this call on, the user is asked when this server requires a sign-in. */
  ask(asked: AskedSignIn): void {
    this.#asked = asked;
  }

  /**
   * Returns the authorization for a new connection; `undefined` if the entry configures a header
   * for it.
   */
  authorizationFor(
    config: ServerConfig,
    transport: HttpServerTransport,
  ): RequestAuthorization | undefined {
    if (hasAuthorizationHeader(transport)) return undefined;
    const asked = this.#asked?.serverId === config.id ? this.#asked : undefined;
    const store = this.storeFor(config, transport.oauth);
    this.#stores.set(config.id, { store, url: transport.url });
    return this.#authorization(transport, store, asked);
  }

  storeFor(config: ServerConfig, oauth: OAuthConfiguration = {}): ServerAuthorizations {
    const kept = isMachineGrant(oauth) ? this.#granted : this.kept;
    return kept.forServer(serverKey(config));
  }

  /** Returns the authorization for a diagnosis, which never asks the user to sign in. */
  forDiagnosis(config: ServerConfig, transport: HttpServerTransport): DiagnosedSignIn {
    const store = this.storeFor(config, transport.oauth);
    return {
      store,
      authorization: this.#authorization(transport, store),
      redirectAddress: async () => {
        const receiver = await listenForBrowser(transport.oauth?.redirectPort);
        receiver.dispose();
        return receiver.address;
      },
    };
  }

  /** Returns the grant that a started server uses; `undefined` when it asked for no sign-in. */
  async grantOf(serverId: string): Promise<TokenGrant | undefined> {
    const known = this.#stores.get(serverId);
    return known?.store.grant(known.url);
  }

  #authorization(
    { url: serverUrl, oauth }: HttpServerTransport,
    store: ServerAuthorizations,
    { agent = noUser, chosen }: Partial<AskedSignIn> = {},
  ): RequestAuthorization {
    return new OAuthAuthorization({
      serverUrl,
      configuration: { ...oauth, ...chosen },
      store,
      agent,
      description: { name: 'Toolgate' },
      log: this.#log,
    });
  }

  dispose(): void {
    this.kept.dispose();
    this.#granted.dispose();
  }
}

/** Files are written at once, so that locks need no time to settle. */
const inMemory = () => ({ secrets: new MemorySecretStore(), settleMs: 0 });
const inFiles = (folder: string) => ({
  secrets: new FileSecretStore(folder),
  lockFolder: path.join(folder, 'locks'),
  settleMs: 0,
});

const refuse = (): Promise<never> => Promise.reject(new McpError('signInNeeded'));

/** No command but `login` opens a browser. */
const noUser: SignInAgent = {
  chooseIssuer: refuse,
  receiver: refuse,
  authorize: refuse,
  askForClient: refuse,
  checkAsked: () => {
    throw new McpError('signInNeeded');
  },
};

/** Listens on the local host for the redirect of the browser. @throws {McpError} internal */
export function listenForBrowser(port: number | undefined): Promise<LoopbackReceiver> {
  return LoopbackReceiver.open({
    ...(port === undefined ? {} : { port }),
    externalAddress: (address) => Promise.resolve(address),
    texts: {
      language: 'en',
      received: 'You can close this page and go back to the terminal.',
      refused: 'This is not what the terminal waits for. Nothing was changed.',
    },
  });
}

/** Returns the folder of the user's sign-ins. */
export function signInFolder(env: ProcessEnvironment, platform = process.platform): string {
  return path.join(userFolder(env, platform), 'sign-ins');
}

/** Returns the folder for data of this user, by the conventions of the operating system. */
export function userFolder(env: ProcessEnvironment, platform = process.platform): string {
  const home = env['HOME'] ?? homedir();
  const own = platform === 'win32' ? env['LOCALAPPDATA'] : env['XDG_DATA_HOME'];
  const usual =
    platform === 'win32'
      ? path.join(home, 'AppData', 'Local')
      : platform === 'darwin'
        ? path.join(home, 'Library', 'Application Support')
        : path.join(home, '.local', 'share');
  const base = own !== undefined && path.isAbsolute(own) ? own : usual;
  return path.join(base, 'toolgate');
}
