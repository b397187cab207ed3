import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { revokeGrant } from '../../src/core/auth/tokenRequests';
import { isMcpError } from '../../src/core/errors';
import { machineClient, type SignInRequest } from '../fixtures/authorizationServer';
import { MemoryAuthorizationStore } from '../fixtures/memoryAuthorizationStore';
import { resourceNonce } from '../fixtures/protectedServer';
import { SignInPerson } from '../fixtures/signInPerson';
import { textOf } from './connections';
import { useRealSignIn } from './realSignIn';

/** The claims of a proof. */
function claimsOf({ proof = '' }: SignInRequest) {
  const [header = '', payload = ''] = proof.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return { ...read(header), ...read(payload) };
}

describe('Key-bound tokens of a real authorization server', () => {
  const signIn = useRealSignIn(() => new SignInPerson(), {
    challengeScopes: ['files:read'],
    toolScopes: {},
    demandsProof: true,
    demandsNonce: false,
  });

  for (const era of ['stateless', 'stateful'] as const) {
    it(`are sent with a proof for each request, and never as bearer tokens: ${era}`, async () => {
      const arrived = await signIn.since();
      const client = await signIn.connect({}, { era });
      assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
      await client.close();
      const requests = await arrived();
      const { accessToken } = signIn.grant;
      const carriers = requests.filter(({ authorization = '' }) =>
        authorization.includes(accessToken),
      );
      assert.ok(carriers.length > 1);
      const hash = createHash('sha256').update(accessToken).digest('base64url');
      for (const request of carriers) {
        assert.equal(request.server, 'mcp');
        assert.equal(request.authorization, `DPoP ${accessToken}`);
        const { htm, htu, ath, typ, alg } = claimsOf(request);
        assert.deepEqual([htm, htu, ath], [request.method, signIn.server.mcpUrl, hash]);
        assert.deepEqual([typ, alg], ['dpop+jwt', 'ES256']);
      }
      const proofs = requests.filter(({ proof }) => proof !== undefined).map(claimsOf);
      assert.equal(new Set(proofs.map(({ jti }) => jti)).size, proofs.length);
      // The code is bound to the same key.
      assert.ok(new URL(signIn.person.opened[0] ?? '').searchParams.has('dpop_jkt'));
      const methods = era === 'stateful' ? ['DELETE', 'GET', 'POST'] : ['POST'];
      assert.deepEqual([...new Set(carriers.map(({ method }) => method))].toSorted(), methods);
    });
  }

  it('need a nonce of each server: one request is repeated at each, and later ones have it', async () => {
    await signIn.server.change({ demandsNonce: true });
    const arrived = await signIn.since();
    const client = await signIn.connect();
    for (let call = 0; call < 3; call += 1) await client.callTool('whoami', {});
    const proofs = (await arrived()).filter(({ proof }) => proof !== undefined);
    const nonces = (name: string) =>
      proofs.filter((each) => each.server === name).map((each) => claimsOf(each).nonce);
    const [none, first, ...more] = nonces('as0');
    assert.deepEqual([none, typeof first, more], [undefined, 'string', []]);
    const [without, ...later] = nonces('mcp');
    assert.equal(without, undefined);
    assert.deepEqual(new Set(later), new Set([resourceNonce]));
    assert.equal(signIn.person.questions.length, 1);
  });

  it('are renewed with the same key', async () => {
    await signIn.server.change({ demandsNonce: true });
    const client = await signIn.connect();
    const first = signIn.grant;
    signIn.change({ expiresAt: Date.now() });
    await client.callTool('whoami', {});
    assert.notEqual(signIn.grant.accessToken, first.accessToken);
    assert.notEqual(signIn.grant.refreshToken, first.refreshToken);
    assert.equal(signIn.grant.proofKey, first.proofKey);
    assert.equal(signIn.person.questions.length, 1);
  });

  it('are used by another window, with the key that is stored beside them', async () => {
    await signIn.connect();
    signIn.person.isAway = true;
    const client = await signIn.connect();
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
  });

  it('are useless without their key, with another one, or as bearer tokens', async () => {
    await signIn.connect();
    const { proofKey: _, ...bearer } = signIn.grant;
    const { accessToken } = bearer;
    const statusOf = async (headers: Record<string, string>) =>
      (await fetch(signIn.server.mcpUrl, { method: 'POST', headers, body: '{}' })).status;
    assert.equal(await statusOf({ Authorization: `DPoP ${accessToken}` }), 401);
    assert.equal(await statusOf({ Authorization: `Bearer ${accessToken}` }), 401);
    signIn.person.isAway = true;
    const stolen = new MemoryAuthorizationStore();
    await stolen.keepGrant(signIn.server.mcpUrl, bearer);
    signIn.store = stolen;
    await assert.rejects(signIn.connect(), (error) => isMcpError(error, 'signInNeeded'));
  });

  it('are not sent if their key cannot be read, and the user is asked again', async () => {
    await (await signIn.connect()).close();
    const { accessToken } = signIn.grant;
    signIn.change({ proofKey: 'no key' });
    const arrived = await signIn.since();
    const client = await signIn.connect();
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
    assert.equal(signIn.person.questions.length, 2);
    const sent = (await arrived()).map(
      ({ authorization = '', body }) => `${authorization} ${body}`,
    );
    assert.ok(!sent.some((text) => text.includes(accessToken)));
  });

  it('are issued without a user, too', async () => {
    const client = await signIn.connect({ ...machineClient, grant: 'client_credentials' });
    assert.equal(await textOf(client.callTool('whoami', {})), ': files:read');
    assert.ok(signIn.grant.proofKey !== undefined);
    assert.equal(signIn.person.questions.length, 0);
  });

  it('get more scopes during a call, with the same key', async () => {
    await signIn.server.change({ toolScopes: { write_file: 'files:write' } });
    const client = await signIn.connect();
    assert.equal(await textOf(client.callTool('write_file', {})), 'written');
    const reasons = signIn.person.questions.map(({ reason }) => reason);
    assert.deepEqual(reasons, ['first', 'stepUp']);
    assert.ok(signIn.grant.proofKey !== undefined);
  });

  it('are revoked like others', async () => {
    const client = await signIn.connect();
    const registration = signIn.store.registrations.get(signIn.grant.issuer);
    assert.deepEqual(await revokeGrant(signIn.grant, registration, signIn.server.mcpUrl), []);
    signIn.person.isAway = true;
    await assert.rejects(client.callTool('whoami', {}), (error) =>
      isMcpError(error, 'signInNeeded'),
    );
  });

  it('have a key that is stored before it is used anywhere else', async () => {
    signIn.log.isOn = true;
    await signIn.connect();
    const { proofKey = '' } = signIn.grant;
    assert.ok(proofKey !== '' && signIn.store.secrets.includes(proofKey));
    assert.ok(![...signIn.log.lines, ...signIn.log.traces].some((line) => line.includes(proofKey)));
  });

  it('are not requested if the server accepts others', async () => {
    await signIn.server.change({ demandsProof: false });
    const arrived = await signIn.since();
    await signIn.connect();
    assert.equal(signIn.grant.proofKey, undefined);
    assert.ok((await arrived()).every(({ proof }) => proof === undefined));
  });
});
