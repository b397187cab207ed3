import { visibleText, type VisibleTextOptions } from '../../core/visibleText';

/**
 * Foreign text as Markdown that shows exactly that text: no emphasis, link, picture, HTML, list or
 * code comes of it. Every ASCII sign becomes a character reference, because a bare address would
 * become a link even with all of Markdown's own signs escaped.
 */
export function plainMarkdown(
  text: string,
  maxChars: number,
  options: VisibleTextOptions = {},
): string {
  return visibleText(text, maxChars, options)
    .replaceAll(/[!-/:-@[-`{-~]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replaceAll('\t', '    ')
    .replaceAll(/^ +| {2,}/gm, (spaces) => '&nbsp;'.repeat(spaces.length))
    .replaceAll(/ $/gm, '')
    .split('\n')
    .map((line) => (line === '' ? '&nbsp;' : line))
    .join('  \n');
}
