import { fileURLToPath } from 'node:url';
import { assessUrl, type UrlAssessment } from '../input/elicitationUrl';
import { hasHiddenCharacters } from '../visibleText';

/** Why a link is never followed, not even by reading it from its server. */
export type LinkRefusal =
  /** It would run code in the editor or in a page. */
  | 'runs'
  /** It addresses the editor, or another program of its family. */
  | 'editor'
  /** The link contains the content itself, which a server can send directly. */
  | 'inline';

/**
 * The target of a server's link. All links except refused ones are read from the server that sent
 * them, when the user selects them. Anything else leaves the server and needs
 * confirmation of the whole target.
 */
export type LinkTarget =
  | { readonly kind: 'refused'; readonly reason: LinkRefusal }
  /** Custom schemes, `git:` and others that only the server understands. */
  | { readonly kind: 'server' }
  /** May be opened in a browser if the assessment has no refusal. */
  | { readonly kind: 'web'; readonly assessment: UrlAssessment; readonly isPlain: boolean }
  /** May name a local file, which never replaces what the server has. */
  | { readonly kind: 'file'; readonly path: string };

const maxUriChars = 64 * 1024;

const runs = new Set([
  'command',
  'javascript',
  'vbscript',
  'jscript',
  'livescript',
  'shell',
  'intent',
]);
const inline = new Set(['data', 'blob', 'about', 'filesystem', 'view-source']);
const editor =
  /^(?:vscode|vscodium|code-oss|cursor|windsurf|toolgate|untitled|output|ms-|search-ms$)/;

/** Classifies a link by its text alone: nothing is opened, looked up or sent. */
export function classifyLink(uri: string): LinkTarget {
  const reason = refusalOf(uri);
  if (reason !== undefined) return { kind: 'refused', reason };
  // The user would see a link that differs from the one a parser reads.
  const isHiding = uri !== cleaned(uri) || hasHiddenCharacters(uri, maxUriChars);
  if (uri.length > maxUriChars || isHiding || !URL.canParse(uri)) {
    return { kind: 'server' };
  }
  const url = new URL(uri);
  switch (url.protocol) {
    case 'https:':
    case 'http:':
      return webTarget(uri);
    case 'file:':
      return fileTarget(url);
    default:
      return { kind: 'server' };
  }
}

function webTarget(uri: string): LinkTarget {
  const { refusal, ...assessment } = assessUrl(uri);
  // A page without encryption may be opened, unlike a sign-in page.
  const isPlain = refusal === 'scheme';
  const rest = assessUrl(uri.replace(/^http:/i, 'https:'));
  if (isPlain && rest.refusal === undefined) {
    return { kind: 'web', isPlain, assessment: { ...assessment, warnings: rest.warnings } };
  }
  const refused = isPlain ? rest.refusal : refusal;
  return refused === undefined
    ? { kind: 'web', isPlain: false, assessment }
    : { kind: 'web', isPlain, assessment: { ...assessment, refusal: refused } };
}

/** A path on another machine (`file://host/…`, `file:////host/…`) is left to the server. */
function fileTarget(url: URL): LinkTarget {
  const isElsewhere = url.host !== '';
  if (isElsewhere || url.search !== '' || url.hash !== '') return { kind: 'server' };
  let path: string;
  try {
    path = fileURLToPath(url);
  } catch {
    // The path has escaped separators, or is not valid on this system.
    return { kind: 'server' };
  }
  const isOdd = /^[/\\]{2}|\0/.test(path) || hasHiddenCharacters(path, path.length);
  return isOdd ? { kind: 'server' } : { kind: 'file', path };
}

/**
 * Checks every spelling that some parser accepts as a scheme: with blanks, invisible or full-width
 * characters, or escapes.
 */
function refusalOf(uri: string): LinkRefusal | undefined {
  const beginning = uri.slice(0, 2_000);
  for (const spelling of [beginning, unescaped(beginning), unescaped(unescaped(beginning))]) {
    const scheme = schemeOf(spelling);
    if (scheme === undefined) continue;
    if (runs.has(scheme)) return 'runs';
    if (inline.has(scheme)) return 'inline';
    if (editor.test(scheme)) return 'editor';
  }
  return undefined;
}

function schemeOf(text: string): string | undefined {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/[\s\p{C}\p{Default_Ignorable_Code_Point}]+/gu, '')
    .toLowerCase();
  return /^([a-z][a-z0-9+.-]*):/.exec(plain)?.[1];
}

function unescaped(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function cleaned(uri: string): string {
  return uri.replaceAll(/[\s\p{Cc}]+/gu, '');
}
