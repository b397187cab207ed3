import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { OAuthAuthorization } from '../../src/core/auth/oauthAuthorization';
import { isMcpError } from '../../src/core/errors';
import { connectHttp } from '../../src/core/http/connectHttp';
import { AuthorizationServer, visitDevice } from '../fixtures/authorizationServer';
import { DevicePerson } from '../fixtures/devicePerson';
import { MemoryAuthorizationStore } from '../fixtures/memoryAuthorizationStore';
import { clientInfo, textOf } from './connections';
import { type StoppedClock, whileStopped } from './stoppedClock';
import { RecordingLog } from './wire';

describe('Signing in by a device code', function () {
  this.timeout(60_000);
  let server: AuthorizationServer;
  let person: DevicePerson;
  let store: MemoryAuthorizationStore;
  let earlier: number;

  before(async () => {
    server = await AuthorizationServer.start();
    await server.change({ challengeScopes: ['files:read'] });
    // The timer of Node's fetch is made by the first one, and has to be a real one.
    await (await fetch(server.issuer)).text();
  });
  after(() => server.stop());
  beforeEach(async () => {
    person = new DevicePerson();
    store = new MemoryAuthorizationStore();
    await server.change({ deviceCodeSeconds: 600 });
    earlier = (await server.requests()).length;
  });

  const connect = (cancel = new CancellationTokenSource()) => {
    const log = new RecordingLog();
    const { mcpUrl: url } = server;
    const authorization = new OAuthAuthorization({
      serverUrl: url,
      configuration: {},
      store,
      agent: person,
      description: { name: 'Toolgate test' },
      log,
    });
    return connectHttp({ url, clientInfo, log, authorization }, cancel.token);
  };
  /** The forms with which it was asked whether the code was typed. */
  const polls = async () => {
    const requests = (await server.requests()).slice(earlier);
    const forms = requests.map(({ body }) => new URLSearchParams(body));
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
      const connecting = connect();
      await nextPoll(clock);
      await clock.untilWaiting(5_000);
      const [{ verificationUri, userCode } = assert.fail()] = person.shown;
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
    const grant = store.grants.get(server.mcpUrl);
    assert.ok(grant?.refreshToken !== undefined);
    assert.deepEqual(
      new Set((await polls()).map((form) => form.get('resource'))),
      new Set([server.mcpUrl]),
    );
    assert.equal(person.isShown, false);
    assert.equal(person.opened.length, 0);
    // Whoever has it gets the token: it is in no log.
    const [code = ''] = (await polls()).map((form) => form.get('device_code') ?? '');
    assert.ok(code !== '' && store.secrets.includes(code));
    assert.ok(!JSON.stringify(person.shown).includes(code));
  });

  it('ends when the user refuses', async () => {
    await whileStopped(async (clock) => {
      const refused = assert.rejects(connect(), failsWith(/access_denied/));
      await clock.untilWaiting(5_000);
      const [{ verificationUriComplete = '', userCode } = assert.fail()] = person.shown;
      await visitDevice(verificationUriComplete, userCode, { cancelAt: 'device' });
      await nextPoll(clock);
      await refused;
    });
    assert.equal(store.grants.size, 0);
  });

  it('ends when the code has expired', async () => {
    await server.change({ deviceCodeSeconds: 1 });
    await assert.rejects(connect(), failsWith(/expired|not typed in time/));
    assert.equal(store.grants.size, 0);
  });

  it('stops polling when the user cancels', async () => {
    const cancel = new CancellationTokenSource();
    person.type = async () => cancel.cancel();
    await whileStopped(async (clock) => {
      await assert.rejects(connect(cancel), (error) => isMcpError(error, 'cancelled'));
      assert.equal(person.shown.length, 1);
      clock.advance(60_000);
      // What was sent by now has come there before this.
      await (await fetch(server.issuer)).text();
    });
    assert.deepEqual(await polls(), []);
  });
});
