import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Exchange, Exchanging } from './oddExchanges';

const encodings = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};

function writeEncoded(response: ServerResponse, name: string, encode: (text: string) => Buffer) {
  response.setHeader('Content-Encoding', name);
  let said = '';
  Reflect.set(response, 'write', (text: unknown) => {
    said += String(text);
    return true;
  });
  const end = response.end.bind(response);
  Reflect.set(response, 'end', (text: unknown = '') => end(encode(said + String(text))));
}

/** Answers that are compressed though nobody asked for it. */
export const encoded: readonly Exchanging[] = Object.entries(encodings).map(([name, encode]) => ({
  name: `answers in ${name}, unasked`,
  only: (place) => place.startsWith('HTTP '),
  make: () => (exchange: Exchange) => {
    if (exchange.answer === undefined) return false;
    writeEncoded(exchange.response, name, encode);
    exchange.usual();
    return true;
  },
}));
