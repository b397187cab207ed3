import assert from 'node:assert/strict';
import { OAuthAuthorization } from '../../src/core/auth/oauthAuthorization';
import { isMcpError } from '../../src/core/errors';
import { DevicePerson } from '../fixtures/devicePerson';
import { AuthScene } from './authScene';
import { type StoppedClock, whileStopped } from './stoppedClock';

describe('Polling for a device code', () => {
  let scene: AuthScene;
  let person: DevicePerson;
  beforeEach(async () => {
    scene = await AuthScene.open();
    person = new DevicePerson();
    scene.describe({ device_authorization_endpoint: `${scene.issuer.origin}/device` });
  });
  afterEach(() => scene.close());

  const device = (changes: object) =>
    scene.issuer.answer('/device', {
      device_code: 'secret',
      user_code: 'ABCD',
      verification_uri: 'https://login.example.org/device',
      expires_in: 600,
      interval: 2,
      ...changes,
    });
  const pending = () => scene.issuer.answer('/token', { error: 'authorization_pending' }, 400);
  const signIn = () => {
    const authorization = new OAuthAuthorization({
      serverUrl: scene.url,
      configuration: {},
      store: scene.store,
      agent: person,
      description: { name: 'test' },
      log: scene.log,
    });
    const refusal = { status: 401, challenges: [], sent: {}, operation: 'x', attempt: 0 } as const;
    const done = authorization.refused(refusal);
    done.catch(() => undefined);
    return done;
  };
  const given = () =>
    scene.issuer.answer('/token', { access_token: 'given', token_type: 'Bearer' });
  const isGiven = () => assert.equal(scene.grant?.accessToken, 'given');
  /** What a sign-in says that fails when it was waited for so long each time. */
  const failing = (...waits: readonly number[]): Promise<string> =>
    whileStopped(async (clock) => {
      const done = signIn();
      for (const ms of waits) await next(clock, ms);
      const error: unknown = await done.catch((thrown: unknown) => thrown);
      assert.ok(isMcpError(error, 'signInFailed'));
      return error.facts.detail ?? '';
    });
  /** Waits for just so long, then asks. */
  const next = async (clock: StoppedClock, ms: number) => {
    await clock.untilWaiting(ms);
    clock.advance(ms);
  };

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
