import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { SignInRetry } from '../../src/core/http/authorizedExchange';
import { HttpLink } from '../../src/core/http/httpLink';
import { HttpServer } from '../servers/httpServer';
import { RecordingLog } from './wire';

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('Waits of a stream for messages of the server', () => {
  it('for the next use of the server leave no listener', async () => {
    const server = await HttpServer.start((_request, response) => void response.end());
    const { link, closing } = linkTo(server.url);
    try {
      for (let round = 0; round < 5; round += 1) {
        const waiting = link.waitForUse(1);
        // The delay of the first wait is over before that of the second.
        await link.wait(1);
        const exchange = link.open({ method: 'POST', headers: {}, isRepeatable: true });
        (await exchange.answer).message.destroy();
        link.release(exchange);
        await waiting;
      }
      assert.equal(listenersOf(closing), 0);
    } finally {
      link.close();
      await server.stop();
    }
  });

  it('for the next use of the server end when the connection is closed', async () => {
    const { link, closing } = linkTo('http://127.0.0.1:9/mcp');
    const waiting = link.waitForUse(0);
    link.close();
    await assert.rejects(waiting, { code: 'cancelled' });
    assert.equal(listenersOf(closing), 0);
  });

  it('for a sign-in leave no listener', async () => {
    const retry = new SignInRetry();
    const { signal } = new AbortController();
    for (let round = 0; round < 5; round += 1) {
      retry.streamRefused({ Authorization: `token ${round}` });
      const waiting = retry.next(signal);
      retry.taken({ Authorization: `token ${round + 1}` });
      await waiting;
    }
    assert.equal(listenersOf(signal), 0);
  });
});

/** A link, and the signal that it aborts when it is closed. */
function linkTo(url: string): { readonly link: HttpLink; readonly closing: AbortSignal } {
  const real = globalThis.AbortController;
  const made: AbortController[] = [];
  globalThis.AbortController = class extends real {
    constructor() {
      super();
      made.push(this);
    }
  };
  try {
    const link = new HttpLink(url, {}, new RecordingLog());
    const [closing] = made;
    assert.ok(closing !== undefined);
    return { link, closing: closing.signal };
  } finally {
    globalThis.AbortController = real;
  }
}
