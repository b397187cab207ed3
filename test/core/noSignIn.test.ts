import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders, RequestListener } from 'node:http';
import type { OAuthConfiguration } from '../../src/core/auth/ports';
import { isMcpError } from '../../src/core/errors';
import type { McpErrorFacts } from '../../src/core/errors';
import { connectHttp } from '../../src/core/http/connectHttp';
import { AuthScene } from './authScene';
import { clientInfo } from './connections';

// Many servers take a key in a header, and answer 401 to everybody who has none.

const words = 'Unauthorized: missing API key';

describe('A server that answers 401 and offers no sign-in', () => {
  let scene: AuthScene;
  beforeEach(async () => {
    scene = await AuthScene.open();
  });
  afterEach(() => scene.close());

  /** Every address answers the same. */
  const answers = (page: RequestListener) => {
    for (const path of ['/mcp', '/register', '/authorize', '/token']) scene.mcp.handle(path, page);
    for (const name of ['protected-resource', 'protected-resource/mcp', 'authorization-server']) {
      scene.mcp.handle(`/.well-known/oauth-${name}`, page);
    }
  };
  const refuses = (headers: OutgoingHttpHeaders = {}, body = words, status = 401) => {
    answers((_request, response) => response.writeHead(status, headers).end(body));
  };

  async function connect(headers: Record<string, string> = {}, address = scene.url) {
    const { authorization, log } = scene;
    const how = { url: address, headers, clientInfo, log, authorization };
    let facts: McpErrorFacts | undefined;
    await assert.rejects(connectHttp(how), (error) => {
      assert.ok(isMcpError(error), String(error));
      assert.equal(error.code, 'unauthorized', error.message);
      ({ facts } = error);
      return true;
    });
    assert.deepEqual(scene.person.opened, []);
    return facts ?? {};
  }

  for (const [what, headers, body] of [
    ['says why as plain text', { 'Content-Type': 'text/plain' }, words],
    ['says why as JSON-RPC', {}, JSON.stringify({ error: { code: -32001, message: words } })],
    ['has a challenge of another kind', { 'WWW-Authenticate': 'ApiKey realm="x"' }, words],
    ['asks for a name and a password', { 'WWW-Authenticate': 'Basic realm="x"' }, words],
    ['has a bare Bearer challenge', { 'WWW-Authenticate': 'Bearer' }, words],
    ['refuses a token that nobody sent', { 'WWW-Authenticate': 'Bearer error="a"' }, words],
  ] as const) {
    it(`is quoted, and no sign-in is offered, if it ${what}`, async () => {
      refuses(headers, body);
      const { detail, httpStatus, offersNoSignIn, wasAnonymous } = await connect();
      assert.equal(detail, words);
      assert.deepEqual([httpStatus, offersNoSignIn, wasAnonymous], [401, true, true]);
    });
  }

  it('is quoted even if it redirects metadata requests to another site', async () => {
    answers(({ method }, response) => {
      if (method === 'POST') response.writeHead(401).end(words);
      else response.writeHead(302, { Location: 'https://login.example/' }).end();
    });
    assert.equal((await connect()).detail, words);
  });

  it('is told to have received a key if one is configured', async () => {
    refuses();
    for (const [headers, address] of [
      [{ 'X-Api-Key': 'wrong' }, scene.url],
      [{ Authorization: 'Bearer wrong' }, scene.url],
      [{}, `${scene.url}?key=wrong`],
      [{}, scene.url.replace('//', '//name:wrong@')],
    ] as const) {
      assert.equal((await connect(headers, address)).wasAnonymous, undefined, address);
    }
  });

  for (const [what, configuration, challenge] of [
    ['has a client id', { clientId: 'own' }, ''],
    ['speaks of 2025-03-26, with a challenge', {}, 'Bearer'],
  ] as const satisfies readonly (readonly [string, OAuthConfiguration, string])[]) {
    it(`differs from one that ${what}, which requires a sign-in`, async () => {
      scene.configuration = configuration;
      scene.mcp.handle('/.well-known/oauth-protected-resource/mcp', (_request, response) => {
        response.writeHead(404).end();
      });
      scene.mcp.answer('/register', { client_id: 'new' }, 201);
      scene.mcp.answer('/token', { access_token: 'given', token_type: 'Bearer' });
      await scene.refused(challenge);
      assert.equal(scene.opened.get('client_id'), 'clientId' in configuration ? 'own' : 'new');
    });
  }

  it('that explains why it does not register clients requires a sign-in, and its message is kept', async () => {
    refuses();
    const wrong = { error: 'invalid_redirect_uri', error_description: 'No.' };
    scene.mcp.answer('/register', wrong, 400);
    await assert.rejects(
      scene.refused('Bearer'),
      (error) => isMcpError(error, 'signInFailed') && /No\./.test(error.message),
    );
  });
});
