import { visibleText, type VisibleTextOptions } from '../../core/visibleText';

/**
 * Escapes foreign text so that Markdown shows exactly that text, without emphasis, links, images,
 * HTML, lists or code. Every ASCII punctuation character becomes a character reference, because a
 * bare URL would become a link even if all of Markdown's own characters were escaped.
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
