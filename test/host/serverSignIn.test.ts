import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type {
  AuthorizationStore,
  AuthorizationRefusal,
  RequestAuthorization,
  TokenGrant,
} from '../../src/core/auth/ports';
import { McpError } from '../../src/core/errors';
import {
  ClientReplaced,
  ServerSignIn,
  SignedInElsewhere,
} from '../../src/host/authorization/serverSignIn';
import {
  SignInStates,
  SignInLeases,
  callOperation,
  SignInOccasions,
} from '../../src/host/authorization/signInTiming';
import { recordGrant } from '../../src/host/journal/callRecorder';
import { MemoryAuthorizationStore } from '../fixtures/memoryAuthorizationStore';
import { SharedSecrets, useAuthorizingWindows } from './sharedSecrets';
import { useFolders } from './testFolders';

const serverUrl = 'https://mcp.example.org/mcp';
const request = { method: 'POST', url: new URL(serverUrl) };
const refusal: AuthorizationRefusal = {
  status: 401,
  challenges: [],
  sent: {},
  operation: 'tools/list',
  attempt: 0,
};

function grantOf(more: Partial<TokenGrant> = {}): TokenGrant {
  return {
    issuer: 'https://login.example.org',
    resource: serverUrl,
    account: 'a1',
    accountLabel: 'ada',
    accessToken: 'token-1',
    askedScopes: ['files:read'],
    clientId: 'c1',
    tokenEndpoint: 'https://login.example.org/token',
    ...more,
  };
}

/** One server, whose sign-in does what `refused` says. */
function scene(refused: (store: AuthorizationStore) => Promise<void>) {
  const states = new SignInStates();
  const store = new MemoryAuthorizationStore();
  const given: unknown[] = [];
  const signIn = new ServerSignIn({
    serverId: 'docs',
    serverUrl,
    store,
    states,
    wantsAnother: () => false,
    nameOf: () => Promise.resolve('Account 1'),
    onDidGrant: (grant, former) => given.push([grant.accountLabel, former?.accessToken]),
    make: (watched): RequestAuthorization => ({
      headers: async () => {
        const grant = await watched.grant(serverUrl);
        return grant === undefined ? {} : { Authorization: `Bearer ${grant.accessToken}` };
      },
      refused: () => refused(watched),
    }),
  });
  return { states, store, given, signIn };
}

/** One that sends what is kept, and drops it when it is refused. */
function signInOver(store: AuthorizationStore) {
  const states = new SignInStates();
  const signIn = new ServerSignIn({
    serverId: 'docs',
    serverUrl,
    store,
    states,
    wantsAnother: () => false,
    nameOf: () => Promise.resolve('Account 1'),
    onDidGrant: () => undefined,
    make: (watched): RequestAuthorization => ({
      headers: async () => {
        const grant = await watched.grant(serverUrl);
        return grant === undefined ? {} : { Authorization: `Bearer ${grant.accessToken}` };
      },
      refused: () => watched.dropGrant(serverUrl, grantOf()),
    }),
  });
  return { states, signIn };
}

describe('ServerSignIn', () => {
  const failing = (error: McpError) => scene(() => Promise.reject(error));

  it('says that a sign-in is required if nothing was asked, or the user refused', async () => {
    for (const code of ['signInNeeded', 'cancelled', 'signInFailed'] as const) {
      const { signIn, states } = failing(new McpError(code));
      await assert.rejects(signIn.refused(refusal), { code });
      assert.deepEqual(states.of('docs'), { kind: 'needed' });
    }
  });

  it('requires no sign-in if the server offers none, even if it did before', async () => {
    let offersNoSignIn = false;
    const { signIn, states } = scene(() => {
      const error = offersNoSignIn
        ? new McpError('unauthorized', { offersNoSignIn })
        : new McpError('signInNeeded');
      return Promise.reject(error);
    });
    await assert.rejects(signIn.refused(refusal));
    offersNoSignIn = true;
    await assert.rejects(signIn.refused(refusal), { code: 'unauthorized' });
    assert.equal(states.of('docs'), undefined);
  });

  it('is not involved in a refusal that no sign-in changes', async () => {
    const { signIn, states } = failing(new McpError('unauthorized'));
    await assert.rejects(signIn.refused({ ...refusal, status: 403 }), { code: 'unauthorized' });
    assert.equal(states.of('docs'), undefined);
  });

  it('shows the account, without a secret, and the previous one', async () => {
    const { signIn, states, given } = scene((store) => store.keepGrant(serverUrl, grantOf()));
    await signIn.refused(refusal);
    assert.equal(JSON.stringify(states.of('docs')).includes('token-1'), false);
    assert.equal(states.of('docs')?.kind, 'signedIn');
    await signIn.refused(refusal);
    assert.deepEqual(given, [
      ['ada', undefined],
      ['ada', 'token-1'],
    ]);
  });

  it('names an account that the server does not identify', async () => {
    const { signIn, given } = scene((store) =>
      store.keepGrant(serverUrl, grantOf({ accountLabel: '' })),
    );
    await signIn.refused(refusal);
    assert.deepEqual(given, [['Account 1', undefined]]);
  });

  it('continues with a sign-in of another window, and only with that', async () => {
    const { signIn, store } = failing(new SignedInElsewhere());
    await assert.rejects(signIn.refused(refusal), { code: 'signInNeeded' });
    await store.keepGrant(serverUrl, grantOf());
    await signIn.refused(refusal);
    const sent = { Authorization: 'Bearer token-1' };
    await assert.rejects(signIn.refused({ ...refusal, sent }), { code: 'signInNeeded' });
  });

  it('starts again with another client ID, but not forever', async () => {
    let rounds = 0;
    const { signIn } = scene(() => {
      rounds += 1;
      return Promise.reject(new ClientReplaced());
    });
    await assert.rejects(signIn.refused(refusal), { code: 'cancelled' });
    assert.equal(rounds, 5);
  });

  it('stays signed out until the user signs in', async () => {
    const { signIn, states } = failing(new McpError('signInNeeded'));
    states.set('docs', { kind: 'signedOut' });
    await assert.rejects(signIn.refused(refusal), { code: 'signInNeeded' });
    assert.deepEqual(states.of('docs'), { kind: 'signedOut' });
  });

  it('remembers missing scopes, which is not a lost sign-in', async () => {
    const { signIn, states } = failing(new McpError('scopeRefused'));
    await assert.rejects(signIn.refused(refusal), { code: 'scopeRefused' });
    assert.equal(states.of('docs'), undefined);
  });
});

