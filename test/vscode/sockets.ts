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

/** Before the page is loaded. */
export async function readSocketsAtOnce(page: Page): Promise<void> {
  await page.addInitScript(script);
}
