import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { OAuthAuthorization } from '../../src/core/auth/oauthAuthorization';
import type { OAuthConfiguration, TokenGrant } from '../../src/core/auth/ports';
import { revokeGrant } from '../../src/core/auth/tokenRequests';
import type { McpClient } from '../../src/core/client';
import { isMcpError } from '../../src/core/errors';
import { connectHttp, type ConnectHttpOptions } from '../../src/core/http/connectHttp';
import {
  AuthorizationServer,
  machineClient,
  type SignInRequest,
} from '../fixtures/authorizationServer';
import { MemoryAuthorizationStore } from '../fixtures/memoryAuthorizationStore';
import { resourceNonce } from '../fixtures/protectedServer';
import { SignInPerson } from '../fixtures/signInPerson';
import { clientInfo, textOf } from './connections';
import { RecordingLog } from './wire';

/** The claims of a proof. */
function claimsOf({ proof = '' }: SignInRequest) {
  const [header = '', payload = ''] = proof.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return { ...read(header), ...read(payload) };
}

describe('Key-bound tokens of a real authorization server', function () {
  this.timeout(60_000);
  let server: AuthorizationServer;
  let person: SignInPerson;
  let store: MemoryAuthorizationStore;
  let log: RecordingLog;
  const clients: McpClient[] = [];

  before(async () => {
    server = await AuthorizationServer.start();
  });
  after(() => server.stop());
  beforeEach(async () => {
    person = new SignInPerson();
    store = new MemoryAuthorizationStore();
    log = new RecordingLog();
    await server.change({
      challengeScopes: ['files:read'],
      toolScopes: {},
      demandsProof: true,
      demandsNonce: false,
    });
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });

  async function connect(
    configuration: OAuthConfiguration = {},
    options: Partial<ConnectHttpOptions> = {},
  ): Promise<McpClient> {
    const { mcpUrl: url } = server;
    const authorization = new OAuthAuthorization({
      serverUrl: url,
      configuration,
      store,
      agent: person,
      description: { name: 'Toolgate test' },
      log,
    });
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

  for (const era of ['stateless', 'stateful'] as const) {
    it(`are sent with a proof for each request, and never as bearer tokens: ${era}`, async () => {
      const arrived = await since();
      const client = await connect({}, { era });
      assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
      await client.close();
      const requests = await arrived();
      const { accessToken } = grant();
      const carriers = requests.filter(({ authorization = '' }) =>
        authorization.includes(accessToken),
      );
      assert.ok(carriers.length > 1);
      const hash = createHash('sha256').update(accessToken).digest('base64url');
      for (const request of carriers) {
        assert.equal(request.server, 'mcp');
        assert.equal(request.authorization, `DPoP ${accessToken}`);
        const { htm, htu, ath, typ, alg } = claimsOf(request);
        assert.deepEqual([htm, htu, ath], [request.method, server.mcpUrl, hash]);
        assert.deepEqual([typ, alg], ['dpop+jwt', 'ES256']);
      }
      const proofs = requests.filter(({ proof }) => proof !== undefined).map(claimsOf);
      assert.equal(new Set(proofs.map(({ jti }) => jti)).size, proofs.length);
      // The code is bound to the same key.
      assert.ok(new URL(person.opened[0] ?? '').searchParams.has('dpop_jkt'));
      const methods = era === 'stateful' ? ['DELETE', 'GET', 'POST'] : ['POST'];
      assert.deepEqual([...new Set(carriers.map(({ method }) => method))].toSorted(), methods);
    });
  }

  it('need a nonce of each server: one request is repeated at each, and later ones have it', async () => {
    await server.change({ demandsNonce: true });
    const arrived = await since();
    const client = await connect();
    for (let call = 0; call < 3; call += 1) await client.callTool('whoami', {});
    const proofs = (await arrived()).filter(({ proof }) => proof !== undefined);
    const nonces = (name: string) =>
      proofs.filter((each) => each.server === name).map((each) => claimsOf(each).nonce);
    const [none, first, ...more] = nonces('as0');
    assert.deepEqual([none, typeof first, more], [undefined, 'string', []]);
    const [without, ...later] = nonces('mcp');
    assert.equal(without, undefined);
    assert.deepEqual(new Set(later), new Set([resourceNonce]));
    assert.equal(person.questions.length, 1);
  });

  it('are renewed with the same key', async () => {
    await server.change({ demandsNonce: true });
    const client = await connect();
    const first = grant();
    store.grants.set(server.mcpUrl, { ...first, expiresAt: Date.now() });
    await client.callTool('whoami', {});
    assert.notEqual(grant().accessToken, first.accessToken);
    assert.notEqual(grant().refreshToken, first.refreshToken);
    assert.equal(grant().proofKey, first.proofKey);
    assert.equal(person.questions.length, 1);
  });

  it('are used by another window, with the key that is stored beside them', async () => {
    await connect();
    person.isAway = true;
    const client = await connect();
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
  });

  it('are useless without their key, with another one, or as bearer tokens', async () => {
    await connect();
    const { proofKey: _, ...bearer } = grant();
    const { accessToken } = bearer;
    const statusOf = async (headers: Record<string, string>) =>
      (await fetch(server.mcpUrl, { method: 'POST', headers, body: '{}' })).status;
    assert.equal(await statusOf({ Authorization: `DPoP ${accessToken}` }), 401);
    assert.equal(await statusOf({ Authorization: `Bearer ${accessToken}` }), 401);
    person.isAway = true;
    const stolen = new MemoryAuthorizationStore();
    await stolen.keepGrant(server.mcpUrl, bearer);
    store = stolen;
    await assert.rejects(connect(), (error) => isMcpError(error, 'signInNeeded'));
  });

  it('are not sent if their key cannot be read, and the user is asked again', async () => {
    await (await connect()).close();
    const { accessToken } = grant();
    store.grants.set(server.mcpUrl, { ...grant(), proofKey: 'no key' });
    const arrived = await since();
    const client = await connect();
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
    assert.equal(person.questions.length, 2);
    const sent = (await arrived()).map(
      ({ authorization = '', body }) => `${authorization} ${body}`,
    );
    assert.ok(!sent.some((text) => text.includes(accessToken)));
  });

  it('are issued without a user, too', async () => {
    const client = await connect({ ...machineClient, grant: 'client_credentials' });
    assert.equal(await textOf(client.callTool('whoami', {})), ': files:read');
    assert.ok(grant().proofKey !== undefined);
    assert.equal(person.questions.length, 0);
  });

  it('get more scopes during a call, with the same key', async () => {
    await server.change({ toolScopes: { write_file: 'files:write' } });
    const client = await connect();
    assert.equal(await textOf(client.callTool('write_file', {})), 'written');
    assert.deepEqual(
      person.questions.map(({ reason }) => reason),
      ['first', 'stepUp'],
    );
    assert.ok(grant().proofKey !== undefined);
  });

  it('are revoked like others', async () => {
    const client = await connect();
    const registration = store.registrations.get(grant().issuer);
    assert.deepEqual(await revokeGrant(grant(), registration, server.mcpUrl), []);
    person.isAway = true;
    await assert.rejects(client.callTool('whoami', {}), (error) =>
      isMcpError(error, 'signInNeeded'),
    );
  });

  it('have a key that is stored before it is used anywhere else', async () => {
    log.isOn = true;
    await connect();
    const { proofKey = '' } = grant();
    assert.ok(proofKey !== '' && store.secrets.includes(proofKey));
    assert.ok(![...log.lines, ...log.traces].some((line) => line.includes(proofKey)));
  });

  it('are not requested if the server accepts others', async () => {
    await server.change({ demandsProof: false });
    const arrived = await since();
    await connect();
    assert.equal(grant().proofKey, undefined);
    assert.ok((await arrived()).every(({ proof }) => proof === undefined));
  });
});