describe('A sign-out', () => {
  const newFolder = useFolders('signOut');
  const open = useAuthorizingWindows();

  /** Two windows on what is kept, in both of which somebody is signed in at the server. */
  async function signedInWindows() {
    const [shared, folder] = [new SharedSecrets(), newFolder()];
    const windows = [1, 2].map(() => {
      const { kept } = open(shared, folder);
      const store = kept.forServer('docs');
      const { signIn, states } = signInOver(store);
      kept.onDidChange(() => void signIn.noticeSignOut());
      return { store, signIn, states };
    });
    const [here = assert.fail(), there = assert.fail()] = windows;
    await here.store.keepGrant(serverUrl, grantOf());
    const sent = { Authorization: 'Bearer token-1' };
    for (const { signIn } of windows) assert.deepEqual(await signIn.headers(request), sent);
    return { here, there };
  }

  it('applies to other windows at once: the state says so, and no request has the token', async () => {
    const { here, there } = await signedInWindows();
    assert.equal(there.states.of('docs')?.kind, 'signedIn');
    const told = new Promise<string>((resolve) => there.states.onDidChange(resolve));
    await here.store.signOut(serverUrl, () => Promise.resolve([]));
    assert.equal(await told, 'docs');
    assert.deepEqual(there.states.of('docs'), { kind: 'signedOut' });
    assert.deepEqual(await there.signIn.headers(request), {});
  });

  it('does not happen if a token is dropped because it is rejected', async () => {
    const { here } = await signedInWindows();
    const kinds: unknown[] = [];
    here.states.onDidChange(() => kinds.push(here.states.of('docs')?.kind));
    await here.signIn.refused(refusal);
    assert.equal(await here.signIn.noticeSignOut(), false);
    assert.deepEqual(kinds, ['needed']);
  });
});

describe('SignInOccasions', () => {
  it('exist while the user waits, for their own operation only, and end when it fails', async () => {
    const occasions = new SignInOccasions();
    const seen: boolean[] = [];
    const look = async () => {
      seen.push(
        occasions.isOpen('docs'),
        occasions.isOpen('docs', callOperation('read')),
        occasions.isOpen('docs', callOperation('delete')),
        occasions.isOpen('other'),
      );
      throw new Error('failed');
    };
    await assert.rejects(occasions.during('docs', look, callOperation('read')));
    await assert.rejects(occasions.during('docs', look));
    assert.deepEqual(seen, [true, true, false, false, true, true, true, false]);
    assert.equal(occasions.isOpen('docs'), false);
  });
});

describe('SignInTurns', () => {
  const place = { issuer: 'https://login.example.org', resource: serverUrl };
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'toolgate-turns-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('lets one window sign in at a time, and another one take over', async () => {
    const [one, other] = [new SignInLeases(folder), new SignInLeases(folder)];
    const first = await one.take(place);
    assert.ok(first !== undefined);
    assert.equal(await other.take(place), undefined);
    assert.ok(await other.take({ ...place, resource: 'https://else.example.org' }));
    const lost = new Promise<void>((resolve) =>
      first.lost.onCancellationRequested(() => resolve()),
    );
    const second = await other.take(place, true);
    assert.ok(second !== undefined);
    await lost;
    second.dispose();
    await one.free(place, new CancellationTokenSource().token);
    assert.ok(await one.take(place));
  });

  it('does not wait for a window that was closed', async () => {
    const turns = new SignInLeases(folder);
    const turn = await turns.take(place);
    assert.ok(turn !== undefined);
    const [file = ''] = readdirSync(folder);
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(path.join(folder, file), longAgo, longAgo);
    const next = await new SignInLeases(folder).take(place);
    assert.ok(next !== undefined);
    next.dispose();
  });

  it('reveals no URL in the names of its files', async () => {
    await new SignInLeases(folder).take(place);
    assert.match(readdirSync(folder).join(), /^[0-9a-f]{64}\.turn$/);
  });
});

describe('recordGrant', () => {
  const written = (grant: TokenGrant, former?: TokenGrant) => {
    const entries: unknown[] = [];
    recordGrant({ signIn: (...entry) => entries.push(entry) }, { id: 'docs' }, grant, former);
    return entries;
  };
  const place = [{ id: 'docs' }, 'https://login.example.org'];

  it('records a sign-in and added scopes, and no renewal', () => {
    assert.deepEqual(written(grantOf()), [['signedIn', ...place, ['files:read']]]);
    assert.deepEqual(written(grantOf({ accessToken: 'token-2' }), grantOf()), []);
    const more = grantOf({ askedScopes: ['files:read', 'files:write'] });
    assert.deepEqual(written(more, grantOf()), [['extended', ...place, ['files:write']]]);
    const given = grantOf({ grantedScopes: ['files:read'] });
    assert.deepEqual(written(given, grantOf()), []);
  });
});
