import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { probeHttp, probeProxy, type Proxy } from '../../src/core/http/probeHttp';
import { HttpExchange } from '../../src/core/http/httpExchange';
import { Programs } from '../../src/core/stdio/programs';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { Diagnosis, type ProxySettings, proxyFor } from '../../src/host/diagnosis/diagnosis';
import type { Step, StepFact, StepName } from '../../src/host/diagnosis/steps';
import { assertValidMessage } from '../core/mcpSchema';
import type { ReceivedMessage } from '../servers/scripted';
import {
  certificate,
  elsewhereCertificate,
  expiredCertificate,
  privateKey,
} from '../servers/httpsCertificate';

const clientInfo = { name: 'test', title: 'Test', version: '1' };

const signIn: RequestListener = (_request, response) => {
  response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end('Wrong key.');
};

// Servers and proxies are real and listen here; the way to them is the one of the product.
describe('A diagnosis over HTTP', () => {
  const open: net.Server[] = [];
  const sockets: net.Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of open.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  async function listen(server: net.Server, at: string | number = 0): Promise<number> {
    open.push(server);
    server.on('connection', (socket: net.Socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(at, resolve));
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }
  /** A port where nobody listens. */
  async function deadPort(): Promise<number> {
    const server = net.createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    open.pop();
    return port;
  }

  async function walk(
    url: string,
    proxy?: Proxy,
    token?: CancellationTokenSource['token'],
  ): Promise<ReadonlyMap<StepName, Step>> {
    const diagnosis = new Diagnosis({
      clientInfo,
      processes: new LiveProcesses(),
      programs: new Programs({ environment: {} }),
      proxyOf: () => proxy,
      redact: (text) => text.replaceAll('hunter2', '(secret)'),
      limits: () => ({
        startTimeoutMs: 5_000,
        maxMessageBytes: 1_000_000,
        maxMessageValues: 500_000,
      }),
    });
    const transport = { kind: 'http', url, headers: { Authorization: 'Bearer hunter2' } } as const;
    const config: ServerConfig = { id: 'a', label: 'a', source: { kind: 'setting' }, transport };
    const steps = await diagnosis.walk(config, [], () => undefined, token);
    assert.ok(steps.every(({ state }) => state !== 'running' && state !== 'waiting'));
    assert.ok(!inspect(steps, { depth: 8 }).includes('hunter2'));
    return new Map(steps.map((step) => [step.name, step]));
  }
  const brief = (steps: ReadonlyMap<StepName, Step>) =>
    [...steps.values()].map(({ name, state }) => `${name} ${state}`).slice(2, 8);
  const failed = (steps: ReadonlyMap<StepName, Step>) =>
    [...steps.values()].filter(({ state }) => state === 'failed').map(({ name }) => name);
  const factOf = (steps: ReadonlyMap<StepName, Step>, name: StepName): StepFact | undefined =>
    steps.get(name)?.facts[0];

  it('shows status and challenge of a server that requires a sign-in', async () => {
    const port = await listen(createServer(signIn));
    const steps = await walk(`http://localhost:${port}/mcp`);
    assert.deepEqual(brief(steps), [
      'proxy passed',
      'address passed',
      'tls skipped',
      'status failed',
      'contentType skipped',
      'challenge failed',
    ]);
    assert.deepEqual(factOf(steps, 'challenge'), { kind: 'text', text: 'Bearer realm="x"' });
    const { detail, wasAnonymous } = steps.get('status')?.error?.facts ?? {};
    assert.deepEqual([detail, wasAnonymous], ['Wrong key.', undefined]);
  });

  it('removes a credential that the server sends back, wherever it is in a header', async () => {
    for (const length of [0, 482]) {
      const echo: RequestListener = ({ headers }, response) => {
        const back = `x/y; ${'x'.repeat(length)} ${headers.authorization}`;
        response.writeHead(401, { 'www-authenticate': back, 'content-type': back }).end();
      };
      const steps = await walk(`http://localhost:${await listen(createServer(echo))}/mcp`);
      const text = `x/y; ${'x'.repeat(length)} Bearer (secret)`;
      assert.deepEqual(factOf(steps, 'challenge'), { kind: 'text', text });
      assert.deepEqual(factOf(steps, 'contentType'), { kind: 'text', text });
    }
  });

  it('sends a password of a URL with a percent sign that encodes nothing', async () => {
    const sent: (string | undefined)[] = [];
    const port = await listen(
      createServer(({ headers }, response) => {
        sent.push(headers.authorization);
        response.writeHead(202).end();
      }),
    );
    const address = `http://me%20:50%off@127.0.0.1:${port}/`;
    assert.equal((await probeHttp(address, {}, { clientInfo, timeoutMs: 60_000 })).status, 202);
    const request = { method: 'GET', headers: {}, isRepeatable: true } as const;
    const url = new URL(address);
    assert.equal((await new HttpExchange({ url }, request, url).answer).status, 202);
    const credentials = `Basic ${Buffer.from('me :50%off').toString('base64')}`;
    assert.deepEqual(sent, [credentials, credentials]);
    const { error } = await probeHttp('unix:///%zz', {}, { clientInfo, timeoutMs: 60_000 });
    assert.equal(error?.code, 'unreachable');
  });

  it('asks first what the client asks first, as a stateless server requires it (R-057, R-138)', async () => {
    const asked: { readonly headers: IncomingHttpHeaders; readonly body: ReceivedMessage }[] = [];
    const note: RequestListener = (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        asked.push({ headers: request.headers, body: JSON.parse(body) });
        response.writeHead(403).end();
      });
    };
    await walk(`http://localhost:${await listen(createServer(note))}/mcp`);
    const [first] = asked;
    assert.ok(first);
    assertValidMessage('2026-07-28', first.body);
    assert.equal(first.headers['mcp-protocol-version'], '2026-07-28');
    assert.equal(first.headers['mcp-method'], 'server/discover');
    const { _meta: meta } = first.body.params ?? {};
    assert.equal(Object(meta)['io.modelcontextprotocol/clientInfo'].name, 'test');
  });

  it('shows the content type of a page that is no MCP server', async () => {
    const page: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
    };
    const steps = await walk(`http://localhost:${await listen(createServer(page))}/mcp`);
    assert.ok(brief(steps).includes('contentType failed'), brief(steps).join());
    assert.equal(steps.get('tools')?.state, 'skipped');
  });

  it('says that a connection breaks, or that no server listens', async () => {
    const port = await listen(createServer((request) => request.socket.destroy()));
    const broken = await walk(`http://localhost:${port}/mcp`);
    assert.equal(broken.get('status')?.error?.code, 'connectionLost');
    const silent = await walk(`http://127.0.0.1:${await deadPort()}/mcp`);
    assert.deepEqual(failed(silent), ['address']);
    assert.equal(silent.get('address')?.error?.code, 'unreachable');
  });

  /** Sends the beginning, and then one byte after the other without an end. */
  function dripping(beginning: string): net.Server {
    return net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(beginning);
        const drip = setInterval(() => socket.write('x'), 20);
        socket.once('close', () => clearInterval(drip));
      });
    });
  }
  const timeoutMs = 300;

  for (const [what, scheme, beginning, code, status] of [
    ['a head', 'http', 'HTTP/1.1 200 OK\r\n', 'connectionLost', undefined],
    ['the reason of a refusal', 'http', 'HTTP/1.1 401 No\r\n\r\nWrong key', undefined, 401],
    // The header of a record of TLS 1.2, whose length is 16,248 with the first byte.
    ['a TLS handshake', 'https', '\u0016\u0003\u0003?', 'connectionLost', undefined],
  ] as const) {
    it(`limits the time of a server that sends ${what} byte by byte, without an end`, async () => {
      const port = await listen(dripping(beginning));
      const look = await probeHttp(`${scheme}://127.0.0.1:${port}/`, {}, { clientInfo, timeoutMs });
      assert.deepEqual([look.error?.code, look.status], [code, status]);
      if (status !== undefined) assert.match(look.refusal?.detail ?? '', /^Wrong key/);
    });
  }

  it('limits the time of a proxy that answers byte by byte, without an end', async () => {
    const url = `http://127.0.0.1:${await listen(dripping(''))}`;
    const { error } = await probeProxy({ url }, new URL('https://a.example/'), timeoutMs);
    assert.equal(error?.code, 'unreachable');
  });

  /** A server with a handshake that answers the question before it with `status`; 0: not at all. */
  const stumbling =
    (status: number, handshakeStatus = 200): RequestListener =>
    (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { id, method } = body === '' ? {} : JSON.parse(body);
        if (method === 'server/discover') {
          if (status === 0) request.socket.destroy();
          else response.writeHead(status).end('no such method');
          return;
        }
        if (method !== 'initialize') {
          response.writeHead(request.method === 'GET' ? 405 : 202).end();
          return;
        }
        const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} };
        response.writeHead(handshakeStatus, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify(
            handshakeStatus === 200 ? { jsonrpc: '2.0', id, result } : { error: 'not ready' },
          ),
        );
      });
    };

  for (const status of [500, 503, 404, 0]) {
    it(`continues with the handshake after ${status === 0 ? 'a broken connection' : status}`, async () => {
      const steps = await walk(
        `http://localhost:${await listen(createServer(stumbling(status)))}/mcp`,
      );
      assert.deepEqual(failed(steps), []);
      assert.equal(steps.get('status')?.state, 'passed');
      assert.deepEqual(factOf(steps, 'era'), {
        kind: 'era',
        era: 'stateful',
        isSilent: false,
        ...(status === 0 ? { isBroken: true } : { status }),
      });
      assert.equal(steps.get('handshake')?.state, 'passed');
    });
  }

  it('names both answers if the probe and the handshake fail', async () => {
    const port = await listen(createServer(stumbling(500, 502)));
    const steps = await walk(`http://localhost:${port}/mcp`);
    const { httpStatus, probeStatus, probeDetail } = steps.get('status')?.error?.facts ?? {};
    assert.deepEqual([httpStatus, probeStatus, probeDetail], [502, 500, 'no such method']);
  });

  it('reaches a server on a socket of the file system', async function () {
    if (process.platform === 'win32') this.skip();
    const socket = path.join(tmpdir(), `diagnosis-${process.pid}.sock`);
    await listen(createServer(signIn), socket);
    const steps = await walk(`unix://${socket}#/mcp`);
    assert.deepEqual(factOf(steps, 'address'), { kind: 'address', host: socket });
    assert.deepEqual(failed(steps), ['status', 'challenge']);
  });

  describe('to a secure server', () => {
    const trusted = https.globalAgent.options.ca;
    beforeEach(() => Object.assign(https.globalAgent.options, { ca: [certificate] }));
    afterEach(() => Object.assign(https.globalAgent.options, { ca: trusted }));

    async function walkSecure(cert: string, host = 'localhost') {
      const port = await listen(https.createServer({ key: privateKey, cert }, signIn));
      return walk(`https://${host}:${port}/mcp`);
    }

    it('shows the protocol and the accepted certificate', async () => {
      const steps = await walkSecure(certificate);
      const fact = factOf(steps, 'tls');
      assert.ok(
        fact?.kind === 'tls' && fact.protocol.startsWith('TLS') && /2126/.test(fact.validTo),
      );
      assert.deepEqual(failed(steps), ['status', 'challenge']);
    });

    it('shows a self-signed certificate, which is not trusted', async () => {
      Object.assign(https.globalAgent.options, { ca: [] });
      const steps = await walkSecure(certificate);
      assert.deepEqual(failed(steps), ['tls']);
      assert.equal(steps.get('tls')?.error?.code, 'tlsError');
      const fact = factOf(steps, 'tls');
      assert.ok(fact?.kind === 'tlsTrouble' && fact.certificate);
      const { subject, issuer } = fact.certificate;
      assert.deepEqual([fact.trouble, subject, issuer], ['selfSigned', 'localhost', 'localhost']);
    });

    it('shows a certificate of an unknown issuer', async () => {
      Object.assign(https.globalAgent.options, { ca: [] });
      const fact = factOf(await walkSecure(elsewhereCertificate), 'tls');
      assert.ok(fact?.kind === 'tlsTrouble' && fact.certificate);
      assert.deepEqual([fact.trouble, fact.certificate.issuer], ['unknownIssuer', 'localhost']);
    });

    it('shows until when an expired certificate was valid', async () => {
      const fact = factOf(await walkSecure(expiredCertificate), 'tls');
      assert.ok(fact?.kind === 'tlsTrouble' && fact.certificate);
      assert.equal(fact.trouble, 'expired');
      assert.match(fact.certificate.validTo, /2021/);
    });

    it('shows the hosts of a certificate that is for others', async () => {
      const fact = factOf(await walkSecure(elsewhereCertificate), 'tls');
      assert.ok(fact?.kind === 'tlsTrouble' && fact.certificate);
      assert.deepEqual(
        [fact.trouble, fact.host, fact.certificate.names],
        ['wrongHost', 'localhost', 'DNS:elsewhere.example'],
      );
    });

    it('reports a port that uses plain HTTP', async () => {
      const steps = await walk(`https://localhost:${await listen(createServer(signIn))}/mcp`);
      assert.deepEqual(failed(steps), ['tls']);
      const fact = factOf(steps, 'tls');
      assert.ok(fact?.kind === 'tlsTrouble');
      assert.deepEqual([fact.trouble, fact.certificate], ['notTls', undefined]);
    });
  });

  describe('through a proxy', () => {
    const target = 'https://mcp.example/mcp';

    /** A proxy that answers every wish for a tunnel with this status, and what it was asked. */
    async function proxyThat(status: string): Promise<{ url: string; asked: () => string }> {
      let asked = '';
      const server = net.createServer((socket) => {
        socket.setEncoding('latin1');
        socket.on('data', (chunk: string) => {
          asked += chunk;
          if (asked.endsWith('\r\n\r\n')) socket.write(`${status}\r\n\r\n`);
        });
        socket.on('error', () => undefined);
      });
      return { url: `http://127.0.0.1:${await listen(server)}`, asked: () => asked };
    }

    it('that is missing says so, and does not blame the server', async () => {
      const address = `127.0.0.1:${await deadPort()}`;
      const steps = await walk(target, { url: `http://${address}` });
      assert.deepEqual(failed(steps), ['proxy']);
      assert.deepEqual(factOf(steps, 'proxy'), { kind: 'proxy', address });
      assert.match(steps.get('proxy')?.error?.facts.detail ?? '', /ECONNREFUSED/);
      assert.equal(steps.get('address')?.state, 'skipped');
    });

    it('that requires credentials says so', async () => {
      const { url, asked } = await proxyThat('HTTP/1.1 407 Proxy Authentication Required');
      const steps = await walk(target, { url });
      assert.deepEqual(failed(steps), ['proxy']);
      const address = new URL(url).host;
      assert.deepEqual(factOf(steps, 'proxy'), { kind: 'proxy', address, status: 407 });
      assert.equal(asked(), 'CONNECT mcp.example:443 HTTP/1.1\r\nHost: mcp.example:443\r\n\r\n');
    });

    it('sends the configured credentials, and shows them in no step', async () => {
      const { url, asked } = await proxyThat('HTTP/1.1 403 Forbidden');
      const withUser = url.replace('//', '//some%20body:hunter2@');
      const steps = await walk(target, { url: withUser });
      assert.deepEqual(failed(steps), ['proxy']);
      const basic = Buffer.from('some body:hunter2').toString('base64');
      assert.ok(asked().includes(`\r\nProxy-Authorization: Basic ${basic}\r\n`), asked());
      assert.ok(!inspect(steps, { depth: 8 }).includes(basic));
      const other = await proxyThat('HTTP/1.1 403 Forbidden');
      await walk(target, { url: other.url, authorization: 'Own\r\nX: y' });
      assert.ok(other.asked().includes('\r\nProxy-Authorization: OwnX: y\r\n'), other.asked());
    });

    it('that answers a request itself has failed, not the server', async () => {
      const server = createServer((_request, response) => response.writeHead(407).end());
      const port = await listen(server);
      const url = `http://127.0.0.1:${port}`;
      const steps = await walk(`${url}/mcp`, { url });
      assert.deepEqual(failed(steps), ['proxy']);
    });

    it('that uses another protocol, or hangs up, has failed', async () => {
      const odd = await proxyThat('SSH-2.0-OpenSSH_9.6');
      assert.match((await walk(target, odd)).get('proxy')?.error?.message ?? '', /speaks no HTTP/);
      const port = await listen(net.createServer((socket) => socket.end()));
      const steps = await walk(target, { url: `http://127.0.0.1:${port}` });
      assert.deepEqual(failed(steps), ['proxy']);
    });

    it('that never answers can be cancelled', async () => {
      const source = new CancellationTokenSource();
      const server = net.createServer(() => source.cancel());
      const url = `http://127.0.0.1:${await listen(server)}`;
      const steps = await walk(target, { url }, source.token);
      assert.equal(steps.get('proxy')?.error?.code, 'cancelled');
    });
  });
});

