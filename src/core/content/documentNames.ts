/**
 * The languages in which a server's texts are shown. Editors, language services and previews choose
 * what to act on by extension and language, so documents of servers have only extensions and
 * languages of ours, which provide colors and nothing else. Each row has the language whose colors
 * are used, then the extensions of its files, the usual one first.
 */
const textKinds = {
  text: 'txt',
  json: 'json jsonc json5 ipynb geojson topojson map har webmanifest code-workspace',
  jsonl: 'jsonl ndjson',
  markdown: 'md markdown mdx mkd',
  html: 'html htm xhtml vue svelte',
  xml: 'xml svg xsd xsl xslt rss atom plist xul wsdl rdf',
  css: 'css',
  scss: 'scss sass',
  less: 'less',
  javascript: 'js mjs cjs',
  javascriptreact: 'jsx',
  typescript: 'ts mts cts',
  typescriptreact: 'tsx',
  python: 'py pyw pyi',
  ruby: 'rb gemspec rake',
  php: 'php phtml',
  go: 'go',
  rust: 'rs',
  java: 'java',
  groovy: 'groovy gradle',
  c: 'c h',
  cpp: 'cpp cc cxx hpp hh hxx',
  csharp: 'cs csx',
  fsharp: 'fs fsx fsi',
  vb: 'vb bas',
  swift: 'swift',
  dart: 'dart',
  lua: 'lua',
  perl: 'pl pm',
  r: 'r',
  julia: 'jl',
  clojure: 'clj cljs cljc edn',
  coffeescript: 'coffee',
  shellscript: 'sh bash zsh ksh',
  powershell: 'ps1 psm1 psd1',
  bat: 'bat cmd',
  sql: 'sql',
  yaml: 'yaml yml',
  ini: 'ini toml cfg conf properties url',
  diff: 'diff patch',
  log: 'log',
  latex: 'tex',
  restructuredtext: 'rst',
  dockerfile: 'dockerfile',
  makefile: 'mk mak',
} as const;

export type TextKind = keyof typeof textKinds;

export const allTextKinds: readonly TextKind[] = Object.keys(textKinds).filter(isTextKind);

function isTextKind(name: string): name is TextKind {
  return Object.hasOwn(textKinds, name);
}

const kindsByExtension: ReadonlyMap<string, TextKind> = new Map(
  allTextKinds.flatMap((kind) => textKinds[kind].split(' ').map((each) => [each, kind] as const)),
);

/** The extension of documents of this kind, without the dot. The manifest lists it too. */
export function documentExtension(kind: TextKind): string {
  return `mcp${textKinds[kind].split(' ', 1)[0] ?? ''}`;
}

/** The language of documents of this kind. The manifest lists it too. */
export function documentLanguage(kind: TextKind): string {
  return `toolgate-${kind}`;
}

/** Returns the kind of a text by the extension of its file. Unknown extensions are plain text. */
function textKindOf(extension: string): TextKind {
  return kindsByExtension.get(extension.toLowerCase()) ?? 'text';
}

/** One of VS Code's own previews. */
export type Viewer = 'image' | 'audio' | 'video';

interface Media {
  readonly viewer: Viewer;
  readonly extension: string;
}

/** The types that VS Code's previews show, as detected in the bytes. SVG counts as text. */
const media: Readonly<Record<string, Media>> = {
  'image/png': { viewer: 'image', extension: 'png' },
  'image/jpeg': { viewer: 'image', extension: 'jpg' },
  'image/gif': { viewer: 'image', extension: 'gif' },
  'image/webp': { viewer: 'image', extension: 'webp' },
  'image/bmp': { viewer: 'image', extension: 'bmp' },
  'image/x-icon': { viewer: 'image', extension: 'ico' },
  'image/avif': { viewer: 'image', extension: 'avif' },
  'audio/mpeg': { viewer: 'audio', extension: 'mp3' },
  'audio/wav': { viewer: 'audio', extension: 'wav' },
  'audio/ogg': { viewer: 'audio', extension: 'ogg' },
  'video/mp4': { viewer: 'video', extension: 'mp4' },
  'video/webm': { viewer: 'video', extension: 'webm' },
};

/** Returns the preview for bytes of this detected type, or `undefined` if none shows it. */
export function viewerOf(sniffedType: string | undefined): Viewer | undefined {
  return mediaOf(sniffedType)?.viewer;
}

function mediaOf(type: string | undefined): Media | undefined {
  return type !== undefined && Object.hasOwn(media, type) ? media[type] : undefined;
}

