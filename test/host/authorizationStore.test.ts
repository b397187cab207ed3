import assert from 'node:assert/strict';
import type { ServerAuthorizations } from '../../src/host/authorization/serverAuthorizations';
import type { StoredAccount } from '../../src/host/authorization/storedAuthorizations';
import { isMcpError } from '../../src/core/errors';
import {
  grantOf,
  issuer,
  registrationOf,
  serverUrl,
  SharedSecrets,
  useAuthorizingWindows,
} from './sharedSecrets';
import { useFolders } from './testFolders';
import { assertEach } from '../assertions';

const server = '["userFile","/home/me/mcp.json","docs"]';
const other = '["userFile","/home/me/mcp.json","wiki"]';

describe('Stored sign-ins', () => {
  const newFolder = useFolders('authorization');
  const open = useAuthorizingWindows();

  function windows(workspaces: readonly string[] = ['/w/one', '/w/one']) {
    const shared = new SharedSecrets();
    const folder = newFolder();
    const opened = workspaces.map((workspace) => open(shared, folder, workspace));
    const [first = assert.fail(), second = first] = opened;
    return { shared, folder, first, second };
  }
  const labels = (accounts: readonly StoredAccount[]) => accounts.map(({ label }) => label);
  const tokenOf = async (store: ServerAuthorizations) =>
    (await store.grant(serverUrl))?.accessToken;

  it('are complete in another window', async () => {
    const { first, second } = windows();
    await first.kept.forServer(server).keepGrant(serverUrl, grantOf());
    await first.kept.forServer(server).keepRegistration(registrationOf());
    const store = second.kept.forServer(server);
    assert.deepEqual(await store.grant(serverUrl), grantOf());
    assert.deepEqual(await store.registration(issuer), registrationOf());
  });

  it('belong to exactly one server, URL and issuer', async () => {
    const { first } = windows();
    const store = first.kept.forServer(server);
    await store.keepGrant(serverUrl, grantOf());
    await store.keepRegistration(registrationOf());
    assert.equal(await store.grant(`${serverUrl}/`), undefined);
    assert.equal(await first.kept.forServer(other).grant(serverUrl), undefined);
    assert.equal(await store.registration(issuer.slice(0, -1)), undefined);
  });

  it('have keys that reveal no URL, and nothing in files', async () => {
    const { shared, first } = windows();
    const store = first.kept.forServer(server);
    await store.keepGrant(serverUrl, grantOf());
    await store.keepRegistration(registrationOf());
    const keys = [...shared.kept.keys()];
    assert.ok(keys.length >= 4);
    for (const key of keys) assert.match(key, /^authorization:[a-z]+(?::[0-9a-f]{64})+$/);
  });

  it('are replaced for the same account, and deleted unless a newer one arrived', async () => {
    const { first, second } = windows();
    const store = first.kept.forServer(server);
    const old = grantOf();
    await store.keepGrant(serverUrl, old);
    await second.kept.forServer(server).keepGrant(serverUrl, grantOf({ accessToken: 'newer-one' }));
    await store.dropGrant(serverUrl, old);
    assert.equal(await tokenOf(store), 'newer-one');
    await store.dropGrant(serverUrl, grantOf({ accessToken: 'newer-one' }));
    assert.equal(await tokenOf(store), undefined);
    assert.deepEqual(await second.kept.accounts(), []);
  });

  it('list accounts by different names, without secrets', async () => {
    const { first, second } = windows();
    const store = first.kept.forServer(server);
    for (const account of ['a1', 'a2', 'a3']) {
      const accountLabel = account === 'a3' ? 'me@example.com' : 'Account';
      await store.keepGrant(serverUrl, grantOf({ account, accountLabel }));
    }
    const accounts = await second.kept.accounts();
    assert.deepEqual(labels(accounts), ['Account', 'Account (2)', 'me@example.com']);
    assert.doesNotMatch(JSON.stringify(accounts), /token-one/);
  });

  it('list what another window stores and deletes, with a notification', async () => {
    const { first, second } = windows();
    assert.deepEqual(await second.kept.accounts(), []);
    let heard = 0;
    second.kept.onDidChange(() => (heard += 1));
    await first.kept.forServer(server).keepGrant(serverUrl, grantOf());
    assert.ok(heard > 0);
    assert.equal((await second.kept.accounts()).length, 1);
    await first.kept.forServer(server).dropGrant(serverUrl, grantOf());
    assert.deepEqual(await second.kept.accounts(), []);
  });

  it('give no notification for other secrets', async () => {
    const { first, second } = windows();
    let heard = 0;
    second.kept.onDidChange(() => (heard += 1));
    await first.secrets.store('input:["setting","","token"]', 'typed');
    assert.equal(heard, 0);
  });

  describe('with several accounts', () => {
    const second = grantOf({ account: 'a2', accessToken: 'token-of-two' });

    it('use the one that was selected in the workspace, and the first one elsewhere', async () => {
      const { first: here, second: there } = windows(['/w/one', '/w/two']);
      const store = here.kept.forServer(server);
      await store.keepGrant(serverUrl, grantOf());
      assert.equal(await tokenOf(there.kept.forServer(server)), 'access-token-one');
      await store.keepGrant(serverUrl, second);
      assert.equal(await tokenOf(store), 'token-of-two');
      assert.equal(await tokenOf(there.kept.forServer(server)), 'access-token-one');
      await store.choose(serverUrl, 'a1');
      assert.equal(await tokenOf(store), 'access-token-one');
    });

    it('switch between those of the same resource and issuer alone', async () => {
      const { first } = windows();
      const store = first.kept.forServer(server);
      const foreign = grantOf({ account: 'f', resource: 'https://evil.example.com/mcp' });
      await first.kept.forServer(other).keepGrant('https://evil.example.com/mcp', foreign);
      await store.keepGrant(serverUrl, grantOf());
      assertEach(await store.accounts(serverUrl), ({ account }) => account, ['a1']);
      await store.choose(serverUrl, 'f');
      assert.equal(await tokenOf(store), 'access-token-one');
    });

    it('do not replace one that was signed out', async () => {
      const { first } = windows();
      const store = first.kept.forServer(server);
      await store.keepGrant(serverUrl, grantOf());
      await store.keepGrant(serverUrl, second);
      await store.signOut(serverUrl, () => Promise.resolve([]));
      assert.equal(await store.grant(serverUrl), undefined);
      assert.equal((await store.chosen(serverUrl))?.account, 'a2');
      await store.choose(serverUrl, 'a1');
      assert.equal(await tokenOf(store), 'access-token-one');
    });
  });

  describe('with registrations', () => {
    it('have one for each redirect URL, the latest first, and at most eight', async () => {
      const { shared, first } = windows();
      const store = first.kept.forServer(server);
      for (let port = 1; port <= 20; port += 1) {
        const redirectAddress = `http://127.0.0.1:${port}/callback`;
        await store.keepRegistration(registrationOf({ clientId: `c${port}`, redirectAddress }));
      }
      const keys = [...shared.kept.keys()].filter((key) => key.includes('registration'));
      assert.equal(keys.length, 8);
      await store.keepRegistration(registrationOf({ clientId: 'c20b', redirectAddress: 'x' }));
      assert.equal(
        (await first.kept.forServer(other).registration(issuer, 'c20'))?.clientId,
        'c20',
      );
    });

    it('return the one that the grant was made with, and then the others', async () => {
      const { first, second } = windows();
      const store = first.kept.forServer(server);
      await store.keepRegistration(registrationOf());
      await store.keepGrant(serverUrl, grantOf());
      const later = registrationOf({
        clientId: 'client-2',
        redirectAddress: 'http://127.0.0.1:2/',
      });
      await second.kept.forServer(other).keepRegistration(later);
      await store.grant(serverUrl);
      assert.equal((await store.registration(issuer))?.clientId, 'client-1');
      await store.forgetRegistration(issuer);
      assert.equal((await store.registration(issuer))?.clientId, 'client-2');
    });

    it('send the client ID that a user entered for one server to no other one', async () => {
      const { first } = windows();
      const given = registrationOf({ clientId: 'mine', from: 'given' });
      await first.kept.forServer(server).keepRegistration(registrationOf());
      await first.kept.forServer(server).keepRegistration(given);
      assert.equal((await first.kept.forServer(server).registration(issuer))?.clientId, 'mine');
      assert.equal((await first.kept.forServer(other).registration(issuer))?.clientId, 'client-1');
      assert.equal(await first.kept.forServer(other).registration(issuer, 'mine'), undefined);
    });

    it('forget all of an issuer at the user’s request', async () => {
      const { shared, first } = windows();
      const store = first.kept.forServer(server);
      await store.keepRegistration(registrationOf());
      await store.keepRegistration(registrationOf({ clientId: 'mine', from: 'given' }));
      await store.keepRegistration(registrationOf({ issuer: 'https://else.example.com' }));
      const damaged = [...shared.kept.keys()].find((key) => key.includes('registration:')) ?? '';
      await first.secrets.store(damaged, '{');
      await store.forgetRegistrations(issuer);
      assert.equal(await store.registration(issuer), undefined);
      assert.equal(shared.kept.size, 1);
    });
  });

  describe('after signing out', () => {
    it('are deleted everywhere, and revoked with the registration that they were made with', async () => {
      const { shared, first, second } = windows();
      const store = first.kept.forServer(server);
      await store.keepRegistration(registrationOf({ from: 'given' }));
      await store.keepGrant(serverUrl, grantOf());
      const asked: unknown[] = [];
      const [account = assert.fail()] = await second.kept.accounts();
      const signedOut = await second.kept.signOut(account, (grant, registration) => {
        asked.push(grant, registration);
        return Promise.resolve([]);
      });
      assert.deepEqual(asked, [grantOf(), registrationOf({ from: 'given' })]);
      assert.deepEqual(signedOut?.notRevoked, []);
      assert.equal(await store.grant(serverUrl), undefined);
      assert.doesNotMatch(
        [...shared.kept.values()].join('\n'),
        /(?:access|refresh)-token|proof-key/,
      );
      assert.equal(await store.signOut(serverUrl, () => assert.fail()), undefined);
    });

    it('are deleted even if they could not be revoked, with a message', async () => {
      for (const [grant, expected] of [
        [grantOf(), ['refreshToken', 'accessToken']],
        [{ ...grantOf(), refreshToken: undefined }, ['accessToken']],
      ] as const) {
        const { first } = windows();
        const store = first.kept.forServer(server);
        const { refreshToken, ...rest } = grant;
        await store.keepGrant(serverUrl, refreshToken === undefined ? rest : grantOf());
        const failing = () => Promise.reject(new Error('offline'));
        const signedOut = await store.signOut(serverUrl, failing);
        assert.deepEqual(signedOut?.notRevoked, expected);
        assert.equal(await store.grant(serverUrl), undefined);
      }
    });
  });

  describe('with damaged data', () => {
    const values = [
      '',
      '{',
      'null',
      '[]',
      '"access"',
      '{}',
      JSON.stringify({ ...grantOf(), accessToken: 7 }),
      JSON.stringify({ ...grantOf(), askedScopes: ['a', 1] }),
      JSON.stringify({ ...grantOf(), expiresAt: '1' }),
      JSON.stringify({ ...grantOf(), refreshToken: null }),
      JSON.stringify({ ...grantOf(), proofKey: null }),
      JSON.stringify({ ...grantOf(), account: 'a2' }),
      JSON.stringify({ ...grantOf(), resource: 'https://evil.example.com/' }),
      JSON.stringify({ ...grantOf(), accessToken: 'a'.repeat(40_000) }),
      `{"a":${'['.repeat(200_000)}`,
      'x'.repeat(600_000),
    ];

    it('count as missing, and are replaced by the next ones', async () => {
      for (const value of values) {
        const { shared, first } = windows();
        const store = first.kept.forServer(server);
        await store.keepGrant(serverUrl, grantOf());
        for (const key of shared.kept.keys()) {
          if (key.includes('grant:')) await first.secrets.store(key, value);
        }
        assert.equal(await store.grant(serverUrl), undefined, value.slice(0, 100));
        await store.keepGrant(serverUrl, grantOf());
        assert.deepEqual(await store.grant(serverUrl), grantOf());
      }
    });

    it('do not affect other records', async () => {
      for (const kind of ['account:', 'choice:', 'registration:']) {
        const { shared, first } = windows();
        const store = first.kept.forServer(server);
        await store.keepGrant(serverUrl, grantOf());
        await store.keepRegistration(registrationOf());
        for (const key of shared.kept.keys()) {
          if (key.includes(kind)) await first.secrets.store(key, '{"issuer":1}');
        }
        assert.ok((await first.kept.accounts()).length <= 1);
        await store.registration(issuer);
        await store.keepGrant(serverUrl, grantOf());
        assert.deepEqual(await store.grant(serverUrl), grantOf(), kind);
      }
    });

    it('are not stored if they are too large, with a message without their text', async () => {
      const { shared, first } = windows();
      const store = first.kept.forServer(server);
      const large = grantOf({ accessToken: 'secret'.repeat(10_000) });
      await assert.rejects(store.keepGrant(serverUrl, large), (error) => {
        assert.ok(isMcpError(error, 'answerTooLarge'));
        assert.doesNotMatch(String(error), /secret/);
        return true;
      });
      assert.equal(shared.kept.size, 0);
      await store.keepGrant(serverUrl, grantOf({ accountLabel: 'n'.repeat(5_000) }));
      assert.equal((await store.grant(serverUrl))?.accountLabel.length, 1_000);
    });
  });

  it('are in memory without a keyring, with one warning', async () => {
    const { shared, first } = windows();
    first.secrets.isBroken = true;
    const store = first.kept.forServer(server);
    await store.keepGrant(serverUrl, grantOf());
    await store.keepRegistration(registrationOf());
    assert.deepEqual(await store.grant(serverUrl), grantOf());
    assert.deepEqual(await store.registration(issuer), registrationOf());
    assert.equal((await first.kept.accounts()).length, 1);
    assert.deepEqual(first.problems, [{ code: 'notStored', detail: 'no keyring' }]);
    assert.equal(shared.kept.size, 0);
    await store.dropGrant(serverUrl, grantOf());
    assert.equal(await store.grant(serverUrl), undefined);
    assert.deepEqual(await first.kept.accounts(), []);
  });
});
