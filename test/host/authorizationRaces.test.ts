import assert from 'node:assert/strict';
import type { ServerAuthorizations } from '../../src/host/authorization/serverAuthorizations';
import type { TokenGrant } from '../../src/core/auth/ports';
import { whileStopped } from '../core/stoppedClock';
import { until } from '../waiting';
import { grantOf, serverUrl, SharedSecrets, useAuthorizingWindows } from './sharedSecrets';
import { useFolders } from './testFolders';

const server = '["userFile","/home/me/mcp.json","docs"]';

/** An authorization server whose refresh tokens count once; one that comes twice ends them all. */
class RotatingServer {
  #current = 'refresh-token-one';
  #count = 1;
  isFamilyDead = false;

  refresh(token: string | undefined): TokenGrant {
    if (token !== this.#current) this.isFamilyDead = true;
    if (this.isFamilyDead) throw new Error('invalid_grant');
    this.#count += 1;
    this.#current = `refresh-token-${this.#count}`;
    const accessToken = `access-token-${this.#count}`;
    return grantOf({ accessToken, refreshToken: this.#current, expiresAt: 2_000_000_000_000 });
  }

  get refreshes(): number {
    return this.#count - 1;
  }
}

describe('Renewing a grant', () => {
  const newFolder = useFolders('authorization');
  const open = useAuthorizingWindows();

  /** What every request does whose token has expired. */
  const renew = (store: ServerAuthorizations, at: RotatingServer) =>
    store.exclusively(grantOf(), async () => {
      const grant = await store.grant(serverUrl);
      if (grant === undefined) return undefined;
      if (grant.expiresAt === 2_000_000_000_000) return grant.accessToken;
      await new Promise((resolve) => setTimeout(resolve, 5));
      const renewed = at.refresh(grant.refreshToken);
      await store.keepGrant(serverUrl, renewed);
      return renewed.accessToken;
    });

  for (const lagMs of [0, 100]) {
    it(`happens once for all windows, which see it after ${lagMs} ms`, async () => {
      const shared = new SharedSecrets();
      const folder = newFolder();
      await open(shared, folder).kept.forServer(server).keepGrant(serverUrl, grantOf());
      shared.lagMs = lagMs;
      const stores = [1, 2, 3].map(() => open(shared, folder).kept.forServer(server));
      const at = new RotatingServer();
      const runs = Array.from({ length: 12 }, (_, index) => {
        const store = stores[index % 3] ?? assert.fail();
        return renew(store, at);
      });
      assert.deepEqual(new Set(await Promise.all(runs)), new Set(['access-token-2']));
      assert.deepEqual([at.refreshes, at.isFamilyDead], [1, false]);
    });
  }

  it('releases the lock when the last of several changes has reached another window', () =>
    whileStopped(async (clock) => {
      const shared = new SharedSecrets();
      const folder = newFolder();
      shared.lagMs = 100;
      const [store, other] = [1, 2].map(() => open(shared, folder).kept.forServer(server));
      assert.ok(store !== undefined && other !== undefined);
      const keep = (accessToken: string) =>
        store.exclusively(grantOf(), () => store.keepGrant(serverUrl, grantOf({ accessToken })));
      await keep('one');
      let seen: string | undefined;
      void other.exclusively(grantOf(), async () => {
        seen = (await other.grant(serverUrl))?.accessToken;
      });
      // The lock is kept four times as long as a change takes.
      clock.advance(350);
      await keep('two');
      await until(() => {
        clock.advance(80);
        return seen !== undefined;
      });
      assert.equal(seen, 'two');
    }));

  it('finds no grant after another window signed out meanwhile', async () => {
    const shared = new SharedSecrets();
    const folder = newFolder();
    const [first, second] = [open(shared, folder), open(shared, folder)];
    const store = first.kept.forServer(server);
    await store.keepGrant(serverUrl, grantOf());
    const at = new RotatingServer();
    const [, renewed] = await Promise.all([
      store.signOut(serverUrl, async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return [];
      }),
      renew(second.kept.forServer(server), at),
    ]);
    assert.equal(at.refreshes === 0 ? renewed : undefined, undefined);
    assert.equal(await store.grant(serverUrl), undefined);
    assert.equal(at.isFamilyDead, false);
  });
});