/** Returns the media type of a document that a preview shows, by its name. */
export function mediaTypeOfDocument(name: string): string | undefined {
  const extension = name.split('.').at(-1);
  return Object.keys(media).find((type) => media[type]?.extension === extension);
}

/** Returns the extensions of documents that this preview shows. */
export function viewedExtensions(viewer: Viewer): readonly string[] {
  return Object.values(media).flatMap((each) => (each.viewer === viewer ? [each.extension] : []));
}

/** For bytes that are neither text nor shown by a preview. */
const otherExtension = 'mcpbin';
/** For overviews, so that their links and lenses apply to no other document. */
export const overviewExtension = 'mcpresult';

/** For documents with our own sentences. Also the name of their language. */
const sentencesExtension = 'mcptext';
/** For tables that we make, whose lines are not wrapped. Also the name of their language. */
export const tableExtension = 'mcptable';

/** The kind of content of a document. */
export type DocumentContent =
  | { readonly kind: 'text'; readonly extension: string }
  /** Not text. `sniffedType` is the type detected in the bytes, if any. */
  | { readonly kind: 'bytes'; readonly sniffedType: string | undefined };

/**
 * Builds the name of a document: one path segment with an extension of the closed list and no other
 * dot.
 * @param fallback Used if nothing of the name is left.
 */
export function documentName(stem: string, fallback: string, content: DocumentContent): string {
  const extension =
    content.kind === 'text'
      ? documentExtension(textKindOf(content.extension))
      : (mediaOf(content.sniffedType)?.extension ?? otherExtension);
  return `${documentStem(stem, fallback)}.${extension}`;
}

/** Builds the name of an overview of a result. */
export function overviewName(stem: string): string {
  return `${documentStem(stem, 'result')}.${overviewExtension}`;
}

/** Builds the name of a document with our own sentences. */
export function sentencesName(stem: string, fallback: string): string {
  return `${documentStem(stem, fallback)}.${sentencesExtension}`;
}

/** Returns the document name of the table. */
export function tableName(stem: string, fallback: string): string {
  return `${documentStem(stem, fallback)}.${tableExtension}`;
}

/** True for a name that {@link tableName} can return. */
export function isTableName(name: string): boolean {
  return name.endsWith(`.${tableExtension}`);
}

function documentStem(stem: string, fallback: string): string {
  return toPathSegment(stem, fallback).replaceAll('.', '-');
}

const documentEnds: ReadonlyMap<string, string> = new Map<string, string>([
  ...allTextKinds.map((kind) => [documentExtension(kind), documentLanguage(kind)] as const),
  ...Object.values(media).map(({ extension }) => [extension, documentLanguage('text')] as const),
  [otherExtension, documentLanguage('text')],
  [overviewExtension, overviewExtension],
  [sentencesExtension, sentencesExtension],
  [tableExtension, tableExtension],
]);

/** True for the name of the overview of a result. */
export function isOverviewName(name: string): boolean {
  return name.endsWith(`.${overviewExtension}`);
}

/** True for a name that the functions above can return. No other name is served as a document. */
export function isDocumentName(name: string): boolean {
  return languageOfDocument(name) !== undefined;
}

/** Returns the language of a document that is shown as text, or `undefined` if it is not one. */
export function languageOfDocument(name: string): string | undefined {
  const parts = name.split('.');
  return parts.length === 2 && parts[0] !== '' ? documentEnds.get(parts[1] ?? '') : undefined;
}

/** Longer names break breadcrumbs, and some systems cannot save them. */
const maxSegmentChars = 80;

/**
 * Converts a name from outside into a path segment that every system can save: no separators, no
 * `..`, no invisible or control characters, no reserved Windows name, at most 80 characters.
 * Different names may give the same segment.
 * @param fallback Used if nothing of the name is left.
 */
export function toPathSegment(name: string, fallback: string): string {
  const visible = name
    .slice(0, maxSegmentChars * 4)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+/gu, '')
    .replaceAll(/[/\\:*?"<>|%#]+/g, '-')
    .replaceAll(/\s+/g, ' ');
  // Does not cut within a surrogate pair.
  const bounded = visible.slice(0, maxSegmentChars).replace(/[\uD800-\uDBFF]$/, '');
  const segment = bounded.replace(/^[\s.-]+/, '').replace(/[\s.-]+$/, '');
  if (segment === '') return fallback;
  return /^(con|prn|aux|nul|con(in|out)\$|(com|lpt)[\d¹²³])(\.|$)/i.test(segment)
    ? `_${segment}`
    : segment;
}
