import assert from 'node:assert/strict';
import { OAuthAuthorization } from '../../src/core/auth/oauthAuthorization';
import type { SignInAgent } from '../../src/core/auth/ports';
import { isMcpError } from '../../src/core/errors';
import { DevicePerson } from '../fixtures/devicePerson';
import { SignInPerson } from '../fixtures/signInPerson';
import { AuthScene } from './authScene';
import { type StoppedClock, whileStopped } from './stoppedClock';

describe('A server with a device code or a browser page', () => {
  let scene: AuthScene;
  let person: DevicePerson;
  beforeEach(async () => {
    scene = await AuthScene.open();
    person = new DevicePerson();
    person.hasBrowser = true;
    scene.issuer.answer('/device', {
      device_code: 'secret',
      user_code: 'ABCD',
      verification_uri: 'https://login.example.org/device',
      expires_in: 600,
    });
  });
  afterEach(() => scene.close());

  /** What the site says that it has. */
  const describeSite = (has: { readonly page: boolean; readonly code: boolean }) => {
    const { origin } = scene.issuer;
    scene.describe({
      ...(has.page ? {} : { authorization_endpoint: undefined }),
      ...(has.code ? { device_authorization_endpoint: `${origin}/device` } : {}),
    });
  };
  const signIn = (agent: SignInAgent = person) => {
    const authorization = new OAuthAuthorization({
      serverUrl: scene.url,
      configuration: {},
      store: scene.store,
      agent,
      description: { name: 'test' },
      log: scene.log,
    });
    const refusal = { status: 401, challenges: [], sent: {}, operation: 'x', attempt: 0 } as const;
    const done = authorization.refused(refusal);
    done.catch(() => undefined);
    return done;
  };
  const typed = async (clock: StoppedClock) => {
    await clock.untilWaiting(5_000);
    clock.advance(5_000);
  };

  it('uses the browser first if it has both', async () => {
    describeSite({ page: true, code: true });
    person.answer = (_address, state) => scene.back({ code: 'code', state });
    await signIn();
    assert.deepEqual([person.opened.length, person.shown.length], [1, 0]);
  });

  it('shows the code if it has no page, and listens for no browser', async () => {
    describeSite({ page: false, code: true });
    await whileStopped(async (clock) => {
      const done = signIn();
      await typed(clock);
      await done;
    });
    assert.equal(scene.grant?.accessToken, 'given');
    assert.deepEqual(
      person.shown.map(({ userCode }) => userCode),
      ['ABCD'],
    );
    assert.deepEqual(person.ports, []);
    const [registered = ''] = scene.issuer.bodies.get('/register') ?? [];
    assert.match(registered, /device_code/);
    assert.doesNotMatch(registered, /redirect_uris/);
  });

  it('requests no device code if it has no page and no question is allowed', async () => {
    describeSite({ page: false, code: true });
    person.isAway = true;
    await assert.rejects(signIn(), (error) => isMcpError(error, 'signInNeeded'));
    assert.deepEqual(
      scene.issuer.paths.filter((path) => !path.startsWith('/.well-known/')),
      [],
    );
  });

  it('fails with a message if it has neither, or the code cannot be shown', async () => {
    const agents = { code: new SignInPerson(), neither: person };
    for (const [has, agent] of Object.entries(agents)) {
      describeSite({ page: false, code: has === 'code' });
      await assert.rejects(signIn(agent), (error) => {
        assert.ok(isMcpError(error, 'signInFailed'));
        assert.match(error.facts.detail ?? '', /no authorization endpoint/);
        return true;
      });
    }
  });
});