describe('The proxy for a URL', () => {
  const unset: ProxySettings = {
    proxy: '',
    authorization: null,
    noProxy: [],
    support: 'override',
  };
  const proxy = 'http://somebody:secret@proxy.example:8080';
  const https443 = 'https://mcp.example/mcp';

  for (const [what, address, settings, environment, expected] of [
    ['none is set', https443, {}, {}, undefined],
    ['the setting', https443, { proxy }, { HTTPS_PROXY: 'http://other' }, proxy],
    ['the environment, by kind', https443, {}, { HTTPS_PROXY: proxy, HTTP_PROXY: 'x' }, proxy],
    ['small letters', 'http://mcp.example', {}, { http_proxy: proxy }, proxy],
    ['something that is no address', https443, { proxy: 'proxy' }, {}, undefined],
    ['switched off', https443, { proxy, support: 'off' }, {}, undefined],
    ['this machine', 'http://127.0.0.1:80', { proxy }, {}, undefined],
    [
      'another address of this machine, as the editor has it',
      'http://127.0.0.2',
      { proxy },
      {},
      proxy,
    ],
    ['not a name that begins so', 'http://127.example', { proxy }, {}, proxy],
    ['a socket', 'unix:///a#/mcp', { proxy }, {}, undefined],
    ['excluded', https443, { proxy, noProxy: ['.example'] }, {}, undefined],
    ['excluded by variable', https443, { proxy }, { NO_PROXY: 'a, mcp.example:443' }, undefined],
    ['excluded at another port', https443, { proxy, noProxy: ['mcp.example:8443'] }, {}, proxy],
    ['not excluded by its end only', 'https://xmcp.de', { proxy, noProxy: ['mcp.de'] }, {}, proxy],
    ['excluded with all', https443, { proxy, noProxy: ['*'] }, {}, undefined],
  ] as const) {
    it(`is ${expected === undefined ? 'none' : 'one'}: ${what}`, () => {
      assert.equal(proxyFor(address, { ...unset, ...settings }, environment)?.url, expected);
    });
  }
});
