import assert from 'node:assert/strict';
import {
  canonicalMediaType,
  extensionOfType,
  extensionOfUri,
  isBinaryExtension,
  isTextType,
  sniffMediaType,
} from '../../src/core/content/mediaTypes';
const bytes = (latin1: string): Uint8Array => Buffer.from(latin1, 'latin1');

describe('A media type', () => {
  const cases: readonly [string | undefined, string | undefined][] = [
    ['image/png', 'image/png'],
    ['IMAGE/PNG; q=1', 'image/png'],
    [' text/plain ;charset=utf-8', 'text/plain'],
    ['image/jpg', 'image/jpeg'],
    ['audio/x-wav', 'audio/wav'],
    ['application/vnd.api+json', 'application/vnd.api+json'],
    ['', undefined],
    ['png', undefined],
    ['image/', undefined],
    ['image/../../etc', undefined],
    [undefined, undefined],
    [`text/${'a'.repeat(1_000_000)}`, `text/${'a'.repeat(195)}`],
  ];
  for (const [given, canonical] of cases) {
    it(`${JSON.stringify(given)?.slice(0, 40) ?? 'absent'} is read as ${canonical?.slice(0, 40)}`, () => {
      assert.equal(canonicalMediaType(given), canonical);
    });
  }

  it('has the extension that editors and players know', () => {
    const types = ['audio/mpeg', 'text/markdown', 'text/x-python', 'application/ld+json'];
    const rest = ['text/odd', 'image/svg+xml', 'application/octet-stream', 'application/odd'];
    const more = ['image/jpeg', 'audio/ogg', 'application/yaml', 'text/x-rust', 'text/calendar'];
    const listed = [
      'application/vnd.ms-excel',
      'application/epub+zip',
      'image/heic',
      'constructor',
    ];
    assert.deepEqual([...more, ...listed].map(extensionOfType), [
      'jpg',
      'ogg',
      'yaml',
      'rs',
      'ics',
      'xls',
      'epub',
      'heic',
      undefined,
    ]);
    assert.deepEqual([...types, ...rest].map(extensionOfType), [
      'mp3',
      'md',
      'py',
      'json',
      'txt',
      'svg',
      'bin',
      undefined,
    ]);
  });

  it('is text by its family, its suffix or its name', () => {
    const types = ['text/odd', 'a/b+json', 'application/yaml', 'image/svg+xml', 'image/png', 'a/b'];
    assert.deepEqual(types.map(isTextType), [true, true, true, true, false, false]);
  });
});

describe('An extension', () => {
  it('is binary if its types are', () => {
    const binary = ['png', 'jpeg', 'mp3', 'mpga', 'webm', 'woff2', 'pdf', 'zip', 'xlsx', 'wasm'];
    const text = ['svg', 'ts', 'md', 'rs', 'dart', 'php', 'csv', 'json', 'unheard', 'log'];
    assert.deepEqual(
      binary.map(isBinaryExtension),
      binary.map(() => true),
    );
    assert.deepEqual(
      text.map(isBinaryExtension),
      text.map(() => false),
    );
  });
});

describe('The extension of a URI', () => {
  const cases: readonly [string, string | undefined][] = [
    ['file:///a/b.CSV', 'csv'],
    ['https://host/a.tar.gz?x=1#y', 'gz'],
    ['https://host/a?file=b.exe', undefined],
    ['note://today', undefined],
    ['file:///a/.hidden', undefined],
    ['x.code-workspace', undefined],
    [`x.${'a'.repeat(500)}`, undefined],
    ['x.a/../b', undefined],
    ['', undefined],
  ];
  for (const [uri, extension] of cases) {
    it(`of ${uri.slice(0, 40)} is ${extension}`, () => {
      assert.equal(extensionOfUri(uri), extension);
    });
  }
});

describe('The first bytes', () => {
  const cases: readonly [string, string | undefined][] = [
    ['\x89PNG\r\n\x1a\n....', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF....WEBPVP8 ', 'image/webp'],
    ['BM....\0\0\0\0', 'image/bmp'],
    ['BM is how this text begins', undefined],
    ['\0\0\0\x1cftypavif', 'image/avif'],
    ['\ufeff<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x">', undefined],
    ['<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="x">', 'image/svg+xml'],
    ['<html><svg ></svg></html>', undefined],
    ['RIFF....WAVEfmt ', 'audio/wav'],
    ['ID3\x04', 'audio/mpeg'],
    ['\xff\xfb\x90', 'audio/mpeg'],
    ['\xff\xf1\x50', 'audio/aac'],
    ['\xff\xfeT\0e\0x\0t\0', undefined],
    ['OggS', 'audio/ogg'],
    ['fLaC', 'audio/flac'],
    ['\0\0\0\x1cftypM4A ', 'audio/mp4'],
    ['\0\0\0\x1cftypisom', 'video/mp4'],
    ['\x1a\x45\xdf\xa3', 'video/webm'],
    ['%PDF-1.7', 'application/pdf'],
    ['hello', undefined],
    ['', undefined],
  ];
  for (const [head, type] of cases) {
    it(`${JSON.stringify(head)} are ${type ?? 'of no known type'}`, () => {
      assert.equal(sniffMediaType(bytes(head)), type);
    });
  }

  it('of UTF-8 with a byte order mark are skipped', () => {
    assert.equal(sniffMediaType(Buffer.from('\uFEFF<svg >')), 'image/svg+xml');
  });
});
