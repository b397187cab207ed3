import assert from 'node:assert/strict';
import { OAuthAuthorization } from '../../src/core/auth/oauthAuthorization';
import type { SignInAgent } from '../../src/core/auth/ports';
import { McpError } from '../../src/core/errors';
import { Programs } from '../../src/core/stdio/programs';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import { Diagnosis } from '../../src/host/diagnosis/diagnosis';
import { AuthorizationServer, visitSignIn } from '../fixtures/authorizationServer';
import { MemoryAuthorizationStore } from '../fixtures/memoryAuthorizationStore';
import { OwnServer } from '../servers/ownServer';
import { assertEach, assertNone } from '../assertions';

const redirect = 'http://127.0.0.1:5/callback';
const log = { info: () => undefined, warn: () => undefined };

/** Does what `authorize` does, and is asked for nothing else. */
function agentThat(authorize: SignInAgent['authorize']): SignInAgent {
  const refuse = () => Promise.reject(new McpError('signInNeeded'));
  return {
    chooseIssuer: refuse,
    askForClient: refuse,
    receiver: () => Promise.resolve({ address: redirect, dispose: () => undefined }),
    authorize,
  };
}

// The authorization server is a real one, and the way to it is that of the product.
describe('A diagnosis of a server that requires a sign-in', () => {
  let servers: AuthorizationServer;
  const store = new MemoryAuthorizationStore();

  before(async () => {
    servers = await AuthorizationServer.start();
  });
  after(() => servers.stop());

  const authorizationBy = (agent: SignInAgent) =>
    new OAuthAuthorization({
      serverUrl: servers.mcpUrl,
      configuration: {},
      store,
      agent,
      description: { name: 'Toolgate' },
      log,
    });

  async function walk(own: { readonly clientDocument?: string } = {}, url = servers.mcpUrl) {
    const nobody = agentThat(() => Promise.reject(new McpError('signInNeeded')));
    const diagnosis = new Diagnosis({
      clientInfo: { name: 'test', title: 'Test', version: '1' },
      processes: new LiveProcesses(),
      programs: new Programs({ environment: {} }),
      proxyOf: () => undefined,
      limits: () => ({
        startTimeoutMs: 10_000,
        maxMessageBytes: 1_000_000,
        maxMessageValues: 500_000,
      }),
      signInOf: () => ({
        ...own,
        store,
        redirectAddress: () => Promise.resolve(redirect),
        authorization: authorizationBy(nobody),
      }),
    });
    const transport = { kind: 'http', url, headers: {} } as const;
    const config = { id: 'a', label: 'a', source: { kind: 'setting' }, transport } as const;
    return diagnosis.walk(config, [], () => undefined);
  }

  it('ends at the missing account, without a registration or a browser', async () => {
    const steps = await walk();
    const lines = steps.map(({ name, state }) => `${name} ${state}`);
    assert.deepEqual(lines.slice(lines.indexOf('challenge passed'), lines.indexOf('era skipped')), [
      'challenge passed',
      'signInPlace passed',
      'signInServer passed',
      'clientId passed',
      'redirect passed',
      'account failed',
    ]);
    assert.equal(steps.find(({ name }) => name === 'account')?.error?.code, 'signInNeeded');
    const posted = (await servers.requests()).filter(
      ({ server, method }) => server === 'as0' && method === 'POST',
    );
    assert.deepEqual(posted, []);
  });

  it('fails with the server’s message if there is no sign-in', async () => {
    const other = await OwnServer.start();
    other.handle('/mcp', (_request, response) => {
      response
        .writeHead(401, { 'Content-Type': 'text/plain' })
        .end('Unauthorized: missing API key');
    });
    try {
      const steps = await walk({}, `${other.origin}/mcp`);
      const failed = steps.filter(({ state }) => state === 'failed');
      assertEach(failed, ({ name }) => name, ['signInPlace']);
      const { code, facts } = failed[0]?.error ?? {};
      assert.deepEqual(
        [code, facts?.offersNoSignIn, facts?.wasAnonymous, facts?.detail],
        ['unauthorized', true, true, 'Unauthorized: missing API key'],
      );
    } finally {
      await other.stop();
    }
  });

  const factOf = async (name: string, own?: Parameters<typeof walk>[0]) =>
    (await walk(own)).find((step) => step.name === name)?.facts[0];

  it('shows how Toolgate would identify itself there', async () => {
    assert.deepEqual(await factOf('clientId'), { kind: 'clientId', way: 'register' });
    const clientDocument = 'https://toolgate.example.org/client.json';
    assert.deepEqual(await factOf('clientId', { clientDocument }), {
      kind: 'clientId',
      way: 'document',
    });
  });

  it('passes a site with a device code instead of a page', async () => {
    const fact = () => factOf('signInServer');
    const found = await fact();
    assert.ok(found?.kind === 'signInServer');
    assert.equal(found.isByCode, false);
    await servers.change({ hasPage: false });
    assert.deepEqual(await fact(), { ...found, isByCode: true });
    await servers.change({ hasPage: true });
  });

  it('continues with the signed-in account, and shows no token', async () => {
    const agent = agentThat(async (_question, { address }) => new URL(await visitSignIn(address)));
    const challenges = ['Bearer scope="openid files:read"'];
    const refusal = { status: 401, challenges, sent: {}, operation: 'x', attempt: 0 } as const;
    await authorizationBy(agent).refused(refusal);
    const steps = await walk();
    assertEach(
      steps.filter(({ state }) => state === 'failed'),
      ({ name }) => name,
      [],
    );
    assert.equal(steps.find(({ name }) => name === 'tools')?.state, 'passed');
    const told = JSON.stringify(steps);
    assert.ok(store.secrets.length > 2);
    assertNone(store.secrets, (secret) => told.includes(secret));
  });
});
