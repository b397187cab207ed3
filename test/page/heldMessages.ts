import type { Page } from 'playwright-core';

/** Every message comes through this method (test/vscode/sockets.ts). */
const scriptFor = (texts: readonly string[]) => `{
  const { readAsArrayBuffer } = FileReader.prototype;
  const held = [];
  let holding;
  FileReader.prototype.readAsArrayBuffer = function (source) {
    const text = source instanceof Blob ? '' : new TextDecoder('latin1').decode(source);
    if (${JSON.stringify(texts)}.every((each) => text.includes(each))) holding ??= this;
    if (holding === this) held.push(() => readAsArrayBuffer.call(this, source));
    else readAsArrayBuffer.call(this, source);
  };
  globalThis.heldMessages = held;
  globalThis.releaseMessages = () => {
    FileReader.prototype.readAsArrayBuffer = readAsArrayBuffer;
    for (const read of held) read();
  };
}`;

/**
 * Holds back what the extension host says, from the first message on that contains all of these
 * texts, as a busy page does. What the page says still arrives.
 */
export async function holdMessages(page: Page, texts: readonly string[]) {
  await page.evaluate(scriptFor(texts));
  return {
    /** Resolves when the first message is held. */
    begun: () => page.waitForFunction('heldMessages.length > 0'),
    release: () => page.evaluate('releaseMessages()'),
  };
}
