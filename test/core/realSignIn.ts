import assert from 'node:assert/strict';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { OAuthAuthorization } from '../../src/core/auth/oauthAuthorization';
import type { OAuthConfiguration, TokenGrant } from '../../src/core/auth/ports';
import type { McpClient } from '../../src/core/client';
import { connectHttp, type ConnectHttpOptions } from '../../src/core/http/connectHttp';
import { AuthorizationServer } from '../fixtures/authorizationServer';
import { MemoryAuthorizationStore } from '../fixtures/memoryAuthorizationStore';
import type { SignInPerson } from '../fixtures/signInPerson';
import { clientInfo } from './connections';
import { RecordingLog } from './wire';

type StartOptions = Parameters<typeof AuthorizationServer.start>[0];
type Changes = Parameters<AuthorizationServer['change']>[0];

/** A real server that requires a sign-in, and for each test a new person and store. */
class RealSignIn<Person extends SignInPerson> {
  person: Person;
  store = new MemoryAuthorizationStore();
  log = new RecordingLog();
  #server: AuthorizationServer | undefined;
  readonly #clients: McpClient[] = [];

  constructor(private readonly newPerson: () => Person) {
    this.person = newPerson();
  }

  get server(): AuthorizationServer {
    return this.#server ?? assert.fail('it has not started');
  }

  async start(options: StartOptions): Promise<void> {
    this.#server = await AuthorizationServer.start(options);
  }

  async begin(changes: Changes): Promise<void> {
    this.person = this.newPerson();
    this.store = new MemoryAuthorizationStore();
    this.log = new RecordingLog();
    await this.server.change(changes);
  }

  /** One window's authorization. */
  authorize(configuration: OAuthConfiguration = {}): OAuthAuthorization {
    return new OAuthAuthorization({
      serverUrl: this.server.mcpUrl,
      configuration,
      store: this.store,
      agent: this.person,
      description: { name: 'Toolgate test' },
      log: this.log,
    });
  }

  async connect(
    configuration?: OAuthConfiguration,
    options: Partial<ConnectHttpOptions> = {},
    token?: CancellationToken,
  ): Promise<McpClient> {
    const authorization = this.authorize(configuration);
    const own = { url: this.server.mcpUrl, clientInfo, log: this.log, authorization };
    const client = await connectHttp({ ...own, ...options }, token);
    this.#clients.push(client);
    return client;
  }

  get grant(): TokenGrant {
    return this.store.grants.get(this.server.mcpUrl) ?? assert.fail('nothing is granted');
  }

  /** What is stored changes so. */
  change(changes: Partial<TokenGrant>): void {
    this.store.grants.set(this.server.mcpUrl, { ...this.grant, ...changes });
  }

  /** What arrives from now on. */
  async since() {
    const before = (await this.server.requests()).length;
    return async () => (await this.server.requests()).slice(before);
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.close()));
  }
}

/** Its server starts with the suite, and behaves by `changes` when a test begins. */
export function useRealSignIn<Person extends SignInPerson>(
  newPerson: () => Person,
  changes: Changes,
  options: StartOptions = {},
): RealSignIn<Person> {
  const signIn = new RealSignIn(newPerson);
  before(() => signIn.start(options));
  after(() => signIn.server.stop());
  beforeEach(() => signIn.begin(changes));
  afterEach(() => signIn.close());
  return signIn;
}
