import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { isMcpError } from '../../src/core/errors';
import { visitDevice, type SignInRequest } from '../fixtures/authorizationServer';
import { DevicePerson } from '../fixtures/devicePerson';
import { textOf } from './connections';
import { type StoppedClock, whileStopped } from './stoppedClock';
import { useRealSignIn } from './realSignIn';

describe('Signing in by a device code', () => {
  const changes = { challengeScopes: ['files:read'], deviceCodeSeconds: 600 };
  const signIn = useRealSignIn(() => new DevicePerson(), changes);
  let arrived: () => Promise<readonly SignInRequest[]>;

  // The timer of Node's fetch is made by the first one, and has to be a real one.
  before(async () => void (await (await fetch(signIn.server.issuer)).text()));
  beforeEach(async () => {
    arrived = await signIn.since();
  });

  /** The forms with which it was asked whether the code was typed. */
  const polls = async () => {
    const forms = (await arrived()).map(({ body }) => new URLSearchParams(body));
    return forms.filter((form) => form.has('device_code'));
  };
  /** RFC 8628 3.2: as long as the server says nothing else, it is asked every five seconds. */
  const nextPoll = async (clock: StoppedClock) => {
    await clock.untilWaiting(5_000);
    clock.advance(5_000);
  };
  const failsWith = (words: RegExp) => (error: unknown) =>
    isMcpError(error, 'signInFailed') && words.test(error.facts.detail ?? '');

  it('waits until the code is entered, and gets a token with a refresh token', async () => {
    await whileStopped(async (clock) => {
      const connecting = signIn.connect();
      await nextPoll(clock);
      await clock.untilWaiting(5_000);
      const [{ verificationUri, userCode } = assert.fail()] = signIn.person.shown;
      await visitDevice(verificationUri, userCode);
      await nextPoll(clock);
      const client = await connecting;
      try {
        assert.equal(await textOf(client.callTool('whoami', {})), 'ada: files:read');
      } finally {
        await client.close();
      }
    });
    assert.equal((await polls()).length, 2);
    const grant = signIn.store.grants.get(signIn.server.mcpUrl);
    assert.ok(grant?.refreshToken !== undefined);
    assert.deepEqual(
      new Set((await polls()).map((form) => form.get('resource'))),
      new Set([signIn.server.mcpUrl]),
    );
    assert.equal(signIn.person.isShown, false);
    assert.equal(signIn.person.opened.length, 0);
    // Whoever has it gets the token: it is in no log.
    const [code = ''] = (await polls()).map((form) => form.get('device_code') ?? '');
    assert.ok(code !== '' && signIn.store.secrets.includes(code));
    assert.ok(!JSON.stringify(signIn.person.shown).includes(code));
  });

  it('ends when the user refuses', async () => {
    await whileStopped(async (clock) => {
      const refused = assert.rejects(signIn.connect(), failsWith(/access_denied/));
      await clock.untilWaiting(5_000);
      const [{ verificationUriComplete = '', userCode } = assert.fail()] = signIn.person.shown;
      await visitDevice(verificationUriComplete, userCode, { cancelAt: 'device' });
      await nextPoll(clock);
      await refused;
    });
    assert.equal(signIn.store.grants.size, 0);
  });

  it('ends when the code has expired', async () => {
    await signIn.server.change({ deviceCodeSeconds: 1 });
    await assert.rejects(signIn.connect(), failsWith(/expired|not typed in time/));
    assert.equal(signIn.store.grants.size, 0);
  });

  it('stops polling when the user cancels', async () => {
    const cancel = new CancellationTokenSource();
    signIn.person.type = async () => cancel.cancel();
    await whileStopped(async (clock) => {
      await assert.rejects(signIn.connect({}, {}, cancel.token), (error) =>
        isMcpError(error, 'cancelled'),
      );
      assert.equal(signIn.person.shown.length, 1);
      clock.advance(60_000);
      // What was sent by now has come there before this.
      await (await fetch(signIn.server.issuer)).text();
    });
    assert.deepEqual(await polls(), []);
  });
});
