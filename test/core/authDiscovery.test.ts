import assert from 'node:assert/strict';
import { AddressRules, AuthHttp } from '../../src/core/auth/authHttp';
import { type SignInChallenge, discover } from '../../src/core/auth/discovery';
import { isMcpError } from '../../src/core/errors';
import { OwnServer } from '../servers/ownServer';

const resource = '/.well-known/oauth-protected-resource';
const oauth = '/.well-known/oauth-authorization-server';
const openId = '/.well-known/openid-configuration';

describe('Finding the authorization server', () => {
  let mcp: OwnServer;
  let as: OwnServer;

  beforeEach(async () => {
    mcp = await OwnServer.start();
    as = await OwnServer.start();
  });
  afterEach(() => Promise.all([mcp.stop(), as.stop()]));

  const look = (path = '/mcp', challenge?: SignInChallenge) => {
    const url = new URL(`${mcp.origin}${path}`);
    return discover(url, challenge, new AuthHttp(new AddressRules(url)));
  };
  const describes = (issuers: readonly string[] = [as.origin], of = `${mcp.origin}/mcp`) => ({
    resource: of,
    authorization_servers: issuers,
  });
  const metadata = (issuer: string) => ({
    issuer,
    authorization_endpoint: `${as.origin}/authorize?tenant=1`,
    token_endpoint: `${as.origin}/token`,
    code_challenge_methods_supported: ['S256'],
    revocation_endpoint: 'javascript:alert(1)',
  });
  const stopsAt = (step: string, words: RegExp) => (error: unknown) =>
    isMcpError(error, 'signInFailed') &&
    error.facts.signInStep === step &&
    words.test(error.facts.detail ?? '');

  it('requests the announced URL, and nothing else', async () => {
    mcp.answer('/custom', describes());
    const announced = { resourceMetadata: `${mcp.origin}/custom` };
    assert.deepEqual((await look('/mcp', announced)).issuers, [as.origin]);
    assert.deepEqual(mcp.paths, ['/custom']);
    const missing = { resourceMetadata: `${mcp.origin}/missing` };
    await assert.rejects(look('/mcp', missing), stopsAt('resourceMetadata', /status 404/));
    assert.deepEqual(mcp.paths, ['/custom', '/missing']);
  });

  it('requests the path before the root, and not the root if the path answered', async () => {
    mcp.answer(resource, describes([as.origin], mcp.origin));
    assert.equal((await look()).resource, mcp.origin);
    assert.deepEqual(mcp.paths, [`${resource}/mcp`, resource]);
    mcp.answer(`${resource}/mcp`, describes());
    assert.equal((await look()).resource, `${mcp.origin}/mcp`);
    assert.deepEqual(mcp.paths.slice(2), [`${resource}/mcp`]);
  });

  it('does not accept an HTML page at the path as metadata', async () => {
    mcp.handle(`${resource}/mcp`, (_request, response) => response.end('<html>'));
    mcp.answer(resource, describes([as.origin], mcp.origin));
    assert.deepEqual((await look()).issuers, [as.origin]);
  });

  it('does not treat a server error as an answer', async () => {
    mcp.answer(`${resource}/mcp`, {}, 503);
    await assert.rejects(look(), stopsAt('resourceMetadata', /503/));
  });

  for (const named of [undefined, [], ['not an address'], [1, null]]) {
    it(`rejects authorization servers ${JSON.stringify(named)}`, async () => {
      mcp.answer(`${resource}/mcp`, { ...describes(), authorization_servers: named });
      await assert.rejects(look(), stopsAt('resourceMetadata', /./));
      assert.deepEqual(as.paths, []);
    });
  }

  it('offers the others if one of several authorization servers has an address without TLS', async () => {
    const named = ['http://login.example', as.origin, 'no address'];
    mcp.answer(`${resource}/mcp`, describes(named));
    assert.deepEqual((await look()).issuers, [as.origin]);
    mcp.answer(`${resource}/mcp`, describes(['http://login.example']));
    await assert.rejects(look(), stopsAt('resourceMetadata', /login.example: not https/));
  });

  for (const [path, places] of [
    ['', [oauth, openId]],
    ['/tenant', [`${oauth}/tenant`, `${openId}/tenant`, `/tenant${openId}`]],
    ['/tenant/', [`${oauth}/tenant`, `${openId}/tenant`, `/tenant${openId}`]],
  ] as const) {
    it(`requests the metadata of issuer "${path}" in the specified order`, async () => {
      const issuer = `${as.origin}${path}`;
      mcp.answer(`${resource}/mcp`, describes([issuer]));
      const found = await look();
      await assert.rejects(found.metadataOf(issuer), (error) => {
        assert.ok(stopsAt('serverMetadata', /no metadata/)(error), String(error));
        // Whoever diagnoses it reads where it was looked for.
        for (const place of places) {
          assert.ok(String(error).includes(`${as.origin}${place}: HTTP status 404`), String(error));
        }
        return true;
      });
      assert.deepEqual(as.paths, places);
      as.answer(places.at(-1) ?? '', metadata(issuer));
      assert.equal((await found.metadataOf(issuer)).issuer, issuer);
    });
  }

  for (const [named, own] of [
    ['', '/'],
    ['/', ''],
  ] as const) {
    it(`treats "…${named}" and "…${own}" as one issuer, under its own name`, async () => {
      mcp.answer(`${resource}/mcp`, describes([`${as.origin}${named}`]));
      as.answer(oauth, metadata(`${as.origin}${own}`));
      const server = await (await look()).metadataOf(`${as.origin}${named}`);
      assert.equal(server.issuer, `${as.origin}${own}`);
    });
  }

  it('lists an issuer once that is named in both forms', async () => {
    mcp.answer(`${resource}/mcp`, describes([`${as.origin}/`, as.origin]));
    assert.deepEqual((await look()).issuers, [`${as.origin}/`]);
  });

  for (const [named, own] of [
    ['/tenant', '/tenant/'],
    ['/tenant/', '/tenant'],
    ['', '//'],
    ['', '/?'],
    ['', '/#'],
    ['', '?'],
    ['/', '/.'],
  ] as const) {
    it(`treats "…${named}" and "…${own}" as two issuers`, async () => {
      mcp.answer(`${resource}/mcp`, describes([`${as.origin}${named}`]));
      const path = named === '/' ? '' : named.replace(/\/$/, '');
      as.answer(`${oauth}${path}`, metadata(`${as.origin}${own}`));
      const found = await look();
      const wrong = stopsAt('serverMetadata', /as its issuer/);
      await assert.rejects(found.metadataOf(`${as.origin}${named}`), wrong);
    });
  }

  it('keeps the query of an endpoint, and ignores invalid optional members', async () => {
    mcp.answer(`${resource}/mcp`, describes());
    as.answer(oauth, metadata(as.origin));
    const server = await (await look()).metadataOf(as.origin);
    assert.equal(server.authorization_endpoint, `${as.origin}/authorize?tenant=1`);
    assert.equal(server.revocation_endpoint, undefined);
  });

  it('uses the endpoints of 2025-03-26 if there is no metadata at all', async () => {
    const { origin } = mcp;
    const found = await look('/mcp', {});
    assert.equal(found.resource, `${origin}/mcp`);
    const server = await found.metadataOf(origin);
    assert.equal(server.token_endpoint, `${origin}/token`);
    const places = [oauth, `${oauth}/mcp`, openId, `${openId}/mcp`, `/mcp${openId}`];
    assert.deepEqual(mcp.paths, [`${resource}/mcp`, resource, ...places]);
  });

  for (const named of ['/mcp', '', '/']) {
    it(`finds metadata of "…${named}" at the path of the server itself, if there is none at the root`, async () => {
      const issuer = `${mcp.origin}${named}`;
      mcp.answer(`${oauth}/mcp`, metadata(issuer));
      const found = await look();
      assert.deepEqual(found.issuers, [issuer]);
      assert.equal((await found.metadataOf(issuer)).token_endpoint, `${as.origin}/token`);
    });
  }

  for (const place of [openId, `${openId}/mcp`, `/mcp${openId}`]) {
    it(`finds metadata of the server itself at ${place}, if there is none for OAuth`, async () => {
      const issuer = place === openId ? mcp.origin : `${mcp.origin}/mcp`;
      mcp.answer(place, metadata(issuer));
      assert.deepEqual((await look()).issuers, [issuer]);
    });
  }

  it('treats a server error at an optional place as no metadata', async () => {
    for (const place of [openId, `${openId}/mcp`, `/mcp${openId}`]) mcp.answer(place, {}, 500);
    assert.deepEqual((await look('/mcp', {})).issuers, [mcp.origin]);
    mcp.handle(openId, (_request, response) => response.destroy());
    assert.deepEqual((await look('/mcp', {})).issuers, [mcp.origin]);
    mcp.answer(`${oauth}/mcp`, {}, 500);
    await assert.rejects(look(), stopsAt('serverMetadata', /500/));
  });

  it('follows a copy of another server’s metadata to that server', async () => {
    mcp.answer(oauth, metadata(as.origin));
    as.answer(oauth, metadata(as.origin));
    assert.deepEqual((await look()).issuers, [as.origin]);
    as.answer(oauth, metadata('https://other.example'));
    await assert.rejects(look(), stopsAt('serverMetadata', /as its issuer/));
  });
});
