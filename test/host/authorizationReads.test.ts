import assert from 'node:assert/strict';
import type { SecretAuthorizationStore } from '../../src/host/authorization/secretAuthorizationStore';
import { type AuthorizingWindow, useAuthorizingWindows } from './sharedSecrets';
import { grantOf, serverUrl, SharedSecrets } from './sharedSecrets';
import { useFolders } from './testFolders';

const server = '["userFile","/home/me/mcp.json","docs"]';

describe('Reading a grant', () => {
  const newFolder = useFolders('authorization');
  const open = useAuthorizingWindows();
  let first: AuthorizingWindow;
  let second: AuthorizingWindow;

  beforeEach(() => {
    const [shared, folder] = [new SharedSecrets(), newFolder()];
    [first, second] = [open(shared, folder), open(shared, folder)];
  });

  const storeOf = ({ kept }: { readonly kept: SecretAuthorizationStore }) => kept.forServer(server);
  const tokenIn = async (window: AuthorizingWindow) =>
    (await storeOf(window).grant(serverUrl))?.accessToken;
  const keep = (window: AuthorizingWindow, accessToken: string) =>
    storeOf(window).keepGrant(serverUrl, grantOf({ accessToken }));
  /** How often the store is asked while a thousand requests want their headers. */
  async function readsOfRequests(window: AuthorizingWindow): Promise<number> {
    const before = window.secrets.reads;
    await Promise.all(Array.from({ length: 500 }, () => tokenIn(window)));
    for (let index = 0; index < 500; index++) await tokenIn(window);
    return window.secrets.reads - before;
  }

  it('reads each record once from the store, even without a sign-in', async () => {
    assert.equal(await readsOfRequests(first), 1);
    assert.equal(await readsOfRequests(first), 0);
    await keep(second, 'one');
    assert.equal(await readsOfRequests(first), 2);
    assert.equal(await readsOfRequests(first), 0);
    assert.equal(await tokenIn(first), 'one');
  });

  it('sees changes of this window before listeners are notified', async () => {
    first.secrets.isSilent = true;
    for (const token of ['one', 'two']) {
      await keep(first, token);
      assert.equal(await tokenIn(first), token);
    }
    await storeOf(first).dropGrant(serverUrl, grantOf({ accessToken: 'two' }));
    assert.equal(await tokenIn(first), undefined);
  });

  it('sees changes of another window during the read', async () => {
    await keep(first, 'one');
    await Promise.all([tokenIn(second), keep(first, 'two'), tokenIn(second)]);
    assert.equal(await tokenIn(second), 'two');
    const all = [];
    for (let index = 3; index < 30; index++) {
      const read = tokenIn(second);
      await keep(first, `token-${index}`);
      all.push((await tokenIn(second)) === `token-${index}`);
      await read;
      all.push((await tokenIn(second)) === `token-${index}`);
    }
    assert.deepEqual(new Set(all), new Set([true]));
  });

  it('reads from the store itself if something must not happen twice', async () => {
    await keep(first, 'one');
    assert.equal(await tokenIn(second), 'one');
    second.secrets.isSilent = true;
    await keep(first, 'two');
    const store = storeOf(second);
    const seen = await store.exclusively(grantOf(), async () => {
      const before = await tokenIn(second);
      await keep(first, 'three');
      return [before, await tokenIn(second)];
    });
    assert.deepEqual(seen, ['two', 'three']);
    assert.equal(await tokenIn(second), 'three');
  });

  it('reads again after the store failed', async () => {
    await keep(first, 'one');
    second.secrets.isBroken = true;
    assert.equal(await tokenIn(second), undefined);
    second.secrets.isBroken = false;
    assert.equal(await tokenIn(second), 'one');
  });
});
