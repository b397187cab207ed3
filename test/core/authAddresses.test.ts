import assert from 'node:assert/strict';
import https from 'node:https';
import { AddressRules, classifyAddress, AuthHttp } from '../../src/core/auth/authHttp';
import { canonicalResource, coversServer } from '../../src/core/auth/discovery';
import { isMcpError } from '../../src/core/errors';
import { HttpExchange } from '../../src/core/http/httpExchange';
import { HttpServer, sendJson } from '../servers/httpServer';
import { certificate } from '../servers/httpsCertificate';
import { OwnServer } from '../servers/ownServer';

const far = new URL('https://93.184.216.34/mcp');

describe('A URL of a sign-in', () => {
  for (const [address, expected] of [
    ['93.184.216.34', 'public'],
    ['2606:2800:220:1::1', 'public'],
    ['127.8.8.8', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', 'public'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['fd00::1', 'private'],
    ['169.254.169.254', 'linkLocal'],
    ['fe80::1', 'linkLocal'],
    ['0.0.0.0', 'never'],
    ['::', 'never'],
    ['255.255.255.255', 'never'],
    ['224.0.0.1', 'never'],
    ['ff02::1', 'never'],
    ['64:ff9b::a00:1', 'never'],
    ['2002:a00:1::', 'never'],
  ] as const) {
    it(`at ${address} is ${expected}`, () => assert.equal(classifyAddress(address), expected));
  }

  it('may be on the local host if the server is, and not otherwise', () => {
    const near = new AddressRules(new URL('http://localhost:1/mcp'));
    assert.equal(near.checked('http://127.0.0.1:2/x', 'token').port, '2');
    for (const rules of [near, new AddressRules(far)]) {
      assert.throws(() => rules.checked('http://as.example/', 'token'), /not https/);
    }
    assert.throws(() => new AddressRules(far).checked('http://127.0.0.1/', 'token'), /not https/);
  });

  it('is checked by its numeric address, in every spelling', async () => {
    const rules = new AddressRules(far);
    for (const host of ['10.0.0.1', '0x0a000001', '167772161', '[::ffff:10.0.0.1]', '127.1']) {
      const url = rules.checked(`https://${host}/`, 'token');
      await assert.rejects(rules.checkHost(url, 'token'), /in a network where/, host);
    }
    await rules.checkHost(new URL('https://93.184.216.35/'), 'token');
    await new AddressRules(new URL('https://10.0.0.9/mcp')).checkHost(
      new URL('https://10.0.0.1/'),
      'token',
    );
  });

  it('is checked by the address that its name resolves to, at the request itself', async () => {
    const server = await OwnServer.start();
    try {
      const url = server.origin.replace('http://127.0.0.1', 'https://localhost');
      const asked = new AuthHttp(new AddressRules(far)).getJson(url, 'serverMetadata');
      await assert.rejects(
        asked,
        (error) => isMcpError(error, 'signInFailed') && /in a network where/.test(error.message),
      );
      const allowed = new AuthHttp(new AddressRules(far, ['LOCALHOST']));
      // Reached: there is no TLS.
      await assert.rejects(allowed.getJson(url, 'serverMetadata'), /tlsError/);
    } finally {
      await server.stop();
    }
  });

  describe('whose host has an open connection of another server', () => {
    const trusted = https.globalAgent.options.ca;
    let server: HttpServer;
    let url: URL;
    beforeEach(async () => {
      https.globalAgent.options.ca = certificate;
      server = await HttpServer.startSecure((_request, response) => sendJson(response, {}));
      url = new URL(server.url.replace('127.0.0.1', 'localhost'));
      const request = { method: 'GET', headers: {}, isRepeatable: true } as const;
      const { message } = await new HttpExchange({ url }, request, url).answer;
      for await (const chunk of message) assert.equal(String(chunk), '{}');
    });
    afterEach(async () => {
      https.globalAgent.options.ca = trusted;
      await server.stop();
    });

    it('is checked before that connection is used', async () => {
      const asked = new AuthHttp(new AddressRules(far)).getJson(url.href, 'serverMetadata');
      await assert.rejects(asked, /in a network where/);
      assert.equal(server.received.length, 1);
    });

    it('gets a connection of its own if it is allowed', async () => {
      const http = new AuthHttp(new AddressRules(far, ['localhost']));
      assert.equal((await http.getJson(url.href, 'serverMetadata')).status, 200);
      assert.equal(await server.connections(), 2);
    });
  });

  it('of a resource covers the server’s URL by whole path segments', () => {
    const server = new URL('https://mcp.example/a/b?x=1');
    const covers = (resource: string) => coversServer(resource, server);
    for (const resource of [
      'https://mcp.example/a/b?x=1',
      'https://mcp.example/a/b',
      'https://mcp.example/a/',
      'https://mcp.example',
      'https://MCP.example:443/a',
    ]) {
      assert.ok(covers(resource), resource);
    }
    for (const resource of [
      'https://mcp.example/a/bc',
      'https://mcp.example/a/b/c',
      'https://mcp.example/A',
      'https://mcp.example:444/a',
      'http://mcp.example/a',
      'https://mcp.example.evil/a',
      'https://x@mcp.example/a',
      'https://mcp.example/a#b',
      'https://mcp.example/a/b?x=2',
      'mcp.example',
    ]) {
      assert.ok(!covers(resource), resource);
    }
  });

  it('of a server without resource metadata is the server’s own, reduced to the necessary parts', () => {
    const canonical = (text: string) => canonicalResource(new URL(text));
    assert.equal(canonical('HTTPS://MCP.Example:443/'), 'https://mcp.example');
    assert.equal(canonical('https://mcp.example/Path/#x'), 'https://mcp.example/Path');
    assert.equal(canonical('https://mcp.example//a///'), 'https://mcp.example//a');
    // A search that begins again at each slash would take hours.
    const long = `https://mcp.example/${'/'.repeat(1_000_000)}x`;
    assert.equal(canonical(long), long);
  });
});
