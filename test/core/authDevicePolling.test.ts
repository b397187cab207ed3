import assert from 'node:assert/strict';
import type { SignInAgent } from '../../src/core/auth/ports';
import { isMcpError } from '../../src/core/errors';
import { DevicePerson } from '../fixtures/devicePerson';
import { SignInPerson } from '../fixtures/signInPerson';
import { AuthScene, firstRefusal } from './authScene';
import { type StoppedClock, whileStopped } from './stoppedClock';
import { failureOf } from './wire';

let scene: AuthScene;
let person: DevicePerson;

/** The site gives such a device code. */
const device = (changes: object = {}) =>
  scene.issuer.answer('/device', {
    device_code: 'secret',
    user_code: 'ABCD',
    verification_uri: 'https://login.example.org/device',
    expires_in: 600,
    interval: 2,
    ...changes,
  });

const signIn = (agent: SignInAgent = person) => {
  const done = scene.authorizationFor(agent).refused(firstRefusal);
  done.catch(() => undefined);
  return done;
};

/** Waits for just so long, then asks. */
const next = async (clock: StoppedClock, ms: number) => {
  await clock.untilWaiting(ms);
  clock.advance(ms);
};

describe('Polling for a device code', () => {
  beforeEach(async () => {
    scene = await AuthScene.open();
    person = new DevicePerson();
    scene.describe({ device_authorization_endpoint: `${scene.issuer.origin}/device` });
  });
  afterEach(() => scene.close());

  const pending = () => scene.issuer.answer('/token', { error: 'authorization_pending' }, 400);
  const given = () =>
    scene.issuer.answer('/token', { access_token: 'given', token_type: 'Bearer' });
  const isGiven = () => assert.equal(scene.grant?.accessToken, 'given');
  /** What a sign-in says that fails when it was waited for so long each time. */
  const failing = (...waits: readonly number[]): Promise<string> =>
    whileStopped(async (clock) => {
      const done = signIn();
      for (const ms of waits) await next(clock, ms);
      const [code, { detail = '' }] = await failureOf(done);
      assert.equal(code, 'signInFailed');
      return detail;
    });
  it('uses the interval of the server, and slows down on request', async () => {
    device({});
    pending();
    await whileStopped(async (clock) => {
      const done = signIn();
      await next(clock, 2_000);
      await clock.untilWaiting(2_000);
      scene.issuer.answer('/token', { error: 'slow_down' }, 400);
      await next(clock, 2_000);
      await clock.untilWaiting(7_000);
      pending();
      await next(clock, 7_000);
      await clock.untilWaiting(7_000);
      given();
      await next(clock, 7_000);
      await done;
    });
    isGiven();
    assert.equal(scene.forms.length, 4);
  });

  it('uses five seconds if the server names no interval', async () => {
    device({ interval: undefined });
    await whileStopped(async (clock) => {
      const done = signIn();
      await next(clock, 5_000);
      await done;
    });
    isGiven();
  });

  for (const interval of [3_000_000, 1e300]) {
    it(`is bounded for an interval of ${interval} s, and ends with the code`, async () => {
      device({ interval, expires_in: 30 });
      pending();
      await failing(30_000);
      assert.equal(scene.forms.length, 1);
    });
  }

  it('continues after broken connections, each time half as often, and then accepts the token', async () => {
    device({});
    scene.issuer.handle('/token', (request) => request.socket.destroy());
    await whileStopped(async (clock) => {
      const done = signIn();
      await next(clock, 2_000);
      await next(clock, 4_000);
      await clock.untilWaiting(8_000);
      given();
      await next(clock, 8_000);
      await done;
    });
    isGiven();
    assert.equal(scene.forms.length, 3);
  });

  it('continues after a truncated answer, and after a timeout', async () => {
    device({});
    scene.issuer.handle('/token', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
      response.write('{', () => response.destroy());
    });
    await whileStopped(async (clock) => {
      const done = signIn();
      await next(clock, 2_000);
      await clock.untilWaiting(4_000);
      const asked = new Promise<void>((arrived) => scene.issuer.handle('/token', () => arrived()));
      await next(clock, 4_000);
      await asked;
      await next(clock, 10_000);
      await clock.untilWaiting(8_000);
      given();
      await next(clock, 8_000);
      await done;
    });
    isGiven();
  });

  it('ends when the code expires without a connection, and says so', async () => {
    device({ expires_in: 30 });
    scene.issuer.handle('/token', (request) => request.socket.destroy());
    assert.match(await failing(2_000, 4_000, 8_000, 16_000), /connectionLost/);
    assert.equal(scene.forms.length, 4);
  });

  it('ends at once after any other answer', async () => {
    device({});
    scene.issuer.answer('/token', { error: 'access_denied' }, 400);
    await failing(2_000);
    assert.equal(scene.forms.length, 1);
  });

  it('ends after ten minutes, however long the code is valid', async () => {
    device({ interval: 400, expires_in: 1e9 });
    pending();
    assert.match(await failing(400_000, 200_000), /not typed in time/);
    assert.equal(person.isShown, false);
  });
});

describe('A server with a device code or a browser page', () => {
  beforeEach(async () => {
    scene = await AuthScene.open();
    person = new DevicePerson();
    person.hasBrowser = true;
    device();
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
      await next(clock, 2_000);
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
      const [code, { detail = '' }] = await failureOf(signIn(agent));
      assert.equal(code, 'signInFailed');
      assert.match(detail, /no authorization endpoint/);
    }
  });
});
