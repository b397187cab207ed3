import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import https from 'node:https';
import { fetchableIcons, fetchIcon } from '../../src/core/icons/fetchIcon';
import { HttpServer, type Received } from '../servers/httpServer';
import { certificate } from '../servers/httpsCertificate';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const addresses = (serverUrl: string, ...sources: readonly string[]) =>
  fetchableIcons(
    sources.map((src) => ({ src })),
    'dark',
    serverUrl,
  ).map(({ url }) => url.href);

describe('The icons that may be fetched', () => {
  const server = 'https://me:secret@host.example:8443/mcp';

  it('are those of the origin of their server, without its credentials', () => {
    assert.deepEqual(addresses(server, 'https://host.example:8443/i.png#part'), [
      'https://host.example:8443/i.png',
    ]);
  });

  const refused: readonly (readonly [string, string])[] = [
    ['another host', 'https://other.example:8443/i.png'],
    ['a host below it', 'https://cdn.host.example:8443/i.png'],
    ['another port', 'https://host.example/i.png'],
    ['no encryption', 'http://host.example:8443/i.png'],
    ['a private address', 'https://192.168.0.1:8443/i.png'],
    ['this machine', 'http://127.0.0.1:8443/i.png'],
    ['what clouds tell of their machines', 'http://169.254.169.254/latest/meta-data'],
    ['a name and a password', 'https://you:secret@host.example:8443/i.png'],
    ['a file', 'file:///etc/passwd'],
    ['a program', 'javascript:alert(1)'],
    ['a socket', 'wss://host.example:8443/i.png'],
    ['what came along', `data:image/png;base64,${png.toString('base64')}`],
    ['no address', '/i.png'],
    ['a very long address', `https://host.example:8443/${'i'.repeat(2_000)}`],
  ];
  for (const [what, src] of refused) {
    it(`are never behind ${what}`, () => assert.deepEqual(addresses(server, src), []));
  }

  it('are none for servers without an origin, and without encryption on other machines', () => {
    for (const url of [
      'unix:///tmp/s#/mcp',
      'pipe:///pipe/s#/mcp',
      'http://host.example/mcp',
      'http://192.168.0.1/mcp',
      'http://localhost.example/mcp',
      `\${input:url}`,
    ]) {
      const origin = URL.canParse(url) ? new URL(url).origin : url;
      assert.deepEqual(addresses(url, 'http://localhost/i.png', `${origin}/i.png`), [], url);
    }
  });

  it('are those of a server on this machine without encryption, too', () => {
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000']) {
      assert.deepEqual(addresses(`${origin}/mcp`, `${origin}/i.png`), [`${origin}/i.png`]);
    }
  });

  it('are two at most, the best first', () => {
    const icons = [64, 32, 48].map((side) => {
      return { src: `https://host.example:8443/${side}.png`, sizes: [`${side}x${side}`] };
    });
    assert.deepEqual(
      fetchableIcons(icons, 'dark', server).map(({ url }) => url.pathname),
      ['/32.png', '/48.png'],
    );
  });
});

describe('An icon on a server', () => {
  let answer: (request: Received, response: ServerResponse) => void;
  let server: HttpServer;
  let elsewhere: HttpServer;
  const reply =
    (body: Uint8Array, type: string | undefined = 'image/png', status = 200) =>
    (_: Received, response: ServerResponse) => {
      if (type !== '') response.setHeader('content-type', type);
      response.writeHead(status).end(body);
    };
  const fetched = async (timeoutMs = 5_000, from = server) => {
    const [address] = fetchableIcons([{ src: new URL('/i.png', from.url).href }], 'dark', from.url);
    assert.ok(address);
    return fetchIcon(address, timeoutMs);
  };

  beforeEach(async () => {
    answer = reply(png);
    server = await HttpServer.start((...request) => answer(...request));
    elsewhere = await HttpServer.start(reply(png));
  });
  afterEach(() => Promise.all([server.stop(), elsewhere.stop()]));

  it('is fetched without cookies, credentials or a word on where it is shown (R-588)', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'image/png; x=1', 'set-cookie': 'a=b' }).end(png);
    };
    assert.deepEqual(await fetched(), png);
    assert.deepEqual(await fetched(), png);
    const [, second] = server.received;
    assert.equal(second?.httpMethod, 'GET');
    assert.deepEqual(Object.keys(second?.headers ?? {}).toSorted(), [
      'accept',
      'connection',
      'host',
    ]);
  });

  it('is fetched over an encrypted connection whose certificate is good, and no other', async () => {
    const secure = await HttpServer.startSecure(reply(png));
    const { options } = https.globalAgent;
    try {
      assert.equal(await fetched(5_000, secure), undefined);
      options.ca = certificate;
      assert.deepEqual(await fetched(5_000, secure), png);
      assert.equal(secure.received.length, 1);
    } finally {
      delete options.ca;
      https.globalAgent.destroy();
      await secure.stop();
    }
  });

  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>');
  const wrong: readonly (readonly [string, ReturnType<typeof reply>])[] = [
    ['SVG', reply(svg, 'image/svg+xml')],
    ['SVG that is called PNG', reply(svg)],
    ['a picture that is called something else', reply(png, 'image/jpeg')],
    ['a picture that is called a page', reply(png, 'text/html')],
    ['of no type', reply(png, '')],
    ['an error', reply(png, 'image/png', 404)],
    ['larger than 32 KiB', reply(Buffer.concat([png, Buffer.alloc(32 * 1024)]))],
    ['empty', reply(Buffer.alloc(0))],
  ];
  for (const [what, how] of wrong) {
    it(`is none when it is ${what}`, async () => {
      answer = how;
      assert.equal(await fetched(), undefined);
    });
  }

  it('is none when it has no end, or does not come in time', async () => {
    let isClosed = false;
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      const timer = setInterval(() => response.write(png), 1);
      response.on('close', () => {
        clearInterval(timer);
        isClosed = true;
      });
    };
    assert.equal(await fetched(), undefined);
    await server.received[0]?.closed;
    assert.equal(isClosed, true);
    answer = () => undefined;
    assert.equal(await fetched(50), undefined);
    await server.received[1]?.closed;
  });

  const redirect = (location: string) => (request: Received, response: ServerResponse) => {
    if (request.path === '/there.png') reply(png)(request, response);
    else response.writeHead(302, { location }).end();
  };

  it('is followed to where it moved within the origin', async () => {
    answer = redirect('/there.png');
    assert.deepEqual(await fetched(), png);
  });

  it('is not followed to another origin, or with credentials that the server chose (R-589)', async () => {
    const there = new URL('/there.png', server.url);
    const named = `http://me:secret@${there.host}/there.png`;
    for (const location of [elsewhere.url, there.href.replace('http:', 'https:'), named]) {
      answer = redirect(location);
      assert.equal(await fetched(), undefined, location);
    }
    assert.equal(elsewhere.received.length, 0);
    assert.equal(server.received.length, 3);
  });

  it('is not followed in a circle', async () => {
    answer = redirect('/i.png');
    assert.equal(await fetched(), undefined);
    assert.ok(server.received.length < 10);
  });
});
