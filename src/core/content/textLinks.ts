import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isWithin } from '../bounds/pathWithin';
import { hasHiddenCharacters } from '../visibleText';
import { classifyLink } from './linkTarget';

/** An address in a line of text. */
export interface TextLink {
  readonly start: number;
  readonly end: number;
  readonly uri: string;
}

const maxLinkChars = 2_000;

/**
 * Finds every place in a line where an editor could detect a link: web addresses and local files.
 * The starts match the editor's exactly; the ends are where a reader would expect them, at a blank,
 * a quote or closing punctuation.
 */
export function textLinksIn(line: string): readonly TextLink[] {
  const starts = [...line.matchAll(/(?:https?|file):\/\//gi)].map(({ index }) => index);
  return starts.map((start, place) => {
    const next = starts[place + 1] ?? line.length;
    const rest = line.slice(start, Math.min(next, start + maxLinkChars));
    const [run = ''] = /^[^\s"'`<>|\\^{}\p{C}]*/u.exec(rest) ?? [];
    const uri = withoutEnd(run);
    return { start, end: start + uri.length, uri };
  });
}

/** Removes trailing punctuation of the sentence, and closing brackets without an opening one. */
function withoutEnd(run: string): string {
  let uri = run.replace(sentenceEnd, '');
  for (const [opening, closing] of pairs) {
    const missing = uri.split(closing).length - uri.split(opening).length;
    for (let left = missing; left > 0 && uri.endsWith(closing); left -= 1) uri = uri.slice(0, -1);
    if (missing > 0) uri = uri.replace(sentenceEnd, '');
  }
  return uri;
}

const pairs = [
  ['(', ')'],
  ['[', ']'],
] as const;

/** Limited in length to keep the search fast. */
const sentenceEnd = /[.,;:!?…。、，；：！？]{1,9}$/u;

const maxRelativeLinkChars = 1_000;

/** Finds the targets of Markdown links in a line that have no scheme, which are relative. */
export function relativeLinksIn(line: string): readonly TextLink[] {
  return [...line.matchAll(markdownTarget)].flatMap(({ index, groups }) => {
    const uri = groups?.['target'] ?? '';
    const start = index + (groups?.['before']?.length ?? 0);
    return isRelative(uri) ? [{ start, end: start + uri.length, uri }] : [];
  });
}

const markdownTarget = /(?<before>\]\([ \t]{0,8}<?)(?<target>[^\s()<>\\]{1,1000})(?=>?[ \t)])/g;

/** Excludes absolute links, fragments, and links with hidden characters. */
function isRelative(uri: string): boolean {
  const hasScheme = /^[^/?#]*:/.test(uri);
  if (hasScheme || /^[/#?]/.test(uri)) return false;
  return classifyLink(uri).kind === 'server' && !hasHiddenCharacters(uri, maxRelativeLinkChars);
}

/**
 * Resolves `link` to a `file:` URI inside `folder`. Returns `undefined` if it leads out of the
 * folder, has escaped separators, or is not a valid path on this system.
 */
export function fileBelow(folder: string, link: string): string | undefined {
  const base = pathToFileURL(`${folder}${path.sep}`);
  if (!URL.canParse(link, base.href)) return undefined;
  const url = new URL(link, base.href);
  if (url.protocol !== 'file:' || url.host !== base.host || url.search !== '') return undefined;
  url.hash = '';
  let file: string;
  try {
    file = fileURLToPath(url);
  } catch {
    // The path has escaped separators.
    return undefined;
  }
  if (!isWithin(folder, file) || path.relative(folder, file) === '') return undefined;
  return classifyLink(url.href).kind === 'file' ? url.href : undefined;
}

/**
 * Resolves `link` relative to the resource at `base`. Returns `undefined` if `base` is not
 * hierarchical.
 */
export function uriBeside(base: string, link: string): string | undefined {
  if (!URL.canParse(base) || !/^[a-z][a-z0-9+.-]*:\/\//i.test(base)) return undefined;
  if (!URL.canParse(link, base)) return undefined;
  const { href, origin, host, protocol } = new URL(link, base);
  const from = new URL(base);
  const isSame = protocol === from.protocol && host === from.host && origin === from.origin;
  return isSame && classifyLink(href).kind !== 'refused' ? href : undefined;
}

/** Zero-based lines, both inclusive. */
export interface FoldRange {
  readonly start: number;
  readonly end: number;
}

const maxFolds = 5_000;

/** Finds the foldable regions of a Markdown text: sections below headings, and fenced code. */
export function markdownFolds(lines: Iterable<string>): readonly FoldRange[] {
  const folds: FoldRange[] = [];
  const sections: { readonly level: number; readonly start: number }[] = [];
  let fence: { readonly mark: string; readonly start: number } | undefined;
  let last = -1;
  let line = 0;
  const close = (level: number): void => {
    for (;;) {
      const section = sections.at(-1);
      if (section === undefined || section.level < level) return;
      sections.pop();
      if (last > section.start) folds.push({ start: section.start, end: last });
    }
  };
  for (const text of lines) {
    if (folds.length >= maxFolds) return folds;
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(text) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence.mark) === true) {
        folds.push({ start: fence.start, end: line });
        fence = undefined;
      }
    } else if (mark !== undefined) fence = { mark, start: line };
    else {
      const [, signs] = /^ {0,3}(#{1,6})(?:\s|$)/.exec(text) ?? [];
      if (signs !== undefined) {
        close(signs.length);
        sections.push({ level: signs.length, start: line });
      }
    }
    if (text.trim() !== '') last = line;
    line += 1;
  }
  close(0);
  return folds;
}
