import {
  allTextKinds,
  documentExtension,
  documentLanguage,
  overviewExtension,
  tableExtension,
  type TextKind,
  viewedExtensions,
} from '../core/content/documentNames';
import * as ids from '../ids';
import { text } from './texts';

/** The name of each language of documents, and the scope of the grammar whose colors it uses. */
const textKinds: Readonly<Record<TextKind, readonly [name: string, scope?: string]>> = {
  text: ['Text'],
  json: ['JSON', 'source.json'],
  jsonl: ['JSON Lines', 'source.json.lines'],
  markdown: ['Markdown', 'text.html.markdown'],
  html: ['HTML', 'text.html.derivative'],
  xml: ['XML', 'text.xml'],
  css: ['CSS', 'source.css'],
  scss: ['SCSS', 'source.css.scss'],
  less: ['Less', 'source.css.less'],
  javascript: ['JavaScript', 'source.js'],
  javascriptreact: ['JavaScript JSX', 'source.js.jsx'],
  typescript: ['TypeScript', 'source.ts'],
  typescriptreact: ['TypeScript JSX', 'source.tsx'],
  python: ['Python', 'source.python'],
  ruby: ['Ruby', 'source.ruby'],
  php: ['PHP', 'text.html.php'],
  go: ['Go', 'source.go'],
  rust: ['Rust', 'source.rust'],
  java: ['Java', 'source.java'],
  groovy: ['Groovy', 'source.groovy'],
  c: ['C', 'source.c'],
  cpp: ['C++', 'source.cpp'],
  csharp: ['C#', 'source.cs'],
  fsharp: ['F#', 'source.fsharp'],
  vb: ['Visual Basic', 'source.asp.vb.net'],
  swift: ['Swift', 'source.swift'],
  dart: ['Dart', 'source.dart'],
  lua: ['Lua', 'source.lua'],
  perl: ['Perl', 'source.perl'],
  r: ['R', 'source.r'],
  julia: ['Julia', 'source.julia'],
  clojure: ['Clojure', 'source.clojure'],
  coffeescript: ['CoffeeScript', 'source.coffee'],
  shellscript: ['Shell Script', 'source.shell'],
  powershell: ['PowerShell', 'source.powershell'],
  bat: ['Batch', 'source.batchfile'],
  sql: ['SQL', 'source.sql'],
  yaml: ['YAML', 'source.yaml'],
  ini: ['Ini', 'source.ini'],
  diff: ['Diff', 'source.diff'],
  log: ['Log', 'text.log'],
  latex: ['LaTeX', 'text.tex.latex'],
  restructuredtext: ['reStructuredText', 'source.rst'],
  dockerfile: ['Dockerfile', 'source.dockerfile'],
  makefile: ['Makefile', 'source.makefile'],
};

const folder = './media/languages';

/** Documents of results need a longer pattern than other extensions have for the same name. */
const document = (...extensions: readonly string[]) => ({
  extensions: extensions.map((extension) => `.${extension}`),
  filenamePatterns: extensions.map(
    (extension) => `{/*/calls/*/*,/*/resources/*/*,/**/*}.${extension}`,
  ),
});
const sentences = (id: string) => ({
  id,
  aliases: [
    text(
      `language.${id}`,
      `MCP ${id === ids.textLanguage ? 'Text' : id === tableExtension ? 'Table' : 'Result'}`,
    ),
  ],
  ...document(id),
});

/** Returns `contributes.languages`. */
export function languages(): object[] {
  return [
    { id: 'jsonc', extensions: [ids.callFileExtension] },
    { id: 'jsonc', filenames: [ids.lockFileName] },
    ...[overviewExtension, ids.textLanguage, tableExtension].map(sentences),
    ...allTextKinds.map((kind) => ({
      id: documentLanguage(kind),
      aliases: [`MCP ${textKinds[kind][0]}`],
      ...document(documentExtension(kind), ...(kind === 'text' ? ['mcpbin'] : [])),
      configuration:
        kind === 'text' ? undefined : `${folder}/${kind === 'markdown' ? 'prose' : 'code'}.json`,
    })),
    { id: ids.linklessLanguage },
  ];
}

const colored = allTextKinds.flatMap((kind) => {
  const [, scope] = textKinds[kind];
  return scope === undefined ? [] : [{ kind, scope, file: `${folder}/${kind}.tmLanguage.json` }];
});

/** Returns `contributes.grammars`. */
export function grammars(): object[] {
  return [
    {
      language: 'mcpresult',
      scopeName: 'text.mcpresult',
      path: './media/mcpresult.tmLanguage.json',
    },
    ...colored.map(({ kind, scope, file }) => ({
      language: documentLanguage(kind),
      scopeName: `${scope}.toolgate`,
      path: file,
    })),
  ];
}

/** Returns the files of the grammars that use the colors of another one, by path. */
export function grammarFiles(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    colored.map(({ scope, file }) => [
      file,
      { scopeName: `${scope}.toolgate`, patterns: [{ include: scope }] },
    ]),
  );
}

/** Returns `contributes.jsonValidation`. Each slot of argument documents has a schema of its own. */
export function jsonValidation(): object[] {
  return [
    {
      fileMatch: ['/.mcp.json', '/.github/mcp.json', '/.copilot/mcp-config.json'],
      url: `${ids.sharedFileSchemaScheme}://schemas/mcpServers.json`,
    },
    {
      fileMatch: `*${ids.callFileExtension}`,
      url: `${ids.callFileScheme}://schemas${ids.callFileSchemaPath}`,
    },
    ...Array.from({ length: ids.argumentSlots }, (_, at) => ({
      fileMatch: `${ids.argumentsScheme}://${at + 1}.*/*/*.jsonc`,
      url: `${ids.schemaScheme}://arguments/${at + 1}`,
    })),
  ];
}

const viewed = (viewer: Parameters<typeof viewedExtensions>[0]) =>
  `${ids.scheme}:/**/*.{${viewedExtensions(viewer).join(',')}}`;
const plain = { 'editor.minimap.enabled': false, 'editor.occurrencesHighlight': 'off' };
const wrapped = { 'editor.wordWrap': 'on' };
const withoutNumbers = { 'editor.lineNumbers': 'off' };

/** \`contributes.configurationDefaults\`: how documents are displayed, and by which viewer. */
export const configurationDefaults = {
  [`[${overviewExtension}]`]: { ...wrapped, ...plain, ...withoutNumbers },
  [`[${ids.textLanguage}]`]: { ...wrapped, ...plain },
  [`[${tableExtension}]`]: {
    ...plain,
    ...withoutNumbers,
    'editor.wordWrap': 'off',
    'editor.colorDecorators': false,
    'editor.folding': false,
    'editor.guides.indentation': false,
  },
  [`[${documentLanguage('markdown')}]`]: wrapped,
  [`[${documentLanguage('text')}]`]: wrapped,
  'workbench.editorAssociations': {
    [`${ids.scheme}:/**`]: 'default',
    [viewed('image')]: 'imagePreview.previewEditor',
    [viewed('audio')]: 'vscode.audioPreview',
    [viewed('video')]: 'vscode.videoPreview',
  },
  [`[${ids.linklessLanguage}]`]: { 'editor.links': false },
};
