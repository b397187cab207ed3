import assert from 'node:assert/strict';
import { revokeGrant } from '../../src/core/auth/tokenRequests';
import type { McpErrorCode } from '../../src/core/errors';
import { isMcpError } from '../../src/core/errors';
import { knownClient, machineClient, visitSignIn } from '../fixtures/authorizationServer';
import { SignInPerson } from '../fixtures/signInPerson';
import { textOf } from './connections';
import { useRealSignIn } from './realSignIn';

const document = 'https://toolgate.example/client.json';

describe('Signing in at a real authorization server', () => {
  const signIn = useRealSignIn(
    () => new SignInPerson(),
    {
      accessTokenSeconds: 3600,
      challengeScopes: ['files:read'],
      toolScopes: {},
      announced: [0],
      documents: {},
      namesOtherForm: false,
    },
    { issuers: 3, withSlash: [2] },
  );

  const failsWith = (code: McpErrorCode, words: RegExp) => (error: unknown) =>
    isMcpError(error, code) && words.test(error.facts.detail ?? '');

  for (const era of ['stateless', 'stateful'] as const) {
    it(`registers, asks once, and calls: ${era}`, async () => {
      const arrived = await signIn.since();
      const client = await signIn.connect({}, { era });
      assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
      assert.deepEqual(
        signIn.person.questions.map(
          ({ reason, scopes, client: from, issuer, resource, serverUrl }) => ({
            reason,
            scopes,
            from,
            issuer,
            resource,
            serverUrl,
          }),
        ),
        [
          {
            reason: 'first',
            scopes: ['files:read', 'offline_access'],
            from: 'registered',
            issuer: signIn.server.issuer,
            resource: signIn.server.mcpUrl,
            serverUrl: signIn.server.mcpUrl,
          },
        ],
      );
      const requests = await arrived();
      assert.equal(requests.filter(({ path }) => path === '/reg').length, 1);
      // It is sent to the server, and to nobody else.
      const carriers = requests.filter(({ authorization = '' }) =>
        authorization.includes(signIn.grant.accessToken),
      );
      assert.ok(carriers.length > 0);
      assert.deepEqual(new Set(carriers.map((request) => request.server)), new Set(['mcp']));
      assert.equal(signIn.person.receivers, 0);
    });
  }

  for (const [form, index] of [
    ['without its slash', 2],
    ['with a slash that it does not have', 0],
  ] as const) {
    it(`signs in at an issuer that is named ${form}, and refreshes there`, async () => {
      await signIn.server.change({ announced: [index], namesOtherForm: true });
      const client = await signIn.connect();
      assert.equal(signIn.grant.issuer, signIn.server.issuers[index]);
      const first = signIn.grant.accessToken;
      signIn.change({ expiresAt: Date.now() });
      assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
      assert.notEqual(signIn.grant.accessToken, first);
      // What is kept counts for either form.
      signIn.change({ accessToken: 'gone' });
      assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
      const reasons = signIn.person.questions.map(({ reason }) => reason);
      assert.deepEqual(reasons, ['first']);
    });
  }

  it('uses the metadata document if the server accepts it', async () => {
    const redirect = 'http://127.0.0.1/callback';
    await signIn.server.change({
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
    const client = await signIn.connect({ clientDocument: document });
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
    assert.equal(signIn.person.questions[0]?.client, 'document');
    assert.equal(signIn.grant.clientId, document);
    assert.equal(signIn.store.registrations.size, 0);
  });

  it('uses the configured client with its encoded secret', async () => {
    const client = await signIn.connect({ ...knownClient, scopes: ['files:write'] });
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:write');
    assert.equal(signIn.person.questions[0]?.client, 'configured');
  });

  it('gets a token without a user if client credentials are configured', async () => {
    signIn.person.isAway = true;
    const configuration = { ...machineClient, grant: 'client_credentials' } as const;
    const client = await signIn.connect(configuration);
    assert.equal(await textOf(client.callTool('whoami', {})), ': files:read');
  });

  it('fails with the server’s message when the user refuses there', async () => {
    signIn.person.visit = { cancelAt: 'consent' };
    await assert.rejects(signIn.connect(), failsWith('signInFailed', /access_denied/));
    assert.equal(signIn.store.grants.size, 0);
  });

  it('opens nothing while no question is allowed', async () => {
    signIn.person.isAway = true;
    await assert.rejects(signIn.connect(), (error) => isMcpError(error, 'signInNeeded'));
    assert.deepEqual(signIn.person.opened, []);
  });

  it('refreshes before a token expires, with the rotated refresh token', async () => {
    const client = await signIn.connect();
    const first = signIn.grant;
    signIn.change({ expiresAt: Date.now() });
    await client.callTool('whoami', {});
    const second = signIn.grant;
    assert.notEqual(second.accessToken, first.accessToken);
    assert.notEqual(second.refreshToken, first.refreshToken);
    assert.equal(signIn.person.questions.length, 1);
  });

  it('refreshes a rejected token once for all waiting requests', async () => {
    const client = await signIn.connect();
    // The server has forgotten it; nothing here knows.
    signIn.change({ accessToken: 'forgotten' });
    const arrived = await signIn.since();
    await Promise.all([1, 2, 3, 4].map(() => client.callTool('whoami', {})));
    const refreshes = (await arrived()).filter(({ path }) => path === '/token');
    assert.equal(refreshes.length, 1);
    assert.match(refreshes[0]?.body ?? '', /grant_type=refresh_token/);
    assert.equal(new URLSearchParams(refreshes[0]?.body).get('resource'), signIn.server.mcpUrl);
    assert.equal(signIn.person.questions.length, 1);
  });

  it('refreshes once for two windows, and both keep the sign-in', async () => {
    const one = await signIn.connect();
    const other = await signIn.connect();
    signIn.change({ accessToken: 'forgotten' });
    const arrived = await signIn.since();
    await Promise.all([one, other].map((client) => client.callTool('whoami', {})));
    const refreshes = (await arrived()).filter(({ path }) => path === '/token');
    assert.equal(refreshes.length, 1);
    assert.equal(signIn.person.questions.length, 1);
  });

  it('requires a sign-in after a replay has revoked the tokens, and selects the same account', async () => {
    const client = await signIn.connect();
    const first = signIn.grant;
    signIn.change({ accessToken: 'forgotten' });
    await client.callTool('whoami', {});
    // Somebody else has had the first refresh token.
    signIn.store.grants.set(signIn.server.mcpUrl, { ...first, accessToken: 'stolen' });
    signIn.person.isAway = true;
    await assert.rejects(
      client.callTool('whoami', {}),
      (error) => isMcpError(error, 'signInNeeded') && error.facts.hadNoEffect === true,
    );
    assert.equal(signIn.store.grants.size, 0);
    signIn.person.isAway = false;
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
    assert.equal(signIn.person.questions.at(-1)?.reason, 'again');
    assert.equal(signIn.grant.account, first.account);
  });

  it('asks for more scopes during a call, which continues', async () => {
    await signIn.server.change({ toolScopes: { write_file: 'files:write' } });
    const client = await signIn.connect();
    assert.equal(await textOf(client.callTool('write_file', {})), 'written');
    const [, question] = signIn.person.questions;
    assert.equal(question?.reason, 'stepUp');
    assert.equal(question.operation, 'tools/call write_file');
    assert.deepEqual(question.addedScopes, ['files:write']);
    assert.deepEqual(question.scopes, ['files:read', 'offline_access', 'files:write']);
  });

  it('stops after scopes were requested in vain, and does not request them again', async () => {
    await signIn.server.change({ toolScopes: { write_file: 'files:unknown' } });
    const client = await signIn.connect();
    const refused = (error: unknown) =>
      isMcpError(error, 'scopeRefused') && error.facts.scopes?.join() === 'files:unknown';
    await assert.rejects(client.callTool('write_file', {}), refused);
    assert.equal(signIn.person.questions.length, 2);
    await assert.rejects(client.callTool('write_file', {}), refused);
    assert.equal(signIn.person.questions.length, 2);
  });

  it('signs in again, and says so, if the server names another authorization server', async () => {
    const client = await signIn.connect();
    const before = signIn.grant;
    await signIn.server.change({ announced: [1] });
    const arrived = await signIn.since();
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
    const question = signIn.person.questions.at(-1);
    assert.equal(question?.reason, 'changedServer');
    assert.equal(question.formerIssuer, signIn.server.issuer);
    assert.equal(question.issuer, signIn.server.issuers[1]);
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
    const client = await signIn.connect(knownClient);
    await signIn.server.change({ announced: [1] });
    const arrived = await signIn.since();
    await assert.rejects(client.callTool('whoami', {}), failsWith('signInFailed', /is one of/));
    const shown = (await arrived()).filter((request) => request.server === 'as1');
    assert.ok(shown.every(({ path, body }) => !`${path}${body}`.includes(knownClient.clientId)));
  });

  it('lets the user choose between several authorization servers, and keeps the choice', async () => {
    await signIn.server.change({ announced: [0, 1] });
    signIn.person.choice = 1;
    const client = await signIn.connect();
    assert.equal(signIn.grant.issuer, signIn.server.issuers[1]);
    signIn.person.choice = 0;
    signIn.change({ accessToken: 'forgotten' });
    await client.callTool('whoami', {});
    assert.equal(signIn.grant.issuer, signIn.server.issuers[1]);
  });

  it('revokes both tokens', async () => {
    const client = await signIn.connect();
    const signedIn = signIn.grant;
    const registration = signIn.store.registrations.get(signedIn.issuer);
    assert.deepEqual(await revokeGrant(signedIn, registration, signIn.server.mcpUrl), []);
    signIn.person.isAway = true;
    await assert.rejects(client.callTool('whoami', {}), (error) =>
      isMcpError(error, 'signInNeeded'),
    );
  });

  it('says that nothing was revoked if the server is unreachable', async () => {
    await signIn.connect();
    const revocationEndpoint = 'http://127.0.0.1:1/revoke';
    const gone = { ...signIn.grant, revocationEndpoint };
    const both = ['refreshToken', 'accessToken'];
    assert.deepEqual(await revokeGrant(gone, undefined, signIn.server.mcpUrl), both);
    const { revocationEndpoint: _, ...without } = gone;
    assert.deepEqual(await revokeGrant(without, undefined, signIn.server.mcpUrl), both);
  });

  it('reuses the port of the stored registration, which is for that port only', async () => {
    await signIn.connect();
    const first = signIn.store.registrations.get(signIn.server.issuer);
    signIn.store.grants.clear();
    await signIn.connect();
    assert.deepEqual(signIn.person.ports, [
      undefined,
      Number(new URL(first?.redirectAddress ?? '').port),
    ]);
    assert.equal(signIn.store.registrations.get(signIn.server.issuer)?.clientId, first?.clientId);
  });

  it('registers once more if the server has forgotten the client', async () => {
    signIn.store.registrations.set(signIn.server.issuer, {
      issuer: signIn.server.issuer,
      clientId: 'forgotten',
      authentication: 'none',
      from: 'registered',
      redirectAddress: 'http://127.0.0.1:43001/callback',
    });
    // The pages do not tell; the token endpoint does.
    signIn.person.answer = (address, state) => {
      const url = new URL(address);
      if (url.searchParams.get('client_id') !== 'forgotten') return visitSignIn(address);
      const iss = encodeURIComponent(signIn.server.issuer);
      return `http://127.0.0.1:43001/callback?code=any&state=${state}&iss=${iss}`;
    };
    const client = await signIn.connect();
    assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
    assert.notEqual(signIn.grant.clientId, 'forgotten');
  });

  it('stores every secret before it is used anywhere else', async () => {
    const arrived = await signIn.since();
    signIn.log.isOn = true;
    const client = await signIn.connect();
    await client.callTool('whoami', {});
    const forms = (await arrived()).filter(({ path }) => path === '/token');
    const parameters = new URLSearchParams(forms[0]?.body);
    const secrets = ['code', 'code_verifier'].map((name) => parameters.get(name) ?? '');
    const { accessToken, refreshToken = '' } = signIn.grant;
    for (const secret of [...secrets, accessToken, refreshToken]) {
      assert.ok(secret !== '' && signIn.store.secrets.includes(secret));
      assert.ok(![...signIn.log.lines, ...signIn.log.traces].some((line) => line.includes(secret)));
    }
  });
});
