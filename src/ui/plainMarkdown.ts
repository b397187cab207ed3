import { visibleText } from '../core/visibleText';

/**
 * Foreign text as Markdown that shows exactly that text: no emphasis, link, picture, HTML, list or
 * code comes of it. Every ASCII sign becomes a character reference, because a bare address would
 * become a link even with all of Markdown's own signs escaped.
 */
export function plainMarkdown(text: string, maxChars: number): string {
  return visibleText(text, maxChars, { newlines: 'keep' })
    .replaceAll(/[!-/:-@[-`{-~]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replaceAll(/\t/g, '    ')
    .replaceAll(/^ +| {2,}/gm, (spaces) => '&nbsp;'.repeat(spaces.length))
    .replaceAll(/\r\n?|\n/g, '  \n')
    .replaceAll(/^ {2}$/gm, '&nbsp;  ');
}
