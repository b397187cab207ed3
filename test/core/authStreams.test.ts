import assert from 'node:assert/strict';
import { OAuthAuthorization } from '../../src/core/auth/oauthAuthorization';
import type { McpClient } from '../../src/core/client';
import { connectHttp } from '../../src/core/http/connectHttp';
import { AuthorizationServer } from '../fixtures/authorizationServer';
import { MemoryAuthorizationStore } from '../fixtures/memoryAuthorizationStore';
import { SignInPerson } from '../fixtures/signInPerson';
import { until } from '../waiting';
import { clientInfo } from './connections';
import { RecordingLog } from './wire';

for (const era of ['stateful', 'stateless'] as const) {
  describe(`A stream of a ${era} server that was refused while no question was allowed`, () => {
    let server: AuthorizationServer;
    let store: MemoryAuthorizationStore;
    let person: SignInPerson;
    let log: RecordingLog;
    let client: McpClient;

    before(async () => {
      server = await AuthorizationServer.start();
      await server.change({ challengeScopes: ['files:read'], refusesStreams: true });
      store = new MemoryAuthorizationStore();
      person = new SignInPerson();
      log = new RecordingLog();
      const authorization = new OAuthAuthorization({
        serverUrl: server.mcpUrl,
        configuration: {},
        store,
        agent: person,
        description: { name: 'Toolgate test' },
        log,
      });
      client = await connectHttp({ url: server.mcpUrl, clientInfo, log, authorization, era });
    });
    after(async () => {
      await client.close();
      await server.stop();
    });

    /** With which credentials it was asked for. */
    const streams = async () =>
      (await server.requests())
        .filter(({ method, path, body }) => path === '/mcp' && isStream(method, body))
        .map(({ authorization }) => authorization);
    const isStream = (method: string, body: string) =>
      method === 'GET' || body.includes('subscriptions/listen');
    const current = () => `Bearer ${store.grants.get(server.mcpUrl)?.accessToken ?? ''}`;
    const isWaiting = () => /(?:again after|waits for) a sign-in/.test(log.lines.join('\n'));

    it('was tried with a renewed token, and waits without another request', async () => {
      await until(isWaiting);
      const tried = await streams();
      assert.equal(tried.length, 2);
      assert.equal(tried.at(-1), current());
      for (let index = 0; index < 5; index++) await client.listTools({ isRefresh: true });
      assert.deepEqual(await streams(), tried);
      assert.equal(person.questions.length, 1);
    });

    it('is opened again as soon as another request succeeds after a new sign-in', async () => {
      const refused = current();
      await server.change({ refusesStreams: false });
      store.grants.clear();
      await client.listTools({ isRefresh: true });
      assert.equal(person.questions.length, 2);
      await until(async () => (await streams()).at(-1) !== refused);
      assert.equal((await streams()).at(-1), current());
      let isTold = false;
      client.onDidChangeTools(() => (isTold = true));
      await until(async () => {
        await server.announceTools();
        return isTold;
      });
    });
  });
}
