import assert from 'node:assert/strict';
import { OAuthAuthorization } from '../../src/core/auth/oauthAuthorization';
import type { OAuthConfiguration, TokenGrant } from '../../src/core/auth/ports';
import { revokeGrant } from '../../src/core/auth/tokenRequests';
import type { McpClient } from '../../src/core/client';
import type { McpErrorCode } from '../../src/core/errors';
import { isMcpError } from '../../src/core/errors';
import { connectHttp } from '../../src/core/http/connectHttp';
import type { ConnectHttpOptions } from '../../src/core/http/connectHttp';
import {
  AuthorizationServer,
  knownClient,
  machineClient,
  visitSignIn,
} from '../fixtures/authorizationServer';
import { MemoryAuthorizationStore } from '../fixtures/memoryAuthorizationStore';
import { SignInPerson } from '../fixtures/signInPerson';
import { clientInfo, textOf } from './connections';
import { RecordingLog } from './wire';

const document = 'https://toolgate.example/client.json';
const description = { name: 'Toolgate test' };

describe('Signing in at a real authorization server', function () {
  this.timeout(60_000);
  let server: AuthorizationServer;
  let person: SignInPerson;
  let store: MemoryAuthorizationStore;
  let log: RecordingLog;
  const clients: McpClient[] = [];

  before(async () => {
    server = await AuthorizationServer.start({ issuers: 3, withSlash: [2] });
  });
  after(() => server.stop());
  beforeEach(async () => {
    person = new SignInPerson();
    store = new MemoryAuthorizationStore();
    log = new RecordingLog();
    await server.change({
      accessTokenSeconds: 3600,
      challengeScopes: ['files:read'],
      toolScopes: {},
      announced: [0],
      documents: {},
      namesOtherForm: false,
    });
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });

  /** One window's authorization. */
  const authorize = (configuration: OAuthConfiguration = {}) =>
    new OAuthAuthorization({
      serverUrl: server.mcpUrl,
      configuration,
      store,
      agent: person,
      description,
      log,
    });

  async function connect(
    authorization = authorize(),
    options: Partial<ConnectHttpOptions> = {},
  ): Promise<McpClient> {
    const { mcpUrl: url } = server;
    const client = await connectHttp({ url, clientInfo, log, authorization, ...options });
    clients.push(client);
    return client;
  }

  const grant = (): TokenGrant => {
    const found = store.grants.get(server.mcpUrl);
    assert.ok(found !== undefined);
    return found;
  };

  /** What arrived from now on. */
  async function since() {
    const before = (await server.requests()).length;
    return async () => (await server.requests()).slice(before);
  }

  const failsWith = (code: McpErrorCode, words: RegExp) => (error: unknown) =>
    isMcpError(error, code) && words.test(error.facts.detail ?? '');

  for (const era of ['stateless', 'stateful'] as const) {
    it(`registers, asks once, and calls: ${era}`, async () => {
      const arrived = await since();
      const client = await connect(authorize(), { era });
      assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
      assert.deepEqual(
        person.questions.map(({ reason, scopes, client: from, issuer, resource, serverUrl }) => ({
          reason,
          scopes,
          from,
          issuer,
          resource,
          serverUrl,
        })),
        [
          {
            reason: 'first',
            scopes: ['files:read', 'offline_access'],
            from: 'registered',
            issuer: server.issuer,
            resource: server.mcpUrl,
            serverUrl: server.mcpUrl,
          },
        ],
      );
      const requests = await arrived();
      assert.equal(requests.filter(({ path }) => path === '/reg').length, 1);
      // It is sent to the server, and to nobody else.
      const carriers = requests.filter(({ authorization = '' }) =>
        authorization.includes(grant().accessToken),
      );
      assert.ok(carriers.length > 0);
      assert.deepEqual(new Set(carriers.map((request) => request.server)), new Set(['mcp']));
      assert.equal(person.receivers, 0);
    });
  }

  for (const [form, index] of [
    ['without its slash', 2],
    ['with a slash that it does not have', 0],
  ] as const) {
    it(`signs in at an issuer that is named ${form}, and refreshes there`, async () => {
      await server.change({ announced: [index], namesOtherForm: true });
      const client = await connect();
      assert.equal(grant().issuer, server.issuers[index]);
      const first = grant().accessToken;
      store.grants.set(server.mcpUrl, { ...grant(), expiresAt: Date.now() });
      assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
      assert.notEqual(grant().accessToken, first);
      // What is kept counts for either form.
      store.grants.set(server.mcpUrl, { ...grant(), accessToken: 'gone' });
      assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
      assert.deepEqual(
        person.questions.map(({ reason }) => reason),
        ['first'],
      );
    });
  }

  it('uses the metadata document if the server accepts it', async () => {
    const redirect = 'http://127.0.0.1/callback';
    await server.change({
      documents: {
        [document]: {
          client_id: document,
          client_name: 'Toolgate test',
          redirect_uris: [redirect],
          application_type: 'native',
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        },
      },
    });
    const client = await connect(authorize({ clientDocument: document }));
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
    assert.equal(person.questions[0]?.client, 'document');
    assert.equal(grant().clientId, document);
    assert.equal(store.registrations.size, 0);
  });

  it('uses the configured client with its encoded secret', async () => {
    const client = await connect(authorize({ ...knownClient, scopes: ['files:write'] }));
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:write');
    assert.equal(person.questions[0]?.client, 'configured');
  });

  it('gets a token without a user if client credentials are configured', async () => {
    person.isAway = true;
    const configuration = { ...machineClient, grant: 'client_credentials' } as const;
    const client = await connect(authorize(configuration));
    assert.equal(await textOf(client.callTool('whoami', {})), ': files:read');
  });

  it('fails with the server’s message when the user refuses there', async () => {
    person.visit = { cancelAt: 'consent' };
    await assert.rejects(connect(), failsWith('signInFailed', /access_denied/));
    assert.equal(store.grants.size, 0);
  });

  it('opens nothing while no question is allowed', async () => {
    person.isAway = true;
    await assert.rejects(connect(), (error) => isMcpError(error, 'signInNeeded'));
    assert.deepEqual(person.opened, []);
  });

  it('refreshes before a token expires, with the rotated refresh token', async () => {
    const client = await connect();
    const first = grant();
    store.grants.set(server.mcpUrl, { ...first, expiresAt: Date.now() });
    await client.callTool('whoami', {});
    const second = grant();
    assert.notEqual(second.accessToken, first.accessToken);
    assert.notEqual(second.refreshToken, first.refreshToken);
    assert.equal(person.questions.length, 1);
  });

  it('refreshes a rejected token once for all waiting requests', async () => {
    const client = await connect();
    const first = grant();
    // The server has forgotten it; nothing here knows.
    store.grants.set(server.mcpUrl, { ...first, accessToken: 'forgotten' });
    const arrived = await since();
    await Promise.all([1, 2, 3, 4].map(() => client.callTool('whoami', {})));
    const refreshes = (await arrived()).filter(({ path }) => path === '/token');
    assert.equal(refreshes.length, 1);
    assert.match(refreshes[0]?.body ?? '', /grant_type=refresh_token/);
    assert.equal(new URLSearchParams(refreshes[0]?.body).get('resource'), server.mcpUrl);
    assert.equal(person.questions.length, 1);
  });

  it('refreshes once for two windows, and both keep the sign-in', async () => {
    const one = await connect(authorize());
    const other = await connect(authorize());
    store.grants.set(server.mcpUrl, { ...grant(), accessToken: 'forgotten' });
    const arrived = await since();
    await Promise.all([one, other].map((client) => client.callTool('whoami', {})));
    const refreshes = (await arrived()).filter(({ path }) => path === '/token');
    assert.equal(refreshes.length, 1);
    assert.equal(person.questions.length, 1);
  });

  it('requires a sign-in after a replay has revoked the tokens, and selects the same account', async () => {
    const client = await connect();
    const first = grant();
    store.grants.set(server.mcpUrl, { ...first, accessToken: 'forgotten' });
    await client.callTool('whoami', {});
    // Somebody else has had the first refresh token.
    store.grants.set(server.mcpUrl, { ...first, accessToken: 'stolen' });
    person.isAway = true;
    await assert.rejects(
      client.callTool('whoami', {}),
      (error) => isMcpError(error, 'signInNeeded') && error.facts.hadNoEffect === true,
    );
    assert.equal(store.grants.size, 0);
    person.isAway = false;
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
    assert.equal(person.questions.at(-1)?.reason, 'again');
    assert.equal(grant().account, first.account);
  });

  it('asks for more scopes during a call, which continues', async () => {
    await server.change({ toolScopes: { write_file: 'files:write' } });
    const client = await connect();
    assert.equal(await textOf(client.callTool('write_file', {})), 'written');
    const [, question] = person.questions;
    assert.equal(question?.reason, 'stepUp');
    assert.equal(question.operation, 'tools/call write_file');
    assert.deepEqual(question.addedScopes, ['files:write']);
    assert.deepEqual(question.scopes, ['files:read', 'offline_access', 'files:write']);
  });

  it('stops after scopes were requested in vain, and does not request them again', async () => {
    await server.change({ toolScopes: { write_file: 'files:unknown' } });
    const client = await connect();
    const refused = (error: unknown) =>
      isMcpError(error, 'scopeRefused') && error.facts.scopes?.join() === 'files:unknown';
    await assert.rejects(client.callTool('write_file', {}), refused);
    assert.equal(person.questions.length, 2);
    await assert.rejects(client.callTool('write_file', {}), refused);
    assert.equal(person.questions.length, 2);
  });

  it('signs in again, and says so, if the server names another authorization server', async () => {
    const client = await connect();
    const before = grant();
    await server.change({ announced: [1] });
    const arrived = await since();
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
    const question = person.questions.at(-1);
    assert.equal(question?.reason, 'changedServer');
    assert.equal(question.formerIssuer, server.issuer);
    assert.equal(question.issuer, server.issuers[1]);
    // Nothing of the first is shown to the second.
    const shown = (await arrived()).filter((request) => request.server === 'as1');
    assert.ok(shown.some(({ path }) => path === '/reg'));
    for (const { path, body, authorization } of shown) {
      const text = `${path} ${body} ${authorization ?? ''}`;
      for (const secret of [before.clientId, before.accessToken, before.refreshToken ?? '-']) {
        assert.ok(!text.includes(secret));
      }
    }
  });

  it('reports a configured client of another authorization server, and does not send it', async () => {
    const client = await connect(authorize(knownClient));
    await server.change({ announced: [1] });
    const arrived = await since();
    await assert.rejects(client.callTool('whoami', {}), failsWith('signInFailed', /is one of/));
    const shown = (await arrived()).filter((request) => request.server === 'as1');
    assert.ok(shown.every(({ path, body }) => !`${path}${body}`.includes(knownClient.clientId)));
  });

  it('lets the user choose between several authorization servers, and keeps the choice', async () => {
    await server.change({ announced: [0, 1] });
    person.choice = 1;
    const client = await connect();
    assert.equal(grant().issuer, server.issuers[1]);
    person.choice = 0;
    store.grants.set(server.mcpUrl, { ...grant(), accessToken: 'forgotten' });
    await client.callTool('whoami', {});
    assert.equal(grant().issuer, server.issuers[1]);
  });

  it('revokes both tokens', async () => {
    const client = await connect();
    const signedIn = grant();
    const registration = store.registrations.get(signedIn.issuer);
    assert.deepEqual(await revokeGrant(signedIn, registration, server.mcpUrl), []);
    person.isAway = true;
    await assert.rejects(client.callTool('whoami', {}), (error) =>
      isMcpError(error, 'signInNeeded'),
    );
  });

  it('says that nothing was revoked if the server is unreachable', async () => {
    await connect();
    const revocationEndpoint = 'http://127.0.0.1:1/revoke';
    const gone = { ...grant(), revocationEndpoint };
    const both = ['refreshToken', 'accessToken'];
    assert.deepEqual(await revokeGrant(gone, undefined, server.mcpUrl), both);
    const { revocationEndpoint: _, ...without } = gone;
    assert.deepEqual(await revokeGrant(without, undefined, server.mcpUrl), both);
  });

  it('reuses the port of the stored registration, which is for that port only', async () => {
    await connect();
    const first = store.registrations.get(server.issuer);
    store.grants.clear();
    await connect();
    assert.deepEqual(person.ports, [undefined, Number(new URL(first?.redirectAddress ?? '').port)]);
    assert.equal(store.registrations.get(server.issuer)?.clientId, first?.clientId);
  });

  it('registers once more if the server has forgotten the client', async () => {
    store.registrations.set(server.issuer, {
      issuer: server.issuer,
      clientId: 'forgotten',
      authentication: 'none',
      from: 'registered',
      redirectAddress: 'http://127.0.0.1:43001/callback',
    });
    // The pages do not tell; the token endpoint does.
    person.answer = (address, state) => {
      const url = new URL(address);
      if (url.searchParams.get('client_id') !== 'forgotten') return visitSignIn(address);
      const iss = encodeURIComponent(server.issuer);
      return `http://127.0.0.1:43001/callback?code=any&state=${state}&iss=${iss}`;
    };
    const client = await connect();
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
    assert.notEqual(grant().clientId, 'forgotten');
  });

  it('stores every secret before it is used anywhere else', async () => {
    const arrived = await since();
    log.isOn = true;
    const client = await connect();
    await client.callTool('whoami', {});
    const forms = (await arrived()).filter(({ path }) => path === '/token');
    const parameters = new URLSearchParams(forms[0]?.body);
    const secrets = ['code', 'code_verifier'].map((name) => parameters.get(name) ?? '');
    const { accessToken, refreshToken = '' } = grant();
    for (const secret of [...secrets, accessToken, refreshToken]) {
      assert.ok(secret !== '' && store.secrets.includes(secret));
      assert.ok(![...log.lines, ...log.traces].some((line) => line.includes(secret)));
    }
  });
});
