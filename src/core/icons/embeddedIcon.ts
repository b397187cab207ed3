import type { Icon } from '../types';
const dataPattern = /^data:[^,;]*(?:;[^,;]*)*;base64,([A-Za-z0-9+/]+={0,2})$/i;

/** In bytes. More than an icon needs, and small enough for a tooltip. */
const maxIconBytes = 32 * 1024;

/**
 * Returns the best icon for a theme as a `data:` URI with the type that its bytes show, whatever
 * the server declared. Only embedded icons are used: nothing is fetched.
 * Invalid icons are left out.
 */
export function embeddedIcon(
  icons: readonly Icon[] | undefined,
  theme: 'light' | 'dark',
): string | undefined {
  for (const { src } of orderedIcons(icons, theme)) {
    const bytes = bytesOf(src);
    const image = bytes && bytes.length <= maxIconBytes ? readIconImage(bytes) : undefined;
    if (bytes && image)
      return `data:${image.mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
  }
  return undefined;
}

function bytesOf(src: string): Uint8Array | undefined {
  if (src.length > maxIconBytes * 2) return undefined;
  const [, base64] = dataPattern.exec(src.trim()) ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

/** Sorts the icons for this theme: theme-specific before general, small before large. */
function orderedIcons(
  icons: readonly Icon[] | undefined,
  theme: 'light' | 'dark',
): readonly Icon[] {
  const fitting = (icons ?? []).filter((icon) => (icon.theme ?? theme) === theme);
  return fitting.toSorted((one, other) => rank(one) - rank(other));
}

function rank({ theme, sizes }: Icon): number {
  const side = Number(/^(\d{1,4})x/.exec(sizes?.[0] ?? '')?.[1] ?? 48);
  return (theme === undefined ? 10_000 : 0) + Math.abs(side - 32);
}

/** An icon's type and size, read from its bytes. */
interface IconImage {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** Larger images are not icons, and would slow down the window. */
const maxPixels = 1_024;

/**
 * Recognizes images that may be displayed: PNG, JPEG or WebP of at most 1,024 pixels a side without
 * animation. Refuses all others, including SVG, which can contain scripts.
 */
export function readIconImage(bytes: Uint8Array): IconImage | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const image = readPng(view) ?? readJpeg(view) ?? readWebp(view);
  if (image === undefined) return undefined;
  const { width, height } = image;
  return isInBounds(width) && isInBounds(height) ? image : undefined;
}

function isInBounds(side: number): boolean {
  return side > 0 && side <= maxPixels;
}

function readPng(view: Buffer): IconImage | undefined {
  if (view.length < 33 || view.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1A\n') return undefined;
  if (view.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  // Only animated images have this chunk.
  if (view.includes('acTL')) return undefined;
  return {
    mediaType: 'image/png',
    width: view.readUInt32BE(16),
    height: view.readUInt32BE(20),
  };
}

function readJpeg(view: Buffer): IconImage | undefined {
  if (view.length < 4 || view.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 <= view.length && view[at] === 0xff) {
    const marker = view[at + 1] ?? 0;
    // Start-of-frame markers, without the tables that share their range.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      const height = view.readUInt16BE(at + 5);
      return { mediaType: 'image/jpeg', width: view.readUInt16BE(at + 7), height };
    }
    at += 2 + view.readUInt16BE(at + 2);
  }
  return undefined;
}

function readWebp(view: Buffer): IconImage | undefined {
  const text = (start: number, end: number): string => view.toString('latin1', start, end);
  if (view.length < 30 || text(0, 4) !== 'RIFF' || text(8, 12) !== 'WEBP') return undefined;
  const mediaType = 'image/webp';
  switch (text(12, 16)) {
    case 'VP8 ':
      return {
        mediaType,
        width: view.readUInt16LE(26) & 0x3fff,
        height: view.readUInt16LE(28) & 0x3fff,
      };
    case 'VP8L': {
      const bits = view.readUInt32LE(21);
      return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8X': {
      const moves = ((view[20] ?? 0) & 0x02) !== 0;
      const width = view.readUIntLE(24, 3) + 1;
      return moves ? undefined : { mediaType, width, height: view.readUIntLE(27, 3) + 1 };
    }
    default:
      return undefined;
  }
}
