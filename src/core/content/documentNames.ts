import { toPathSegment } from './pathSegment';

/**
 * What the text of a server is shown as. Editors, language services and previews of VS Code and of
 * other extensions choose what they act on by the ends of names and by languages, so documents of
 * servers have only ends and languages of ours: colours, and nothing else. Each row: the language
 * whose colours it has, then the extensions of files that are text of it, the usual one first.
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

/** What the names of documents of this kind end with, without the dot; the manifest has it, too. */
export function documentExtension(kind: TextKind): string {
  return `mcp${textKinds[kind].split(' ', 1)[0] ?? ''}`;
}

/** The language of documents of this kind; the manifest has it, too. */
export function documentLanguage(kind: TextKind): string {
  return `toolgate-${kind}`;
}

/** The kind of a text by the extension that it would have as a file; what is not known is plain. */
function textKindOf(extension: string): TextKind {
  return kindsByExtension.get(extension.toLowerCase()) ?? 'text';
}

/** Which of VS Code's own previews shows it. */
export type Viewer = 'image' | 'audio' | 'video';

interface Media {
  readonly viewer: Viewer;
  readonly extension: string;
}

/** What VS Code's own previews show, by the type that was found in the bytes; SVG is text. */
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

/** How bytes of this type, which was found in them, are shown; `undefined`: not at all. */
export function viewerOf(sniffedType: string | undefined): Viewer | undefined {
  return mediaOf(sniffedType)?.viewer;
}

function mediaOf(type: string | undefined): Media | undefined {
  return type !== undefined && Object.hasOwn(media, type) ? media[type] : undefined;
}

/** The extensions of documents that the viewer shows. */
export function viewedExtensions(viewer: Viewer): readonly string[] {
  return Object.values(media).flatMap((each) => (each.viewer === viewer ? [each.extension] : []));
}

/** What the name of a document ends with whose bytes are neither text nor shown by a preview. */
const otherExtension = 'mcpbin';
/** Of overviews, so that their links and lenses come to them only. */
export const overviewExtension = 'mcpresult';

/** Of documents of our own sentences; they are in the language of this name, too. */
const sentencesExtension = 'mcptext';
/** Of tables of our own making, whose lines are not wrapped; they are in the language of this name, too. */
export const tableExtension = 'mcptable';

/** What the content of a document is. */
export type DocumentContent =
  | { readonly kind: 'text'; readonly extension: string }
  /** Not text; with the type that was found in the bytes, if one was. */
  | { readonly kind: 'bytes'; readonly sniffedType: string | undefined };

/**
 * The name of a document: one segment of a path that ends with an extension of the closed list, and
 * has no other dot. `fallback` stands for a name of which nothing is left.
 */
export function documentName(stem: string, fallback: string, content: DocumentContent): string {
  const extension =
    content.kind === 'text'
      ? documentExtension(textKindOf(content.extension))
      : (mediaOf(content.sniffedType)?.extension ?? otherExtension);
  return `${documentStem(stem, fallback)}.${extension}`;
}

/** The same for the overview of a result. */
export function overviewName(stem: string): string {
  return `${documentStem(stem, 'result')}.${overviewExtension}`;
}

/** The same for a document of our own sentences. */
export function sentencesName(stem: string, fallback: string): string {
  return `${documentStem(stem, fallback)}.${sentencesExtension}`;
}

/** The same for a table of our own making. */
export function tableName(stem: string, fallback: string): string {
  return `${documentStem(stem, fallback)}.${tableExtension}`;
}

/** Whether it is the name of such a table. */
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

/** Whether {@link documentName} could have given this name: nothing else is served as a document. */
export function isDocumentName(name: string): boolean {
  return languageOfDocument(name) !== undefined;
}

/** The language of a document of this name when it is shown as text; `undefined` if it is none. */
export function languageOfDocument(name: string): string | undefined {
  const parts = name.split('.');
  return parts.length === 2 && parts[0] !== '' ? documentEnds.get(parts[1] ?? '') : undefined;
}
