/**
 * Which file extension makes an editor show bytes of some media type well, and what the bytes
 * themselves say they are. A table of our own, because general ones prefer extensions that
 * VS Code's editors and players do not know (`mpga`, `weba`, `mkd`) and lack those of source code.
 */

/** `type/subtype` in lower case under its usual name, without parameters; `undefined` if it is none. */
export function canonicalMediaType(mimeType: string | undefined): string | undefined {
  const essence =
    mimeType?.slice(0, maxMediaTypeChars).split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!/^[a-z]+\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(essence)) return undefined;
  return aliases.get(essence) ?? essence;
}

const maxMediaTypeChars = 200;

/** The extension for a canonical type, without its dot. */
export function extensionOfType(type: string): string | undefined {
  const known = extensions.get(type);
  if (known !== undefined) return known;
  if (type.endsWith('+json')) return 'json';
  if (type.endsWith('+xml')) return 'xml';
  if (type.endsWith('+yaml')) return 'yaml';
  return type.startsWith('text/') ? 'txt' : undefined;
}

/** The extension at the end of a URI's path, if it is a plain short one. */
export function extensionOfUri(uri: string): string | undefined {
  const path = uri.slice(0, maxUriChars).split(/[?#]/, 1)[0] ?? '';
  return /[^/\\:]\.([A-Za-z0-9]{1,10})$/.exec(path)?.[1]?.toLowerCase();
}

const maxUriChars = 4_000;

/** Whether bytes of this canonical type are text for an editor. */
export function isTextType(type: string): boolean {
  return type.startsWith('text/') || /\+(json|xml|yaml)$/.test(type) || textTypes.has(type);
}

/** Whether files of this extension are known to be no text. */
export function isBinaryExtension(extension: string): boolean {
  return binaryExtensions.has(extension);
}

/**
 * The canonical type that the first bytes declare, of those that VS Code shows as pictures, sound
 * or video, and a few more; looks at 4 KiB at most.
 */
export function sniffMediaType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, sniffedBytes));
  return signatures.find(({ matches }) => matches(head))?.type;
}

const sniffedBytes = 4_096;

/** Whether {@link sniffMediaType} would recognise bytes of this canonical type. */
export function hasSignature(type: string): boolean {
  return signatures.some((signature) => isSameMedia(signature.type, type));
}

/** Whether two canonical types are one for whoever shows them; MP4 and WebM hold sound or pictures. */
export function isSameMedia(a: string, b: string): boolean {
  return a === b || (containerOf(a) !== undefined && containerOf(a) === containerOf(b));
}

function containerOf(type: string): string | undefined {
  return /^(?:audio|video)\/(mp4|webm|ogg)$/.exec(type)?.[1];
}

/** A frame of sound: eight set bits, those of `mask`, and one of the layers in bits 1 and 2. */
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
  // Layers III and II are MPEG audio, none is AAC; layer I would be the byte order mark of UTF-16.
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

/** Names that servers use for what has a more usual one. */
const aliases = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['image/x-ms-bmp', 'image/bmp'],
  ['image/vnd.microsoft.icon', 'image/x-icon'],
  ['image/svg', 'image/svg+xml'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/x-mpeg', 'audio/mpeg'],
  ['audio/x-wav', 'audio/wav'],
  ['audio/wave', 'audio/wav'],
  ['audio/vnd.wave', 'audio/wav'],
  ['audio/x-flac', 'audio/flac'],
  ['audio/aacp', 'audio/aac'],
  ['audio/x-aac', 'audio/aac'],
  ['audio/m4a', 'audio/mp4'],
  ['audio/x-m4a', 'audio/mp4'],
  ['audio/opus', 'audio/ogg'],
  ['audio/vorbis', 'audio/ogg'],
  ['application/ogg', 'audio/ogg'],
  ['text/json', 'application/json'],
  ['text/xml', 'application/xml'],
  ['text/yaml', 'application/yaml'],
  ['text/x-yaml', 'application/yaml'],
  ['application/x-yaml', 'application/yaml'],
  ['text/x-markdown', 'text/markdown'],
  ['application/javascript', 'text/javascript'],
  ['application/x-javascript', 'text/javascript'],
  ['application/typescript', 'text/x-typescript'],
  ['text/typescript', 'text/x-typescript'],
  ['application/x-python-code', 'text/x-python'],
  ['text/python', 'text/x-python'],
  ['application/x-sh', 'text/x-shellscript'],
  ['text/x-sh', 'text/x-shellscript'],
  ['text/rust', 'text/x-rust'],
  ['text/x-java-source', 'text/x-java'],
  ['text/x-patch', 'text/x-diff'],
  ['text/x-toml', 'application/toml'],
  ['text/x-sql', 'application/sql'],
  ['application/jsonlines', 'application/x-ndjson'],
  ['application/jsonl', 'application/x-ndjson'],
  ['application/x-zip-compressed', 'application/zip'],
  ['application/x-gzip', 'application/gzip'],
]);

const textExtensions: readonly (readonly [string, string])[] = [
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['text/html', 'html'],
  ['text/css', 'css'],
  ['text/csv', 'csv'],
  ['text/tab-separated-values', 'tsv'],
  ['text/javascript', 'js'],
  ['text/x-typescript', 'ts'],
  ['text/x-python', 'py'],
  ['text/x-shellscript', 'sh'],
  ['text/x-c', 'c'],
  ['text/x-c++', 'cpp'],
  ['text/x-csharp', 'cs'],
  ['text/x-java', 'java'],
  ['text/x-go', 'go'],
  ['text/x-rust', 'rs'],
  ['text/x-ruby', 'rb'],
  ['text/x-php', 'php'],
  ['text/x-diff', 'diff'],
  ['text/x-log', 'log'],
  ['text/calendar', 'ics'],
  ['application/json', 'json'],
  ['application/x-ndjson', 'jsonl'],
  ['application/xml', 'xml'],
  ['application/yaml', 'yaml'],
  ['application/toml', 'toml'],
  ['application/sql', 'sql'],
  ['application/graphql', 'graphql'],
  ['application/x-ipynb+json', 'ipynb'],
  ['image/svg+xml', 'svg'],
];

const binaryTypes: readonly (readonly [string, string])[] = [
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['image/bmp', 'bmp'],
  ['image/avif', 'avif'],
  ['image/x-icon', 'ico'],
  ['image/tiff', 'tiff'],
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/ogg', 'ogg'],
  ['audio/flac', 'flac'],
  ['audio/aac', 'aac'],
  ['audio/mp4', 'm4a'],
  ['audio/webm', 'webm'],
  ['video/mp4', 'mp4'],
  ['video/webm', 'webm'],
  ['video/ogg', 'ogv'],
  ['application/pdf', 'pdf'],
  ['application/zip', 'zip'],
  ['application/gzip', 'gz'],
  ['application/x-tar', 'tar'],
  ['application/wasm', 'wasm'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
  ['application/octet-stream', 'bin'],
];

const extensions = new Map([...textExtensions, ...binaryTypes]);
const textTypes = new Set(textExtensions.map(([type]) => type));
const binaryExtensions = new Set([...binaryTypes.map(([, extension]) => extension), 'jpeg', 'oga']);
