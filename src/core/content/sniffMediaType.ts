/**
 * Detects the canonical type from the first bytes, at most 4 KiB: the pictures, sounds and videos
 * that VS Code shows, and a few more.
 */
export function sniffMediaType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, sniffedBytes));
  return signatures.find(({ matches }) => matches(head))?.type;
}

/** The number of bytes that are read at most. */
export const sniffedBytes = 4_096;

/** True if {@link sniffMediaType} can detect this canonical type. */
export function hasSignature(type: string): boolean {
  return signatures.some((signature) => isSameMedia(signature.type, type));
}

/** True if two canonical types count as the same. MP4 and WebM may hold sound or video. */
export function isSameMedia(a: string, b: string): boolean {
  return a === b || (containerOf(a) !== undefined && containerOf(a) === containerOf(b));
}

function containerOf(type: string): string | undefined {
  return /^(?:audio|video)\/(mp4|webm|ogg)$/.exec(type)?.[1];
}

/**
 * Matches an MPEG audio frame: eight set bits, those of `mask`, and one of the layers in bits 1 and
 * 2.
 */
function isFrame(mask: number, layers: readonly number[]): (head: Buffer) => boolean {
  return ([first, second = 0]) =>
    first === 0xff && (second & mask) === mask && layers.includes((second >> 1) & 3);
}

interface Signature {
  readonly type: string;
  readonly matches: (head: Buffer) => boolean;
}

const startsWith =
  (prefix: string, offset = 0) =>
  (head: Buffer): boolean =>
    head.toString('latin1', offset, offset + prefix.length) === prefix;

const signatures: readonly Signature[] = [
  { type: 'image/png', matches: startsWith('\x89PNG\r\n\x1a\n') },
  { type: 'image/jpeg', matches: startsWith('\xff\xd8\xff') },
  { type: 'image/gif', matches: (head) => /^GIF8[79]a/.test(head.toString('latin1', 0, 6)) },
  {
    type: 'image/webp',
    matches: (head) => startsWith('RIFF')(head) && startsWith('WEBP', 8)(head),
  },
  {
    type: 'image/bmp',
    matches: (head) => startsWith('BM')(head) && startsWith('\0\0\0\0', 6)(head),
  },
  { type: 'image/x-icon', matches: startsWith('\0\0\x01\0') },
  {
    type: 'image/avif',
    matches: (head) => /^ftypavi[fs]/.test(head.toString('latin1', 4, 12)),
  },
  { type: 'image/svg+xml', matches: isSvg },
  { type: 'audio/wav', matches: (head) => startsWith('RIFF')(head) && startsWith('WAVE', 8)(head) },
  { type: 'audio/mpeg', matches: startsWith('ID3') },
  { type: 'audio/ogg', matches: startsWith('OggS') },
  { type: 'audio/flac', matches: startsWith('fLaC') },
  // Layers III and II are MPEG audio and none is AAC. Layer I is excluded because it looks like the
  // byte order mark of UTF-16.
  { type: 'audio/mpeg', matches: isFrame(0xe0, [1, 2]) },
  { type: 'audio/aac', matches: isFrame(0xf0, [0]) },
  { type: 'audio/mp4', matches: startsWith('ftypM4', 4) },
  { type: 'video/mp4', matches: startsWith('ftyp', 4) },
  { type: 'video/webm', matches: startsWith('\x1a\x45\xdf\xa3') },
  { type: 'application/pdf', matches: startsWith('%PDF-') },
];

function isSvg(head: Buffer): boolean {
  const text = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  return text.startsWith('<') && /<svg[\s>]/.test(text) && !/<html[\s>]/i.test(text);
}
