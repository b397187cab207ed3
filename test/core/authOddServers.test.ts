import assert from 'node:assert/strict';
import { isMcpError } from '../../src/core/errors';
import { AuthScene, resourcePath } from './authScene';

// What real authorization servers do, and a sign-in survives.

describe('An unusual authorization server', () => {
  let scene: AuthScene;
  beforeEach(async () => {
    scene = await AuthScene.open();
  });
  afterEach(() => scene.close());

  const token = (changes: object = {}) => ({
    access_token: 'given',
    token_type: 'Bearer',
    ...changes,
  });
  /** The token endpoint gives these in turn, and the last one from then on. */
  const gives = (...answers: readonly (readonly [number, object])[]) => {
    let count = 0;
    scene.issuer.handle('/token', (_request, response) => {
      const [status, value] = answers[Math.min(count++, answers.length - 1)] ?? [500, {}];
      response.writeHead(status, {
        'Content-Type': 'application/json',
        ...(status === 401 ? { 'WWW-Authenticate': 'Basic realm="x"' } : {}),
      });
      response.end(JSON.stringify(value));
    });
  };

  it('returns 200 for a registration, and a secret without an expiry', async () => {
    const secret = {
      client_id: 'a b',
      client_secret: 'c:d%~-._',
      token_endpoint_auth_method: 'client_secret_basic',
    };
    scene.issuer.answer('/register', secret);
    let authorization: string | undefined;
    scene.issuer.handle('/token', (request, response) => {
      ({ authorization } = request.headers);
      response.end(JSON.stringify(token()));
    });
    await scene.refused();
    assert.ok(scene.store.secrets.includes('c:d%~-._'));
    const pair = Buffer.from(authorization?.replace('Basic ', '') ?? '', 'base64').toString();
    // Form-encoded, and nothing more.
    assert.equal(pair, 'a+b:c%3Ad%25%7E-._');
  });

  it('accepts the secret in the form only', async () => {
    scene.describe({ token_endpoint_auth_methods_supported: ['client_secret_post'] });
    scene.issuer.answer('/register', { client_id: 'client', client_secret: 'secret' });
    await scene.refused();
    assert.equal(scene.forms[0]?.get('client_secret'), 'secret');
    const asked = JSON.parse(scene.issuer.bodies.get('/register')?.[0] ?? '{}');
    assert.equal(asked.token_endpoint_auth_method, 'client_secret_post');
  });

  it('gives a secret to a public client, which is not sent', async () => {
    scene.issuer.answer('/register', {
      client_id: 'client',
      client_secret: 'secret',
      token_endpoint_auth_method: 'none',
    });
    await scene.refused();
    assert.equal(scene.forms[0]?.has('client_secret'), false);
  });

  it('returns null members, a time as text, and an invalid ID token', async () => {
    const odd = { refresh_token: null, scope: null, expires_in: '60', id_token: 'nonsense' };
    gives([200, token(odd)]);
    await scene.refused();
    assert.equal(scene.grant?.refreshToken, undefined);
    const left = (scene.grant?.expiresAt ?? 0) - Date.now();
    assert.ok(left > 0 && left <= 60_000);
    assert.equal(scene.grant?.accountLabel, '');
  });

  it('identifies the user by an ID token of another issuer', async () => {
    const claims = Buffer.from(JSON.stringify({ sub: 'u1', email: 'ada@x.example' }));
    gives([200, token({ id_token: `e30.${claims.toString('base64url')}.` })]);
    await scene.refused();
    const { account, accountLabel } = scene.grant ?? {};
    assert.deepEqual({ account, accountLabel }, { account: 'u1', accountLabel: 'ada@x.example' });
  });

  for (const status of [200, 400, 401]) {
    it(`rejects a code with status ${status}, and its message is kept`, async () => {
      gives([status, { error: 'bad_verification_code', error_description: 'Expired.' }]);
      await assert.rejects(
        scene.refused(),
        (error) =>
          isMcpError(error, 'signInFailed') &&
          error.facts.detail === 'bad_verification_code: Expired.' &&
          error.facts.signInStep === 'token',
      );
    });
  }

  it('answers with an HTML page, and the error says so without the page', async () => {
    scene.issuer.handle('/token', (_request, response) => {
      response.writeHead(500, { 'Content-Type': 'text/html' }).end('<html>secret</html>');
    });
    await assert.rejects(
      scene.refused(),
      (error) =>
        isMcpError(error, 'signInFailed') &&
        /500/.test(error.message) &&
        !/secret/.test(error.message),
    );
  });

  it('refuses a registration, and its message is kept', async () => {
    scene.issuer.answer(
      '/register',
      { error: 'invalid_redirect_uri', error_description: 'No.' },
      400,
    );
    await assert.rejects(
      scene.refused(),
      (error) =>
        isMcpError(error, 'signInFailed') &&
        error.facts.signInStep === 'client' &&
        error.facts.detail === 'invalid_redirect_uri: No.',
    );
  });

  it('offers no registration, and the user is asked for a client ID', async () => {
    scene.describe({ registration_endpoint: undefined });
    scene.person.client = { clientId: 'mine', clientSecret: 'own secret' };
    await scene.refused();
    assert.deepEqual(scene.person.askedFor, [scene.issuer.origin]);
    assert.equal(scene.grant?.clientId, 'mine');
    assert.ok(scene.store.secrets.includes('own secret'));
  });

  it('refuses a refresh without scopes, and gets the requested ones, once', async () => {
    scene.configuration = { scopes: ['a', 'b'] };
    gives(
      [200, token({ refresh_token: 'one' })],
      [400, { error: 'invalid_scope' }],
      [200, token({ access_token: 'other' })],
    );
    await scene.refused();
    await scene.refused();
    const refreshes = scene.forms.slice(1);
    assert.deepEqual(
      refreshes.map((form) => [form.get('scope'), form.get('refresh_token'), form.get('resource')]),
      [
        [null, 'one', scene.url],
        ['a b', 'one', scene.url],
      ],
    );
    assert.equal(scene.grant?.accessToken, 'other');
    // It gave no new one.
    assert.equal(scene.grant.refreshToken, 'one');
  });

  it('is unreachable for a refresh, and neither tokens are deleted nor the user is asked', async () => {
    gives([200, token({ refresh_token: 'one' })]);
    await scene.refused();
    scene.issuer.handle('/token', (_request, response) => response.destroy());
    await assert.rejects(scene.refused(), (error) => isMcpError(error, 'signInFailed'));
    assert.equal(scene.grant?.refreshToken, 'one');
    assert.equal(scene.person.opened.length, 1);
    // The token serves for as long as it does.
    assert.deepEqual(await scene.headers(), { Authorization: 'Bearer given' });
  });

  it('issues tokens that the server rejects, and the user is not asked in a loop', async () => {
    await scene.refused();
    await assert.rejects(
      scene.refused('Bearer error="invalid_token"', { attempt: 1 }),
      (error) => isMcpError(error, 'signInFailed') && error.facts.signInStep === 'use',
    );
    assert.equal(scene.person.opened.length, 1);
  });

  it('gets `resource` byte for byte, or not at all if that is configured', async () => {
    const resource = `${scene.mcp.origin}/`;
    scene.mcp.answer(resourcePath, {
      resource,
      authorization_servers: [scene.issuer.origin],
    });
    await scene.refused();
    assert.equal(scene.opened.get('resource'), resource);
    assert.equal(scene.forms[0]?.get('resource'), resource);

    const other = await AuthScene.open();
    other.configuration = { omitResource: true };
    await other.refused();
    assert.equal(other.opened.has('resource'), false);
    assert.equal(other.forms[0]?.has('resource'), false);
    await other.close();
  });

  describe('gets a request with', () => {
    const lists = (scopes: readonly string[]) =>
      scene.mcp.answer(resourcePath, {
        resource: scene.url,
        authorization_servers: [scene.issuer.origin],
        scopes_supported: scopes,
      });

    it('the scopes of the challenge, whatever the server lists', async () => {
      lists(['c']);
      await scene.refused('Bearer scope="a b"');
      assert.equal(scene.opened.get('scope'), 'a b');
    });

    it('the scopes that the server lists, without a challenge', async () => {
      lists(['c', 'offline_access']);
      await scene.refused();
      assert.equal(scene.opened.get('scope'), 'c');
    });

    it('no scopes, if none are named', async () => {
      scene.describe({ scopes_supported: ['offline_access'] });
      await scene.refused();
      assert.equal(scene.opened.has('scope'), false);
    });

    it('offline access if it is listed, and the prompt that it needs', async () => {
      scene.describe({ scopes_supported: ['offline_access'] });
      await scene.refused('Bearer scope="a"');
      assert.equal(scene.opened.get('scope'), 'a offline_access');
      assert.equal(scene.opened.get('prompt'), 'consent');
    });

    it('the configured scopes alone, until a call needs more', async () => {
      scene.configuration = { scopes: ['mine'] };
      await scene.refused('Bearer scope="a b"');
      assert.equal(scene.opened.get('scope'), 'mine');
      const challenge = 'Bearer error="insufficient_scope", scope="b"';
      await scene.refused(challenge, { status: 403, operation: 'tools/call y' });
      assert.equal(scene.opened.get('scope'), 'mine b');
      assert.deepEqual(scene.person.questions.at(-1)?.addedScopes, ['b']);
    });
  });

  it('is not involved in a 403 without a challenge', async () => {
    for (const challenge of ['', 'Bearer', 'Bearer error="invalid_token"']) {
      await assert.rejects(scene.refused(challenge, { status: 403 }), (error) =>
        isMcpError(error, 'unauthorized'),
      );
    }
    assert.deepEqual(scene.mcp.paths, []);
  });

  it('can be asked again after the user has closed the question for more scopes', async () => {
    await scene.refused();
    const challenge = 'Bearer error="insufficient_scope", scope="b"';
    const { answer } = scene.person;
    scene.person.isAway = true;
    const stepUp = () => scene.refused(challenge, { status: 403, operation: 'tools/call y' });
    await assert.rejects(stepUp(), (error) => isMcpError(error, 'signInNeeded'));
    scene.person.isAway = false;
    scene.person.answer = answer;
    await stepUp();
    assert.equal(scene.person.questions.length, 2);
  });
});
