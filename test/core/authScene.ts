import { OAuthAuthorization } from '../../src/core/auth/oauthAuthorization';
import type { OAuthConfiguration, SignInAgent, TokenGrant } from '../../src/core/auth/ports';
import type { HttpHeaders } from '../../src/core/http/httpMessage';
import type { AuthorizationRefusal } from '../../src/core/http/authorizedExchange';
import { MemoryAuthorizationStore } from '../fixtures/memoryAuthorizationStore';
import { SignInPerson } from '../fixtures/signInPerson';
import { OwnServer } from '../servers/ownServer';
import { RecordingLog } from './wire';

export const resourcePath = '/.well-known/oauth-protected-resource/mcp';
export const metadataPath = '/.well-known/oauth-authorization-server';

/** The first answer of a server that requires a sign-in. */
export const firstRefusal: AuthorizationRefusal = {
  status: 401,
  challenges: [],
  sent: {},
  operation: 'x',
  attempt: 0,
};

/** A server, its authorization server and a person, all as they should be until a test says otherwise. */
export class AuthScene {
  readonly person = new SignInPerson();
  readonly store = new MemoryAuthorizationStore();
  readonly log = new RecordingLog();
  configuration: OAuthConfiguration = {};
  /** The person wants to sign in as somebody else. */
  wantsAnother = false;
  #authorization: OAuthAuthorization | undefined;

  private constructor(
    readonly mcp: OwnServer,
    readonly issuer: OwnServer,
  ) {
    mcp.answer(resourcePath, { resource: this.url, authorization_servers: [issuer.origin] });
    issuer.answer(metadataPath, this.metadata());
    issuer.answer('/register', { client_id: 'client', token_endpoint_auth_method: 'none' }, 201);
    issuer.answer('/token', { access_token: 'given', token_type: 'Bearer' });
    this.person.answer = (_address, state) => this.back({ code: 'code', state });
  }

  static async open(): Promise<AuthScene> {
    return new AuthScene(await OwnServer.start(), await OwnServer.start());
  }

  get url(): string {
    return `${this.mcp.origin}/mcp`;
  }

  get grant(): TokenGrant | undefined {
    return this.store.grants.get(this.url);
  }

  /** The forms that the token endpoint got. */
  get forms(): readonly URLSearchParams[] {
    return (this.issuer.bodies.get('/token') ?? []).map((body) => new URLSearchParams(body));
  }

  /** The query of what was opened last. */
  get opened(): URLSearchParams {
    return new URL(this.person.opened.at(-1) ?? '').searchParams;
  }

  metadata(changes: object = {}) {
    const { origin } = this.issuer;
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ['S256'],
      ...changes,
    };
  }

  /** The authorization server says this of itself. */
  describe(changes: object): void {
    this.issuer.answer(metadataPath, this.metadata(changes));
  }

  /** The address at which the browser comes back. */
  back(parameters: Readonly<Record<string, string>>): string {
    return `http://127.0.0.1:43001/callback?${String(new URLSearchParams(parameters))}`;
  }

  get authorization(): OAuthAuthorization {
    return (this.#authorization ??= this.authorizationFor(this.person));
  }

  /** Another one, which asks `agent`. */
  authorizationFor(agent: SignInAgent): OAuthAuthorization {
    return new OAuthAuthorization({
      serverUrl: this.url,
      configuration: this.configuration,
      store: this.store,
      agent,
      description: { name: 'test' },
      log: this.log,
      wantsAnother: () => this.wantsAnother,
    });
  }

  /** What a request to the server carries. */
  headers(): Promise<HttpHeaders> {
    return this.authorization.headers({ method: 'POST', url: new URL(this.url) });
  }

  /** A request was refused with 401. */
  async refused(challenge = 'Bearer', changes: Partial<AuthorizationRefusal> = {}): Promise<void> {
    const sent = await this.headers();
    const refusal = { ...firstRefusal, challenges: [challenge], sent };
    return this.authorization.refused({ ...refusal, ...changes });
  }

  async close(): Promise<void> {
    await Promise.all([this.mcp.stop(), this.issuer.stop()]);
  }
}
