import { OAuthAuthorization } from '../../src/core/auth/oauthAuthorization';
import type { OAuthConfiguration, SignInAgent } from '../../src/core/auth/ports';
import { McpError } from '../../src/core/errors';
import type { ConnectionLog } from '../../src/core/log';
import { MemoryAuthorizationStore } from '../fixtures/memoryAuthorizationStore';

/** What a scenario knows beforehand. */
export interface SignInFacts {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly valid_jwt?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  readonly idp_token_endpoint?: string;
}

/** Nobody listens there: the agent is the browser, too. */
const address = 'http://127.0.0.1:43219/callback';

/** A person who agrees to everything, with a browser that follows one redirect. */
const agent: SignInAgent = {
  chooseIssuer: async (_server, [first = '']) => first,
  receiver: async () => ({ address, dispose: () => undefined }),
  authorize: async (_question, request) => {
    const answer = await fetch(request.address, { redirect: 'manual' });
    await answer.body?.cancel();
    return new URL(answer.headers.get('location') ?? '', request.address);
  },
  askForClient: () => Promise.reject(new McpError('cancelled')),
};

/** The sign-in of a scenario, as the configuration of a person would have it. */
export function signIn(
  scenario: string,
  serverUrl: string,
  facts: SignInFacts,
  log: ConnectionLog,
) {
  return new OAuthAuthorization({
    serverUrl,
    configuration: configurationOf(scenario, facts),
    store: new MemoryAuthorizationStore(),
    agent,
    description: { name: 'Toolgate' },
    log,
  });
}

function configurationOf(scenario: string, facts: SignInFacts): OAuthConfiguration {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: pem } = facts;
  const { idp_client_id: idpClient, idp_id_token: idToken, idp_token_endpoint: idp } = facts;
  return {
    clientDocument: 'https://conformance-test.local/client-metadata.json',
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(pem === undefined ? {} : { privateKey: { pem, algorithm: 'ES256' } }),
    ...(facts.valid_jwt === undefined ? {} : { workloadToken: facts.valid_jwt }),
    ...(scenario.startsWith('auth/client-credentials') ? { grant: 'client_credentials' } : {}),
    ...(idpClient === undefined || idToken === undefined || idp === undefined
      ? {}
      : { enterprise: { clientId: idpClient, idToken, tokenEndpoint: idp } }),
  };
}
