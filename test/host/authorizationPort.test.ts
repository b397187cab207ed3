import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { OAuthAuthorization } from '../../src/core/auth/oauthAuthorization';
import type { RedirectReceiver, SignInQuestion } from '../../src/core/auth/ports';
import { connectHttp } from '../../src/core/http/connectHttp';
import { LoopbackReceiver } from '../../src/host/authorization/loopbackReceiver';
import { clientInfo } from '../core/connections';
import { RecordingLog } from '../core/wire';
import { AuthorizationServer, visitSignIn } from '../fixtures/authorizationServer';
import { MemoryAuthorizationStore } from '../fixtures/memoryAuthorizationStore';
import { SignInPerson } from '../fixtures/signInPerson';

/** A person whose browser comes back to a real listener. */
class ListeningPerson extends SignInPerson {
  override async receiver(port: number | undefined): Promise<RedirectReceiver> {
    this.ports.push(port);
    return LoopbackReceiver.open({
      ...(port === undefined ? {} : { port }),
      externalAddress: (address) => Promise.resolve(address),
      texts: { language: 'en', received: 'Done.', refused: 'No.' },
    });
  }

  override async authorize(
    _question: SignInQuestion,
    request: {
      readonly address: string;
      readonly state: string;
      readonly receiver: RedirectReceiver;
    },
  ): Promise<URL> {
    const { address, state, receiver } = request;
    assert.ok(receiver instanceof LoopbackReceiver);
    const answer = receiver.answer(state);
    await fetch(await visitSignIn(address));
    return answer;
  }
}

async function listen(port = 0): Promise<Server & { readonly port: number }> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return Object.assign(server, { port: address.port });
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

describe('The configured redirect port', () => {
  let server: AuthorizationServer;
  before(async () => {
    server = await AuthorizationServer.start();
    await server.change({ challengeScopes: ['files:read'] });
  });
  after(() => server.stop());

  it('is used for the redirect, and if it is in use another one is registered', async () => {
    const person = new ListeningPerson();
    const store = new MemoryAuthorizationStore();
    const found = await listen();
    const redirectPort = found.port;
    await close(found);
    const signIn = async () => {
      const log = new RecordingLog();
      const { mcpUrl: url } = server;
      const authorization = new OAuthAuthorization({
        serverUrl: url,
        configuration: { redirectPort },
        store,
        agent: person,
        description: { name: 'Toolgate test' },
        log,
      });
      const client = await connectHttp({ url, clientInfo, log, authorization });
      await client.close();
      store.grants.clear();
      return store.registrations.get(server.issuer);
    };

    const first = await signIn();
    const wanted = `http://127.0.0.1:${redirectPort}/callback`;
    assert.equal(first?.redirectAddress, wanted);

    const taker = await listen(redirectPort);
    const second = await signIn();
    assert.notEqual(second?.redirectAddress, wanted);
    assert.notEqual(second?.clientId, first.clientId);
    await close(taker);

    // Free again: it is asked for before the one that was registered last.
    const third = await signIn();
    assert.equal(third?.redirectAddress, wanted);
    assert.deepEqual(person.ports, [redirectPort, redirectPort, redirectPort]);
  });
});
