import assert from 'node:assert/strict';
import { machineGrantHosts } from '../../src/core/auth/signInWithoutBrowser';
import { isMcpError } from '../../src/core/errors';
import { OwnServer } from '../servers/ownServer';
import { AuthScene } from './authScene';

const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

describe('Access through an identity provider', () => {
  let scene: AuthScene;
  let provider: OwnServer;

  beforeEach(async () => {
    [scene, provider] = [await AuthScene.open(), await OwnServer.start()];
    provider.answer('/token', {
      access_token: 'assertion',
      token_type: 'N_A',
      issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      expires_in: 60,
    });
    scene.person.isAway = true;
    scene.configuration = {
      clientId: 'mine',
      clientSecret: 'secret',
      scopes: ['files:read'],
      enterprise: {
        tokenEndpoint: `${provider.origin}/token`,
        clientId: 'there',
        idToken: 'id-token',
      },
    };
  });
  afterEach(() => Promise.all([scene.close(), provider.stop()]));

  const forms = () =>
    (provider.bodies.get('/token') ?? []).map((body) => new URLSearchParams(body));

  it('exchanges the ID token for an assertion for this server alone, and that for an access token, without a question', async () => {
    await scene.refused();
    assert.deepEqual(
      forms().map((form) => Object.fromEntries(form)),
      [
        {
          grant_type: exchange,
          client_id: 'there',
          requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
          audience: scene.issuer.origin,
          resource: scene.url,
          subject_token: 'id-token',
          subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
          scope: 'files:read',
        },
      ],
    );
    assert.deepEqual(
      scene.forms.map((form) => [form.get('grant_type'), form.get('assertion')]),
      [[jwtBearer, 'assertion']],
    );
    assert.equal(scene.grant?.accessToken, 'given');
    assert.deepEqual(await scene.headers(), { Authorization: 'Bearer given' });
    assert.deepEqual([scene.person.opened, scene.person.questions], [[], []]);
    assert.ok(
      ['id-token', 'assertion', 'given', 'secret'].every((text) =>
        scene.store.secrets.includes(text),
      ),
    );
  });

  it('may use a provider in another network than the server’s, because the user configured it', () => {
    const enterprise = { tokenEndpoint: 'https://idp.lan:8443/token', clientId: 'a', idToken: 'b' };
    assert.deepEqual(machineGrantHosts({ enterprise }), ['idp.lan']);
    assert.deepEqual(machineGrantHosts({}), []);
  });

  it('fails if the provider rejects the ID token, without a request to the server', async () => {
    provider.answer('/token', { error: 'invalid_grant', error_description: 'it has expired' }, 400);
    await assert.rejects(scene.refused(), (error) => {
      assert.ok(isMcpError(error, 'signInFailed'));
      assert.deepEqual([error.facts.signInStep, error.facts.issuer], ['token', provider.origin]);
      assert.match(error.facts.detail ?? '', /invalid_grant/);
      return true;
    });
    assert.deepEqual(scene.forms, []);
    assert.equal(scene.grant, undefined);
  });

  for (const tokenEndpoint of ['not an address', 'http://idp.example/token', 'https://a:b@h/']) {
    it(`sends nothing to the provider ${tokenEndpoint}`, async () => {
      const { enterprise } = scene.configuration;
      assert.ok(enterprise);
      scene.configuration = {
        ...scene.configuration,
        enterprise: { ...enterprise, tokenEndpoint },
      };
      await assert.rejects(scene.refused(), (error) => isMcpError(error, 'signInFailed'));
      assert.deepEqual([forms(), scene.forms], [[], []]);
    });
  }
});
