import mimeDatabase from 'mime-db';

/**
 * Returns `type/subtype` in lower case, without parameters and with aliases resolved. Returns
 * `undefined` if it is malformed.
 */
export function canonicalMediaType(mimeType: string | undefined): string | undefined {
  const essence =
    mimeType?.slice(0, maxMediaTypeChars).split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!/^[a-z]+\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(essence)) return undefined;
  return aliases.get(essence) ?? essence;
}

const maxMediaTypeChars = 200;

/** Returns the extension of a canonical type, without the dot. */
export function extensionOfType(type: string): string | undefined {
  // Checked before the type's own extension, which editors often do not know.
  const suffix = /\+(json|xml|yaml)$/.exec(type)?.[1];
  const known = ownExtensions.get(type) ?? suffix ?? databaseExtensions(type)[0];
  return known ?? (type.startsWith('text/') ? 'txt' : undefined);
}

/** Returns the extension at the end of a URI's path if it is short and alphanumeric. */
export function extensionOfUri(uri: string): string | undefined {
  return /[^/\\:]\.([A-Za-z0-9]{1,10})$/.exec(pathOfUri(uri))?.[1]?.toLowerCase();
}

/** Removes query and fragment, and cuts a very long URI. */
export function pathOfUri(uri: string): string {
  return uri.slice(0, maxUriChars).split(/[?#]/, 1)[0] ?? '';
}

const maxUriChars = 4_000;

/** True if bytes of this canonical type are text for an editor. */
export function isTextType(type: string): boolean {
  return /^text\/|\+(?:json|xml|yaml)$/.test(type) || textTypes.test(type);
}

const textTypes =
  /^application\/(?:(?:x-)?(?:json|jsonlines|jsonl|ndjson|javascript|typescript|xml|yaml|toml|sql|graphql|sh|httpd-php)|x-python-code)$/;

/** True if files with this extension are known to be binary. */
export function isBinaryExtension(extension: string): boolean {
  return binaryExtensions.has(extension) || mediaExtensions.has(extension);
}

/** Returns the extensions that only types of binary media have. */
function findMediaExtensions(): ReadonlySet<string> {
  const media = new Set<string>();
  const others = new Set<string>();
  const add = (type: string, extension: string) =>
    (isMedia(type) && !isTextType(type) ? media : others).add(extension);
  for (const [type, extension] of ownExtensions) add(type, extension);
  for (const type of Object.keys(mimeDatabase)) {
    for (const extension of databaseExtensions(type)) add(type, extension);
  }
  for (const extension of others) media.delete(extension);
  return media;
}

function isMedia(type: string): boolean {
  return /^(?:image|audio|video|font)\//.test(type);
}

function databaseExtensions(type: string): readonly string[] {
  return (Object.hasOwn(mimeDatabase, type) && mimeDatabase[type]?.extensions) || [];
}

/** Archives, documents and programs, whose type names do not tell that they are binary. */
const binaryExtensions: ReadonlySet<string> = new Set(
  '7z bin bz2 class dll doc docx epub exe gz jar pdf ppt pptx pyc rar so tar wasm xls xlsx zip'.split(
    ' ',
  ),
);

/** Maps the type names of servers to the usual ones, by which the bytes are checked. */
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'image/jpeg': ['image/jpg', 'image/pjpeg'],
    'image/png': ['image/x-png'],
    'image/bmp': ['image/x-ms-bmp'],
    'image/x-icon': ['image/vnd.microsoft.icon'],
    'image/svg+xml': ['image/svg'],
    'audio/mpeg': ['audio/mp3', 'audio/x-mpeg'],
    'audio/wav': ['audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
    'audio/flac': ['audio/x-flac'],
    'audio/aac': ['audio/aacp', 'audio/x-aac'],
    'audio/mp4': ['audio/m4a', 'audio/x-m4a'],
    'audio/ogg': ['audio/opus', 'audio/vorbis', 'application/ogg'],
    'application/json': ['text/json'],
    'application/zip': ['application/x-zip-compressed'],
    'application/gzip': ['application/x-gzip'],
  }).flatMap(([usual, others]) => others.map((other) => [other, usual] as const)),
);

/** Overrides for types that the database lacks, or whose extension VS Code does not know. */
const ownExtensions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    mp3: ['audio/mpeg'],
    ogg: ['audio/ogg'],
    flac: ['audio/flac'],
    aac: ['audio/aac'],
    webm: ['audio/webm'],
    yaml: ['application/yaml', 'application/x-yaml', 'text/x-yaml'],
    jsonl: ['application/x-ndjson', 'application/jsonlines', 'application/jsonl'],
    graphql: ['application/graphql'],
    svg: ['image/svg+xml'],
    ipynb: ['application/x-ipynb+json'],
    js: ['application/x-javascript'],
    ts: ['text/typescript', 'text/x-typescript', 'application/typescript'],
    py: ['text/python', 'text/x-python', 'application/x-python-code'],
    rs: ['text/rust', 'text/x-rust'],
    sh: ['text/x-sh', 'text/x-shellscript'],
    cpp: ['text/x-c++'],
    cs: ['text/x-csharp'],
    java: ['text/x-java'],
    go: ['text/x-go'],
    rb: ['text/x-ruby'],
    php: ['text/x-php'],
    diff: ['text/x-diff', 'text/x-patch'],
    log: ['text/x-log'],
    md: ['text/x-markdown'],
    toml: ['text/x-toml'],
    sql: ['text/x-sql'],
  }).flatMap(([extension, types]) => types.map((type) => [type, extension] as const)),
);

/**
 * Detects the canonical type from the first bytes, at most 4 KiB: the images, audio and video
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

/** True if two canonical types count as the same. MP4 and WebM may hold audio or video. */
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

const mediaExtensions = findMediaExtensions();
