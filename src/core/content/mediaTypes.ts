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
  if (binaryExtensions.has(extension)) return true;
  const own = [...ownExtensions].flatMap(([type, each]) => (each === extension ? [type] : []));
  const others = Object.keys(mimeDatabase).filter((type) =>
    databaseExtensions(type).includes(extension),
  );
  const types = [...own, ...others];
  return types.length > 0 && types.every((type) => isMedia(type) && !isTextType(type));
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
