import { fileURLToPath } from 'node:url';
import { assessUrl, type UrlAssessment } from '../input/elicitationUrl';
import { hasHiddenCharacters } from '../visibleText';

/** Why a link is not followed at all, not even by reading it from its server. */
export type LinkRefusal =
  /** It would run something, in the editor or in a page. */
  | 'runs'
  /** It speaks to the editor, or to another program of its family. */
  | 'editor'
  /** Its contents stand in the link itself: a server that means to send them sends them. */
  | 'inline';

/**
 * What a link of a server may lead to. All but the refused ones are read from the server that named
 * them, on a press; what else there is leaves the server, and needs a yes to the
 * whole target.
 */
export type LinkTarget =
  | { readonly kind: 'refused'; readonly reason: LinkRefusal }
  /** Custom schemes, `git:`, and whatever else only the server can know. */
  | { readonly kind: 'server' }
  /** Might be shown by a browser, if the assessment refuses nothing. */
  | { readonly kind: 'web'; readonly assessment: UrlAssessment; readonly isPlain: boolean }
  /** Need not be a local file, and is none in place of what the server has. */
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

/** Decides what a link may do, by its text alone: nothing is opened, looked up or sent. */
export function judgeLink(uri: string): LinkTarget {
  const reason = refusalOf(uri);
  if (reason !== undefined) return { kind: 'refused', reason };
  // What a parser would clean up first is not what the person would see.
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
  // Unlike where a person is sent to sign in, a page without encryption may be looked at.
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

/** A path of another machine (`file://host/…`, `file:////host/…`) is only its server's to read. */
function fileTarget(url: URL): LinkTarget {
  const isElsewhere = url.host !== '';
  if (isElsewhere || url.search !== '' || url.hash !== '') return { kind: 'server' };
  let path: string;
  try {
    path = fileURLToPath(url);
  } catch {
    // Escaped separators, and what else is no path on this system.
    return { kind: 'server' };
  }
  const isOdd = /^[/\\]{2}|\0/.test(path) || hasHiddenCharacters(path, path.length);
  return isOdd ? { kind: 'server' } : { kind: 'file', path };
}

/**
 * By every spelling that some parser takes for the scheme: with blanks and invisible characters,
 * wide letters, escapes.
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
