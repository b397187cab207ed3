import assert from 'node:assert/strict';
import { embeddedIcon, readIconImage } from '../../src/core/icons/embeddedIcon';
import { parseTool } from '../../src/core/parse/parseTool';
import type { Icon } from '../../src/core/types';

function png(width: number, height: number, ...chunks: readonly string[]): Buffer {
  const head = Buffer.alloc(33);
  head.write('\x89PNG\r\n\x1A\n', 0, 'latin1');
  head.write('IHDR', 12, 'latin1');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return Buffer.concat([head, ...chunks.map((chunk) => Buffer.from(chunk))]);
}

function webp(kind: string, fill: (view: Buffer) => void): Buffer {
  const view = Buffer.alloc(30);
  view.write('RIFF', 0, 'latin1');
  view.write(`WEBP${kind}`, 8, 'latin1');
  fill(view);
  return view;
}

const jpeg = Buffer.from('ffd8ffe000040000ffc0000b0800100020010111', 'hex');
const toData = (bytes: Uint8Array | string, type = 'image/png') =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
const small = png(16, 16);
const iconOf = (src: string, theme: 'light' | 'dark' = 'dark') => embeddedIcon([{ src }], theme);

describe('The image type of bytes', () => {
  const extended = (flags: number) =>
    webp('VP8X', (view) => {
      view[20] = flags;
      view.writeUIntLE(31, 24, 3);
      view.writeUIntLE(15, 27, 3);
    });
  const kinds: readonly (readonly [string, Uint8Array, string | undefined])[] = [
    ['PNG', png(48, 32), 'image/png 48x32'],
    ['PNG that moves', png(48, 32, 'acTL'), undefined],
    ['PNG of no width', png(0, 32), undefined],
    ['PNG that is too wide', png(1_025, 32), undefined],
    ['PNG that is cut off', png(48, 32).subarray(0, 20), undefined],
    ['JPEG', jpeg, 'image/jpeg 32x16'],
    ['JPEG that is cut off', jpeg.subarray(0, 12), undefined],
    ['WebP', webp('VP8 ', (view) => view.writeUInt32LE(0x0010_0020, 26)), 'image/webp 32x16'],
    [
      'WebP without loss',
      webp('VP8L', (view) => view.writeUInt32LE(0x3c01f, 21)),
      'image/webp 32x16',
    ],
    ['WebP, extended', extended(0), 'image/webp 32x16'],
    ['WebP that moves', extended(2), undefined],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), undefined],
    ['GIF', Buffer.from('GIF89a'.padEnd(40)), undefined],
    ['nothing', Buffer.alloc(0), undefined],
  ];
  for (const [name, bytes, expected] of kinds) {
    it(`${name}: ${expected ?? 'none'}`, () => {
      const image = readIconImage(bytes);
      const shown = image && `${image.mediaType} ${image.width}x${image.height}`;
      assert.equal(shown, expected);
    });
  }
});

describe('The icon of a server or a tool', () => {
  it('is shown as the type of its bytes, whatever the server declares', () => {
    assert.equal(iconOf(toData(small, 'image/svg+xml')), toData(small));
    assert.equal(iconOf(toData(jpeg)), toData(jpeg, 'image/jpeg'));
  });

  for (const src of [
    'https://example.com/icon.png',
    'http://example.com/icon.png',
    'file:///icon.png',
    'javascript:alert(1)',
    'command:x',
    toData('<svg><script>alert(1)</script></svg>', 'image/svg+xml'),
    'data:image/svg+xml,<svg/>',
    'data:image/png;base64,****',
    toData(Buffer.concat([small, Buffer.alloc(33 * 1024)])),
    '',
  ]) {
    it(`is omitted silently for ${src.slice(0, 40)}`, () => assert.equal(iconOf(src), undefined));
  }

  it('is the one for the theme, then the one that needs the least scaling', () => {
    const icons = [
      { src: toData(png(1, 1)), theme: 'light' },
      { src: toData(png(2, 2)), sizes: ['512x512'] },
      { src: toData(png(3, 3)), sizes: ['32x32'] },
      { src: 'https://example.com/', theme: 'dark' },
    ] as const satisfies readonly Icon[];
    assert.equal(embeddedIcon(icons, 'light'), icons[0].src);
    assert.equal(embeddedIcon(icons, 'dark'), icons[2].src);
    assert.equal(embeddedIcon(undefined, 'dark'), undefined);
  });

  it('never removes a tool from the list (R-593)', () => {
    const tool = (icons: unknown) =>
      parseTool({ name: 'a', inputSchema: { type: 'object' }, icons });
    for (const bad of [5, {}, [5], [{ src: 5 }], [{ src: 'x'.repeat(1e6) }]]) {
      const { callable, icons, problems } = tool(bad);
      assert.deepEqual([callable, icons, problems], [true, undefined, []]);
    }
    assert.deepEqual(tool([{ src: 'a', sizes: '16x16', theme: 'odd' }]).icons, [
      { src: 'a', sizes: ['16x16'] },
    ]);
  });
});
