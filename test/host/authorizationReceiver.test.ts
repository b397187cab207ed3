import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { isMcpError } from '../../src/core/errors';
import {
  LoopbackReceiver,
  type LoopbackReceiverOptions,
} from '../../src/host/authorization/loopbackReceiver';

const state = 'state-of-this-attempt';
const texts = { language: 'en', received: 'Go back <now> & "here"', refused: 'Not an answer.' };

interface Got {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

describe('The listener of a sign-in', () => {
  const receivers: LoopbackReceiver[] = [];
  const sockets: Socket[] = [];
  after(() => {
    for (const receiver of receivers) receiver.dispose();
    for (const socket of sockets) socket.destroy();
  });

  async function open(options: Partial<LoopbackReceiverOptions> = {}) {
    const receiver = await LoopbackReceiver.open({
      externalAddress: (address) => Promise.resolve(address),
      texts,
      ...options,
    });
    receivers.push(receiver);
    return receiver;
  }

  /** Whatever the path says, word for word. */
  async function get(
    port: number,
    path: string,
    { method = 'GET', ...headers }: Record<string, string> = {},
  ): Promise<Got> {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
    sent.end();
    const [answer] = await once(sent, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    const { statusCode, headers: got } = answer;
    return { status: statusCode, body: Buffer.concat(chunks).toString(), headers: got };
  }

  function idle(port: number): Socket {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  }

  const isCancelled = (error: unknown) => isMcpError(error, 'cancelled');
  /** What would end it if it were of this attempt. */
  const query = `?code=c0de&state=${state}&iss=https%3A%2F%2Flogin.example.com`;

  it('returns the whole URL of the answer unchanged, and closes', async () => {
    const receiver = await open();
    assert.match(receiver.address, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const answer = receiver.answer(state);
    const got = await get(receiver.port, `/callback${query}`);
    assert.equal(got.status, 200);
    assert.equal((await answer).href, receiver.address + query);
    await assert.rejects(get(receiver.port, `/callback${query}`), /ECONNREFUSED/);
  });

  it('shows a static page without data of the request, scripts or storage', async () => {
    const receiver = await open();
    const answer = receiver.answer(state);
    for (const path of ['/callback?state=x&error=<script>', `/callback${query}&x=<b>c0de</b>`]) {
      const { status, body, headers } = await get(receiver.port, path);
      assert.doesNotMatch(body, /script|c0de|<b>|http|src=|href=|url/i);
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; /);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers.location, undefined);
      if (status === 200) assert.ok(body.includes('Go back &lt;now&gt; &amp; &quot;here&quot;'));
    }
    await answer;
  });

  it('accepts an error as an answer, too', async () => {
    const receiver = await open();
    const answer = receiver.answer(state);
    const got = await get(receiver.port, `/callback?error=access_denied&state=${state}`);
    assert.equal(got.status, 200);
    assert.equal((await answer).searchParams.get('error'), 'access_denied');
  });

  const refused: Readonly<Record<string, (port: number) => Promise<Got>>> = {
    'another state': (port) => get(port, '/callback?code=c&state=other'),
    'no state': (port) => get(port, '/callback?code=c'),
    'an empty state': (port) => get(port, '/callback?code=c&state='),
    'two states': (port) => get(port, `/callback${query}&state=${state}`),
    'two codes': (port) => get(port, `/callback${query}&code=other`),
    'two issuers': (port) => get(port, `/callback${query}&iss=other`),
    'neither code nor error': (port) => get(port, `/callback?state=${state}`),
    'another path': (port) => get(port, `/callback/${query}`),
    'the path as an address': (port) => get(port, `http://127.0.0.1/callback${query}`),
    'the root': (port) => get(port, '/'),
    'an icon': (port) => get(port, '/favicon.ico'),
    'another host': (port) => get(port, `/callback${query}`, { host: `evil.example.com:${port}` }),
    'another port': (port) => get(port, `/callback${query}`, { host: '127.0.0.1:1' }),
    'a POST': (port) => get(port, `/callback${query}`, { method: 'POST' }),
    'a HEAD': (port) => get(port, `/callback${query}`, { method: 'HEAD' }),
    'a long query': (port) => get(port, `/callback${query}&x=${'x'.repeat(9_000)}`),
  };
  for (const [what, ask] of Object.entries(refused)) {
    it(`refuses ${what}, and keeps waiting`, async () => {
      const receiver = await open();
      const answer = receiver.answer(state);
      assert.equal((await ask(receiver.port)).status, 400);
      assert.equal((await get(receiver.port, `/callback${query}`)).status, 200);
      await answer;
    });
  }

  it('refuses everything until an answer is expected', async () => {
    const receiver = await open();
    assert.equal((await get(receiver.port, `/callback${query}`)).status, 400);
    assert.equal((await get(receiver.port, '/callback?code=c&state=')).status, 400);
  });

  it('drops invalid HTTP or endless headers, and keeps waiting', async () => {
    const receiver = await open();
    const answer = receiver.answer(state);
    for (const sent of ['\0\0\0 nothing\r\n\r\n', `GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}`]) {
      const socket = idle(receiver.port);
      socket.write(sent);
      await once(socket, 'close');
    }
    assert.equal((await get(receiver.port, `/callback${query}`)).status, 200);
    await answer;
  });

  it('receives the answer in a flood of other requests and idle connections', async () => {
    const receiver = await open();
    const answer = receiver.answer(state);
    const silent = Array.from({ length: 200 }, () => idle(receiver.port));
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    const flood = Array.from({ length: 500 }, (_, index) =>
      get(receiver.port, `/callback?code=x&state=${index}`).then(
        ({ status }) => status,
        () => 400,
      ),
    );
    const [first] = await Promise.all([
      get(receiver.port, `/callback${query}`).catch(() => undefined),
      ...flood,
    ]);
    // A browser tries again.
    if (first === undefined) await get(receiver.port, `/callback${query}`);
    assert.equal((await answer).searchParams.get('code'), 'c0de');
  });

  it('uses the requested port, or another if it is in use', async () => {
    const first = await open();
    const second = await open({ port: first.port });
    assert.notEqual(second.port, first.port);
    const { port } = first;
    const closed = first.answer(state);
    first.dispose();
    await assert.rejects(closed, isCancelled);
    assert.equal((await open({ port })).port, port);
  });

  it('uses the address of a tunnel if there is one, and accepts its host name', async () => {
    const external = 'https://name-4711.app.example.dev/callback';
    const receiver = await open({ externalAddress: () => Promise.resolve(external) });
    assert.equal(receiver.address, external);
    const answer = receiver.answer(state);
    const asked = await get(receiver.port, `/callback${query}`, {
      host: 'name-4711.app.example.dev',
    });
    assert.equal(asked.status, 200);
    assert.equal((await answer).href, external + query);
  });

  it('is closed if its address is unknown', async () => {
    let port = 0;
    const externalAddress = (address: string) => {
      port = Number(new URL(address).port);
      return Promise.reject(new Error('no tunnel'));
    };
    await assert.rejects(open({ externalAddress }), /no tunnel/);
    await assert.rejects(get(port, '/'), /ECONNREFUSED/);
  });

  it('ends when the user cancels, also before it began', async () => {
    for (const isEarly of [true, false]) {
      const receiver = await open();
      const source = new CancellationTokenSource();
      if (isEarly) source.cancel();
      const answer = receiver.answer(state, source.token);
      if (!isEarly) source.cancel();
      await assert.rejects(answer, isCancelled);
      await assert.rejects(get(receiver.port, `/callback${query}`), /ECONNREFUSED/);
    }
  });

  it('listens on the local host only', async () => {
    const receiver = await open();
    const socket = connect(receiver.port, '127.0.0.2');
    sockets.push(socket);
    const [error] = await once(socket, 'error');
    assert.match(String(error), /ECONNREFUSED/);
  });
});
