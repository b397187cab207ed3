import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { McpClient } from '../../src/core/client';
import { isMcpError, type SignInStep } from '../../src/core/errors';
import { connectHttp } from '../../src/core/http/connectHttp';
import { OwnServer } from '../servers/ownServer';
import { AuthScene, resourcePath } from './authScene';
import { clientInfo } from './connections';

const proofs = { dpop_signing_alg_values_supported: ['ES256'] };
const bound = { access_token: 'given', token_type: 'DPoP', refresh_token: 'again' };
const bearer = { access_token: 'unbound', token_type: 'Bearer', refresh_token: 'again' };

const nonceIn = ({ dpop = '' }: IncomingHttpHeaders): unknown =>
  JSON.parse(Buffer.from(String(dpop).split('.')[1] ?? '', 'base64url').toString()).nonce;
const urlIn = ({ dpop = '' }: IncomingHttpHeaders): unknown =>
  JSON.parse(Buffer.from(String(dpop).split('.')[1] ?? '', 'base64url').toString()).htu;

describe('A hostile server that requires key-bound tokens', () => {
  let scene: AuthScene;
  let mcp: OwnServer;
  let issuer: OwnServer;
  const clients: McpClient[] = [];
  /** The headers of what the MCP server got with a token. */
  let carried: IncomingHttpHeaders[] = [];
  /** Their bodies. */
  let bodies: (string | undefined)[] = [];

  beforeEach(async () => {
    scene = await AuthScene.open();
    ({ mcp, issuer } = scene);
    scene.describe(proofs);
    issuer.answer('/token', bound);
    carried = [];
    bodies = [];
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await scene.close();
  });

  const tokenRequests = () => issuer.paths.filter((path) => path === '/token').length;

  const failsAt = (step: SignInStep, words: RegExp) => (error: unknown) => {
    assert.ok(isMcpError(error, 'signInFailed'), String(error));
    assert.equal(error.facts.signInStep, step, error.message);
    assert.match(error.facts.detail ?? '', words);
    return true;
  };

  /** The MCP server answers what comes with a token like this, and asks for one with a challenge. */
  function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): void {
    mcp.handle('/mcp', (request, response) => {
      if (request.headers.authorization === undefined) {
        response.writeHead(401, { 'WWW-Authenticate': 'DPoP algs="ES256"' }).end();
        return;
      }
      carried.push(request.headers);
      bodies.push(mcp.bodies.get('/mcp')?.at(-1));
      answer(request, response);
    });
  }

  /** Answers like an MCP server that has nothing. */
  function initialize(response: ServerResponse): void {
    const body = mcp.bodies.get('/mcp')?.at(-1) ?? '{}';
    const { id, method } = JSON.parse(body || '{}');
    const result =
      method === 'initialize'
        ? {
            protocolVersion: '2025-11-25',
            capabilities: { tools: {} },
            serverInfo: { name: 'x', version: '1' },
          }
        : { tools: [] };
    if (id === undefined) response.writeHead(202).end();
    else {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
  }

  async function connect(): Promise<McpClient> {
    const { url, log, authorization } = scene;
    const client = await connectHttp({ url, clientInfo, log, authorization, era: 'stateful' });
    clients.push(client);
    return client;
  }

  it('has a benign counterpart, with which all of this works', async () => {
    serve((_request, response) => initialize(response));
    await (await connect()).listTools();
    assert.ok(carried.length > 1);
    assert.ok(carried.every(({ authorization }) => authorization === 'DPoP given'));
  });

  it('issues a bearer token for a proof, which is neither stored nor sent', async () => {
    issuer.answer('/token', bearer);
    serve((_request, response) => initialize(response));
    await assert.rejects(connect(), failsAt('token', /not bound to a key/));
    assert.equal(scene.grant, undefined);
    assert.deepEqual(carried, []);
  });

  it('renews with a bearer token, which is neither stored nor sent', async () => {
    serve((_request, response) => initialize(response));
    const client = await connect();
    issuer.answer('/token', bearer);
    const { grant } = scene;
    assert.ok(grant !== undefined);
    await scene.store.keepGrant(scene.url, { ...grant, expiresAt: Date.now() });
    await client.listTools();
    assert.equal(scene.grant?.accessToken, 'given');
    assert.ok(carried.every(({ authorization }) => authorization === 'DPoP given'));
  });

  it('requires a bearer token later, and the next token is bound as well', async () => {
    await scene.refused('DPoP');
    const { url } = scene;
    assert.ok(scene.grant?.proofKey !== undefined);
    const { refreshToken: _, ...grant } = scene.grant;
    issuer.handle('/token', (request, response) => {
      const isBound = request.headers.dpop !== undefined;
      response.writeHead(isBound ? 200 : 400, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ access_token: 'next', token_type: 'DPoP' }));
    });
    await scene.store.keepGrant(url, grant);
    await scene.refused('Bearer error="invalid_token"');
    assert.equal(scene.grant?.accessToken, 'next');
    assert.notEqual(scene.grant?.proofKey, undefined);
    const { Authorization: sent } = await scene.headers();
    assert.equal(sent, 'DPoP next');
  });

  for (const status of [400, 401]) {
    it(`has a site that requires another nonce each time, with status ${status}, and gets two requests`, async () => {
      const nonces: unknown[] = [];
      issuer.handle('/token', (request, response) => {
        nonces.push(nonceIn(request.headers));
        response.writeHead(status, {
          'Content-Type': 'application/json',
          'DPoP-Nonce': `nonce-${nonces.length}`,
        });
        response.end(JSON.stringify({ error: 'use_dpop_nonce' }));
      });
      await assert.rejects(scene.refused('DPoP'), failsAt('token', /use_dpop_nonce/));
      assert.deepEqual(nonces, [undefined, 'nonce-1']);
      assert.equal(scene.grant, undefined);
    });

    it(`requires another nonce each time, with status ${status}, and gets each request twice`, async () => {
      serve((_request, response) => {
        response
          .writeHead(status, {
            'WWW-Authenticate': 'DPoP error="use_dpop_nonce"',
            'DPoP-Nonce': `nonce-${carried.length}`,
          })
          .end();
      });
      await assert.rejects(connect());
      assert.deepEqual(carried.slice(0, 2).map(nonceIn), [undefined, 'nonce-1']);
      // Where a 400 may mean another revision, there is more than one request.
      const counts = bodies.map((body) => bodies.filter((each) => each === body).length);
      assert.deepEqual(new Set(counts), new Set([2]));
      assert.equal(scene.person.questions.length, 1);
      assert.equal(tokenRequests(), 1);
    });
  }

  for (const [what, nonce] of [
    ['of 1 MB', 'n'.repeat(1_000_000)],
    ['that is longer than any', 'n'.repeat(10_000)],
    ['that is none', 'a "b"'],
  ] as const) {
    it(`sends a nonce ${what}, and no proof has it, and no request is repeated`, async () => {
      serve((_request, response) => {
        response
          .writeHead(401, {
            'WWW-Authenticate': 'DPoP error="use_dpop_nonce"',
            'DPoP-Nonce': nonce,
          })
          .end();
      });
      await assert.rejects(connect());
      assert.deepEqual(carried.map(nonceIn), [undefined]);
      assert.equal(scene.person.questions.length, 1);
    });

    it(`has a site that sends a nonce ${what}, and no proof has it`, async () => {
      const nonces: unknown[] = [];
      issuer.handle('/token', (request, response) => {
        nonces.push(nonceIn(request.headers));
        response.writeHead(400, { 'Content-Type': 'application/json', 'DPoP-Nonce': nonce });
        response.end(JSON.stringify({ error: 'use_dpop_nonce' }));
      });
      await assert.rejects(scene.refused('DPoP'), (error) => isMcpError(error, 'signInFailed'));
      assert.ok(nonces.length <= 2 && nonces.every((each) => each === undefined));
    });
  }

  it('refuses every proof, and the error says so without another question to the user', async () => {
    serve((_request, response) => {
      const challenge = 'DPoP error="invalid_dpop_proof", error_description="clock is wrong"';
      response.writeHead(401, { 'WWW-Authenticate': challenge }).end();
    });
    await assert.rejects(connect(), failsAt('use', /clock is wrong/));
    assert.equal(carried.length, 1);
    assert.equal(scene.person.questions.length, 1);
    assert.equal(tokenRequests(), 1);
  });

  it('gets the nonce of a later answer in the requests after it', async () => {
    serve((_request, response) => {
      response.setHeader('DPoP-Nonce', `nonce-${carried.length}`);
      initialize(response);
    });
    const client = await connect();
    const before = carried.length;
    await client.listTools();
    assert.equal(nonceIn(carried[before] ?? {}), `nonce-${before}`);
  });

  it('is announced for a resource that is not its own, and no token is requested', async () => {
    mcp.answer(resourcePath, {
      resource: 'https://other.example/mcp',
      authorization_servers: [issuer.origin],
    });
    await assert.rejects(scene.refused('DPoP'), failsAt('resourceMetadata', /as its resource/));
    assert.deepEqual([issuer.paths, scene.person.opened], [[], []]);
  });

  it('names another resource later, which does not get the token of the first', async () => {
    serve((_request, response) => initialize(response));
    await connect();
    const { grant } = scene;
    assert.ok(grant !== undefined);
    await scene.store.keepGrant(scene.url, { ...grant, resource: 'https://other.example/mcp' });
    assert.deepEqual(await scene.headers(), {});
  });

  it('redirects, and the new URL gets a proof of its own, and another origin none', async () => {
    const other = await OwnServer.start();
    try {
      mcp.handle('/mcp/', (request, response) => {
        carried.push(request.headers);
        const body = mcp.bodies.get('/mcp/')?.at(-1) ?? '';
        mcp.bodies.set('/mcp', [body]);
        initialize(response);
      });
      serve((_request, response) => response.writeHead(307, { Location: '/mcp/' }).end());
      await connect();
      const [first = {}, second = {}] = carried;
      assert.deepEqual([urlIn(first), urlIn(second)], [scene.url, `${scene.url}/`]);
      assert.notEqual(first.dpop, second.dpop);
      serve((_request, response) => {
        response.writeHead(307, { Location: `${other.origin}/mcp` }).end();
      });
      await assert.rejects(connect(), (error) => isMcpError(error, 'redirectRefused'));
      assert.deepEqual(other.paths, []);
    } finally {
      await other.stop();
    }
  });

  it('has a site that does not support its proofs, and the browser does not open', async () => {
    scene.describe({ dpop_signing_alg_values_supported: ['RS256', 'none'] });
    await assert.rejects(scene.refused('DPoP'), failsAt('serverMetadata', /ES256/));
    assert.deepEqual(scene.person.opened, []);
  });

  describe('or accepts bearer tokens, too', () => {
    const both = 'Bearer scope="a", DPoP algs="ES256"';

    it('gets bound ones if its site issues them', async () => {
      await scene.refused(both);
      assert.ok(scene.grant?.proofKey !== undefined);
      assert.deepEqual(scene.grant.askedScopes, ['a']);
    });

    it('gets others if its site issues no bound ones', async () => {
      scene.describe({});
      issuer.answer('/token', bearer);
      await scene.refused(both);
      assert.equal((await scene.headers())['Authorization'], 'Bearer unbound');
    });

    it('gets bound ones if its metadata requires them', async () => {
      const { url } = scene;
      mcp.answer(resourcePath, {
        resource: url,
        authorization_servers: [issuer.origin],
        dpop_bound_access_tokens_required: true,
      });
      await scene.refused('Bearer');
      assert.equal((await scene.headers())['Authorization'], 'DPoP given');
    });
  });
});
