import type { Page } from 'playwright-core';

/**
 * VS Code in a browser takes every message of its server as a Blob and reads it through the process of
 * the browser, one after the other. With this the page has their bytes at once, which spares it waits and
 * a good part of its work; what they say stays the same.
 */
const script = `{
  const Own = globalThis.WebSocket;
  globalThis.WebSocket = class WebSocket extends Own {
    constructor(...parameters) {
      super(...parameters);
      this.binaryType = 'arraybuffer';
    }
  };
  const { readAsArrayBuffer } = FileReader.prototype;
  FileReader.prototype.readAsArrayBuffer = function (source) {
    if (source instanceof Blob) return readAsArrayBuffer.call(this, source);
    this.onload({ target: { result: source } });
  };
}`;

/** Where Playwright keeps what speaks with Chromium about a page. It offers no name for it. */
const wayToClient = ['delegate', '_mainFrameSession', '_client'];

interface Client {
  readonly send: (method: 'Network.disable') => Promise<void>;
}

/**
 * Playwright has every message of a page written to it in full, for listeners that no test has: tests
 * look at what servers receive.
 */
async function keepFromPlaywright(page: Page): Promise<void> {
  const connection: { toImpl: (of: Page) => object } = Reflect.get(page, '_connection');
  const client: Client = wayToClient.reduce(
    (part, name) => Reflect.get(part, name),
    Object(connection.toImpl(page)),
  );
  await client.send('Network.disable');
}

/** Makes the messages between the page and its server cheap. Before the page is loaded. */
export async function easeMessages(page: Page): Promise<void> {
  await page.addInitScript(script);
  await keepFromPlaywright(page);
}
